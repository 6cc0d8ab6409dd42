import Chat
import Store
import Text
import Wire

/// Files that go along with the next message (docs/shell.md 9).
extension Talk {
  /// Has files wait for the next message: all of them, or none.
  /// - Parameter says: whether the person is told what they are.
  mutating func attach(_ names: [String], says: Bool, _ links: Links, _ desk: Desk) throws(ShellError) {
    var added: [(Mention, AttachedFile)] = []
    for name in names {
      let file = try read(name, .given, desk)
      // Whether the model takes images is asked when the message is sent: it may be another one by then.
      if let front = links.front, !front.backend.abilities.contains(.takesFiles) {
        try front.require([NamedFile(file: file, naming: .given)], as: .images)
      }
      added.append((Mention(name: name), file))
    }
    for (mention, file) in added {
      if !waiting.contains(mention) { waiting.append(mention) }
      if says { desk.say("\(mention.name) goes with the next message (\(file.about))") }
    }
  }

  /// Takes files off again: all that waits where none is named, what `!!` brought too.
  mutating func detach(_ names: [String], _ desk: Desk) throws(ShellError) {
    if names.isEmpty {
      let had = !waiting.isEmpty || !attachment.isEmpty
      (waiting, attachment) = ([], "")
      desk.say(had ? "nothing goes with the next message" : "nothing was attached")
      return
    }
    var left = waiting
    for name in names {
      let place = desk.world.absolutePath(name)
      guard let index = left.firstIndex(where: { $0.name == name || desk.world.absolutePath($0.name) == place }) else {
        throw .notAttached(name, attached: waiting.map(\.name))
      }
      left.remove(at: index)
    }
    waiting = left
    for name in names { desk.say("\(name) does not go with the next message") }
  }

  /// What goes with the next message, as it is now.
  func attached(_ desk: Desk) -> Listing {
    var rows: [JSON] = waiting.map { mention in
      do throws(ShellError) {
        let file = try read(mention.name, .waiting, desk)
        return ["name": .string(mention.name), "type": .string(file.type), "bytes": .int(file.size)]
      } catch {
        return ["name": .string(mention.name), "problem": .string(Complaint(error).text.string)]
      }
    }
    if !attachment.isEmpty {
      rows.append(["name": "output of !!", "type": "text/plain", "bytes": .int(attachment.utf8.count)])
    }
    return Listing(
      columns: [
        Listing.Column("NAME", "name"),
        Listing.Column("TYPE") { "\($0["problem"]?.string ?? $0["type"]?.string ?? "")" },
        Listing.Column("SIZE") { $0["bytes"]?.int.map(ByteSize.text) ?? "" },
      ], rows: rows, whenEmpty: "nothing goes with the next message")
  }

  /// Reads what goes along with a message; what is asked again has its own.
  func files(for question: Question, _ desk: Desk) throws(ShellError) -> [NamedFile] {
    switch question {
    case .retry(let turn), .continuing(let turn):
      return turn.files.map { NamedFile(file: $0, naming: .earlier) }
    case .new, .edited: break
    }
    var files = question.files.map { NamedFile(file: $0, naming: .earlier) }
    for (naming, mentions) in [
      (AttachmentProblem.Naming.mentioned, mentioned), (desk.options.isInteractive ? .waiting : .given, waiting),
    ] {
      for mention in mentions {
        let file: AttachedFile
        do throws(ShellError) { file = try read(mention.name, naming, desk) } catch {
          // Words of a language begin with an @ too, and a folder may be called like one of them.
          guard naming == .mentioned, case .attachment(_, .folder, _) = error else { throw error }
          desk.say("@\(mention.name) is a folder: only its name is sent")
          continue
        }
        // Once each, and in the place of what it was in a message that this one replaces.
        files.removeAll { $0.naming == .earlier && $0.file.path == file.path }
        if !files.contains(where: { $0.file.path == file.path }) {
          files.append(NamedFile(file: file, naming: naming))
        }
      }
    }
    return files
  }

  /// What a question itself goes with, whole: a file whose bytes are gone would arrive as an empty one.
  mutating func reading(_ files: [NamedFile], _ desk: Desk) async throws(ShellError) -> [AttachedFile] {
    let read = try await reading(files.map(\.file), desk)
    for (file, named) in zip(read, files) where file.digest != nil {
      throw .attachment(file.name, .gone, named.naming)
    }
    return read
  }

  /// With the bytes of those that the history has, and as they are where it has them no more: they are read for a message
  /// that is sent, and let go of with it.
  mutating func reading(_ files: [AttachedFile], _ desk: Desk) async throws(ShellError) -> [AttachedFile] {
    guard files.contains(where: { $0.digest != nil }) else { return files }
    // A history in memory has them too.
    let history = try await history(desk)
    do throws(HistoryError) { return try await history.reading(files) } catch { throw .history(error) }
  }

  /// The conversation with the bytes that this form of a message takes.
  mutating func conversationToSend(as form: AttachmentForm, _ desk: Desk) async throws(ShellError) -> Conversation {
    var whole = conversation
    guard form != .files else { return whole }
    for (turn, files) in whole.path.map(\.files).enumerated() {
      for (index, file) in files.enumerated() where form == .images || file.isText {
        whole.path[turn].files[index] = try await reading([file], desk)[0]
      }
    }
    return whole
  }

  /// It is on its way with a message.
  mutating func letGo() { (attachment, mentioned, waiting) = ("", [], []) }

  private func read(
    _ name: String, _ naming: AttachmentProblem.Naming, _ desk: Desk
  ) throws(ShellError) -> AttachedFile {
    do throws(AttachmentProblem) {
      let bytes = try desk.world.readAttachment(name, Link.fileLimit)
      return AttachedFile(path: desk.world.absolutePath(name), name: name, bytes: bytes)
    } catch {
      guard case .missing = error else { throw .attachment(name, error, naming) }
      throw .attachment(name, .missing(nearest: nearest(to: name, desk)), naming)
    }
  }

  /// Throws `attachment` for the first name that can hardly mean anything but a file.
  func requireNoMistypedFile(among names: [String], _ desk: Desk) throws(ShellError) {
    for name in names where Mention.looksLikePath(name) {
      let nearest = nearest(to: name, desk)
      guard Mention.isSurelyPath(name) || !nearest.isEmpty else { continue }
      throw .attachment(name, .missing(nearest: nearest), .mentioned)
    }
  }

  /// Reports names in a message that seem to mean files and match none; nil if there are none.
  func notice(ofMissing names: [String], _ desk: Desk) -> SafeText? {
    let meant = names.filter { name in
      if !Mention.looksLikePath(name) || Mention.isSurelyPath(name) || !nearest(to: name, desk).isEmpty { return true }
      return name.lastIndex(of: "/").map { !desk.world.listFolder(String(name[...$0])).isEmpty } ?? false
    }
    return Wording.missing(meant, nearest: meant.first.map { nearest(to: $0, desk) } ?? [])
  }

  /// Names in the same folder.
  private func nearest(to name: String, _ desk: Desk) -> [String] {
    let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
    let names = desk.world.listFolder(folder.isEmpty ? "." : folder).filter { !$0.hasSuffix("/") }
    return Nearest.words(to: String(name.dropFirst(folder.count)), among: names).map { folder + $0 }
  }
}

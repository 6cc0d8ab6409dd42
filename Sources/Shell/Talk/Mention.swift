import Chat
import Text

/// A file of this machine that a typed message names as `@PATH`. What comes from a file or a server names nothing
/// (docs/rules.md A8).
struct Mention: Sendable, Equatable {
  /// As it was typed.
  var name: String

  /// Those in a message; what ends a sentence is no part of one.
  static func all(in text: String, isThere: (String) -> Bool) -> [Mention] {
    var found: [Mention] = []
    for word in text.split(whereSeparator: \.isWhitespace) where word.hasPrefix("@") && word.count > 1 {
      var path = String(word.dropFirst())
      while !isThere(path), let last = path.last, ".,;:!?)\"'".contains(last) { path.removeLast() }
      guard !path.isEmpty, isThere(path), !found.contains(Mention(name: path)) else { continue }
      found.append(Mention(name: path))
    }
    return found
  }
}

extension Talk {
  /// What goes along with the message: each file that it names, for a server that takes files; to another it goes as its
  /// name alone, which the person should know.
  mutating func takeMentioned(for backend: any Backend, _ desk: Desk) -> [AttachedFile] {
    defer { mentioned = [] }
    guard backend.abilities.contains(.takesFiles) else {
      for mention in mentioned { sayUnattached(mention.name, desk) }
      return []
    }
    return mentioned.compactMap { mention in
      do throws(FileProblem) {
        // A pipe would be waited for.
        guard [.file, .link].contains(desk.world.fileFacts(mention.name)?.kind) else {
          throw FileProblem(path: mention.name, reason: "it is no ordinary file")
        }
        let bytes = try desk.world.readBytes(mention.name)
        desk.say("attached \(mention.name), \(ByteSize.text(bytes.count))")
        return AttachedFile(path: desk.world.absolutePath(mention.name), name: mention.name, bytes: bytes)
      } catch {
        desk.say("@\(mention.name) is not attached (\(error.reason)): only its name is sent", .warning)
        return nil
      }
    }
  }

  private func sayUnattached(_ path: String, _ desk: Desk) {
    desk.say(
      desk.options.isInteractive
        ? "@\(path) is sent as these letters: !!cat \(Words.quoted(path)) joins the file's text to the next message"
        : "@\(path) is sent as these letters: < \(Words.quoted(path)) behind the words joins the file's text")
  }
}

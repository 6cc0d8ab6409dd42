import Chat
import Text
import Wire

/// What terminals said last: shown, and given to the model.
extension Commands {
  /// As many lines as are kept to be looked at.
  private static let mostLines = 10_000
  private static let usualLines = 40
  /// What a model is given of a screen.
  private static let linesForModel = 200

  /// - Parameter isAttached: whether the next message has it too.
  static func showTerminal(
    _ word: String, _ count: String?, isAttached: Bool, _ shell: inout Shell
  ) async throws(ShellError) {
    let limit = count.flatMap(Int.init) ?? usualLines
    guard 1...mostLines ~= limit else { throw .unexpected(count ?? "", command: "terminal show") }
    let look: TerminalLook
    do throws(ShellError) { look = try await lookAtTerminal(word, limit, &shell) } catch {
      guard error.isAway, let seen = await lookSeen(word, limit, shell) else { throw error }
      shell.desk.complain(Complaint(error))
      let moment = ago(seen.seenAt ?? 0, at: shell.desk.world.now())
      shell.desk.say("\(seen.word) as it was \(moment):", .warning)
      look = seen
    }
    shell.links.passOverNews(of: look.word)
    if shell.desk.options.output != .text {
      shell.desk.show(look.json)
    } else {
      try await shell.desk.show(
        long: .text(TerminalPage.text(look.text, isSeen: shell.desk.world.terminal.traits.outputIsTerminal)))
    }
    guard isAttached else { return }
    if !shell.talk.attachment.isEmpty { shell.talk.attachment += "\n\n" }
    shell.talk.attachment += Fence.around(look.text, label: "terminal \(look.word):")
    shell.desk.say("that goes with the next message (\(ByteSize.text(look.text.utf8.count)))")
  }

  /// A message about what stands there.
  static func askAboutTerminal(_ words: String, _ word: String, _ shell: inout Shell) async throws(ShellError) -> Next {
    let look = try await lookAtTerminal(word, linesForModel, &shell)
    let question = words.isEmpty ? "What went wrong here?" : words
    return .send(.new(question + "\n\n" + Fence.around(look.text, label: "terminal \(look.word):")))
  }

  private static func lookAtTerminal(
    _ word: String, _ limit: Int, _ shell: inout Shell
  ) async throws(ShellError) -> TerminalLook {
    let wanted = try await terminal(called: word, &shell)
    let id = wanted.info.id
    // As many as are kept for when its server is away.
    let most = max(limit, TerminalRecord.mostLines)
    let text = try await shell.links.asking(wanted.place, &shell.desk) { terminals throws(TerminalError) in
      try await terminals.lines(of: id, atMost: most)
    }
    shell.links.note(text, of: id, at: wanted.place, shell.desk)
    return TerminalLook(word: wanted.word, text: text.lastLines(limit))
  }

  /// What a terminal of a server that is away said when it was last looked at; nil where that is not known.
  private static func lookSeen(_ word: String, _ limit: Int, _ shell: Shell) async -> TerminalLook? {
    // Who watches it has heard the last of it.
    if let watched = shell.links.watched.first(where: { $0.word == word }), let past = await watched.past(atMost: limit)
    {
      return TerminalLook(word: word, text: past.text, seenAt: past.at)
    }
    let servers = shell.links.terminalServers(shell.desk)
    // The name of a server alone means its only terminal.
    let named = servers.first { $0.entry?.server.name == word }.map { ($0, name: "") }
    // A word that means nothing was complained about already.
    guard let (place, name) = named ?? (try? shell.links.place(of: word, shell.desk)),
      let seen = shell.links.seen(at: place, shell.desk)?.terminal(name), let output = seen.output
    else { return nil }
    return TerminalLook(
      word: place.word(for: seen.info.id), text: output.text.lastLines(limit), seenAt: output.at)
  }
}

/// The last lines of a terminal.
private struct TerminalLook {
  var word: String
  /// Not to be trusted.
  var text: String
  /// When they were read, in milliseconds since 1970, where that is not now.
  var seenAt: Int?

  var json: JSON {
    ["terminal": .string(word), "text": .string(text), "seenAt": seenAt.map(JSON.int) ?? .null]
  }
}

import Chat
import Text

/// Terminals that are looked at from behind the prompt.
extension Commands {
  static func watchTerminal(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    guard shell.desk.options.isInteractive else {
      throw .needsTerminal("a terminal is watched from a prompt", hint: "/terminal show prints what one says")
    }
    let wanted = try await terminal(called: word, &shell)
    let id = wanted.info.id
    let line = try await shell.links.asking(wanted.place, &shell.desk) { terminals throws(TerminalError) in
      try await terminals.watch(id)
    }
    await shell.links.watch(wanted.word, at: wanted.place, line, shell.desk)
    shell.desk.say(
      "watching \(wanted.word); " + shell.desk.asTyped("/terminal unwatch \(Words.quoted(wanted.word))") + " ends that")
  }

  static func unwatchTerminal(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let words = shell.links.watched.map(\.word)
    let matches = words.contains(word) ? [word] : words.filter { $0.hasPrefix(word) }
    if matches.count > 1 { throw .ambiguous(.terminal, word, matches: matches) }
    guard let match = matches.first else { throw .notWatched(word, watched: words) }
    await shell.links.unwatch(match)
    shell.desk.say("\(match) is not watched any more")
  }
}

extension Shell {
  /// Says what terminals that are watched have said since the last prompt.
  mutating func tellNewsOfTerminals() async {
    for (terminal, news) in await links.takeNewsOfTerminals() {
      let word = terminal.word
      if let text = TerminalPage.news(of: word, lines: news.lines, last: news.lastLine) { desk.say(text) }
      switch news.end {
      case nil: break
      case .success(nil), .success(0): desk.say("\(word) has ended", .warning)
      case .success(let status?): desk.say("\(word) has ended with exit status \(status)", .warning)
      case .failure(let error):
        desk.say("\(word) is watched no more: \(Complaint(terminal.place.failure(error)).text)", .warning)
      }
    }
  }
}

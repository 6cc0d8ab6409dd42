import Chat
import Store
import Text

/// What a person puts to sessions so as to find them again.
extension Commands {
  static let ordering = [tag, pin, unpin, archive]

  private static let tag = Command(
    "tag", .history, summary: "show or change this session's tags",
    forms: [
      Form(summary: "show this session's tags") { shell, _ throws(ShellError) in
        let (session, _) = try await shell.talk.sessionToChange(called: nil, shell.desk)
        shell.desk.show(
          .text(session.tags.isEmpty ? "no tags\n" : Filter.inline(session.tags.joined(separator: " ")) + "\n"))
      },
      Form(.required(.tags), summary: "put words to it; -WORD takes one away") { shell, match throws(ShellError) in
        try await change(match.values, &shell)
      },
    ], examples: ["/tag garden plans", "/tag -plans"],
    details: "/history shows them, and /history search tag:garden roses looks only there.")

  private static let pin = keeping(
    "pin", summary: "put a session before all others", details: "/forget older leaves it, and /unpin lets it go."
  ) { history, id throws(HistoryError) in
    try await history.setPinned(true, of: id)
  } saying: {
    "'\($0)' is pinned"
  }

  private static let unpin = keeping("unpin", summary: "let a pinned session go") {
    history, id throws(HistoryError) in
    try await history.setPinned(false, of: id)
  } saying: {
    "'\($0)' is pinned no longer"
  }

  private static let archive = keeping(
    "archive", summary: "take a session off the lists",
    details: "/history archived lists those; /resume goes on with one, and brings it back."
  ) { history, id throws(HistoryError) in
    try await history.setArchived(true, of: id)
  } saying: {
    "'\($0)' is archived: /history archived lists it, and /resume brings it back"
  }

  /// A command about one session: this one, or the one that is named.
  private static func keeping(
    _ name: String, summary: String, details: String = "",
    _ change: @escaping @Sendable (History, SessionID) async throws(HistoryError) -> Void,
    saying done: @escaping @Sendable (SafeText) -> SafeText
  ) -> Command {
    Command(
      name, .history, summary: summary, forms: [Form(.optional(.session))],
      examples: ["/\(name)", "/\(name) capitals"],
      details: details
    ) { shell, match throws(ShellError) in
      let words = match.values.isEmpty ? nil : match.values.joined(separator: " ")
      let (session, path) = try await shell.talk.sessionToChange(called: words, shell.desk)
      try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in
        try await change(history, session.id)
      }
      try await shell.talk.readAnew(session.id, shell.desk)
      shell.desk.say(done(SessionPage.name(session, path)))
      return .prompt
    }
  }

  private static func change(_ words: [String], _ shell: inout Shell) async throws(ShellError) {
    var (added, removed): ([String], [String]) = ([], [])
    for word in words {
      let isRemoved = word.hasPrefix("-")
      var tag = String(word.drop { "+-#".contains($0) }).lowercased()
      // As in a list.
      while tag.last == "," { tag.removeLast() }
      guard !tag.isEmpty, tag.utf8.count <= 100, !tag.contains(where: { $0.isWhitespace || $0.isControl }) else {
        throw .unexpected(word, command: "tag")
      }
      if isRemoved { removed.append(tag) } else { added.append(tag) }
    }
    let (session, _) = try await shell.talk.sessionToChange(called: nil, shell.desk)
    let tags = try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in
      try await history.tag(session.id, adding: added, removing: removed)
    }
    try await shell.talk.readAnew(session.id, shell.desk)
    shell.desk.say(tags.isEmpty ? "no tags" : "tags: \(tags.joined(separator: " "))")
  }
}

extension Talk {
  /// What the history has of the session that is talked in has changed.
  fileprivate mutating func readAnew(_ id: SessionID, _ desk: Desk) async throws(ShellError) {
    guard conversation.session.id == id, let (session, _) = try await stored(id, desk) else { return }
    conversation.session.isPinned = session.isPinned
    conversation.session.isArchived = session.isArchived
    conversation.session.tags = session.tags
  }
}

extension Character {
  fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

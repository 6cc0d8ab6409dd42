import Chat
import Store
import Text

extension Commands {
  static let forgetting = [forget]

  private static let forget = Command(
    "forget", .history, summary: "remove what is kept, for good",
    forms: [
      Form(.required(.handle), summary: "a turn of this session") { shell, match throws(ShellError) in
        try await forgetTurn(match[0], &shell)
      },
      Form(.required(.session), summary: "a session") { shell, match throws(ShellError) in
        try await forgetSession(match.values.joined(separator: " "), &shell)
      },
      Form(.word("older"), .required(.age), summary: "sessions without a message since") {
        shell, match throws(ShellError) in
        try await forgetOlder(match[0], &shell)
      },
      Form(.word("all"), summary: "all sessions, and every line typed") { shell, match throws(ShellError) in
        try requireFile(shell)
        guard try await shell.desk.confirm("Forget ALL sessions, and every line typed, for good?") else { return }
        try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in try await history.forgetAll() }
        if shell.talk.conversation.isStored { shell.leaveSession() }
        shell.desk.say("all is forgotten")
      },
    ], examples: ["/forget #3", "/forget capitals", "/forget older 90d"],
    details: """
      It asks first. What is forgotten is then in no table, index, free page or copy of the history, nor on the list of \
      lines typed; what a server keeps is the server's. Pinned sessions are not too old. An age is such as 12h, 30d, 8w, 6mo or 1y.
      """)

  /// What is on disk is not a private run's to forget, and who asks for that is not to believe that it is gone.
  private static func requireFile(_ shell: Shell) throws(ShellError) {
    if shell.desk.options.isPrivate { throw .history(.noFile) }
  }

  private static func forgetTurn(_ handle: String, _ shell: inout Shell) async throws(ShellError) {
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    guard let turn = try await shell.talk.turn(handle, command: "forget", shell.desk) else { return }
    let words = Filter.inline(turn.question, width: 50)
    guard try await shell.desk.confirm("Forget #\(turn.number), '\(words)', and its answer, for good?") else { return }
    if turn.isKept {
      try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in try await history.forget(turn.id)
      }
    }
    shell.talk.leave(turn)
    shell.desk.say("#\(turn.number) is forgotten")
    shell.sayWhatTheServerKeeps(of: shell.talk.conversation.session)
  }

  private static func forgetSession(_ words: String, _ shell: inout Shell) async throws(ShellError) {
    let (session, path) = try await shell.talk.session(called: words, shell.desk)
    let count = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.places(of: session.id).count
    }
    let turns: SafeText = count == 1 ? "1 turn" : "\(count) turns"
    let name = SessionPage.name(session, path)
    guard try await shell.desk.confirm("Forget '\(name)', \(turns), for good?") else { return }
    try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in
      try await history.forget(session.id)
    }
    if shell.talk.conversation.session.id == session.id { shell.leaveSession() }
    shell.desk.say("'\(name)' is forgotten")
    shell.sayWhatTheServerKeeps(of: session)
  }

  private static func forgetOlder(_ age: String, _ shell: inout Shell) async throws(ShellError) {
    guard let milliseconds = SearchWords.milliseconds(age) else { throw .badAge(age) }
    try requireFile(shell)
    let moment = shell.desk.world.now() - milliseconds
    let count = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.count(olderThan: moment)
    }
    guard count > 0 else { return shell.desk.say("no session is that old") }
    let sessions: SafeText = count == 1 ? "1 session" : "\(count) sessions"
    let offset = shell.desk.world.clockOffset
    let day = Moments.local(moment, offset: offset(moment))
    guard try await shell.desk.confirm("Forget \(sessions) without a message since \(day), for good?") else { return }
    let forgotten = try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in
      try await history.forget(olderThan: moment)
    }
    let current = shell.talk.conversation.session
    if shell.talk.conversation.isStored, current.updatedAt < moment, !current.isPinned { shell.leaveSession() }
    shell.desk.say(forgotten == 1 ? "1 session is forgotten" : "\(forgotten) sessions are forgotten")
  }
}

extension Shell {
  fileprivate func sayWhatTheServerKeeps(of session: Session) {
    guard session.remote != nil, let server = session.server?.name else { return }
    desk.say("what '\(server)' keeps of it stays there; " + desk.asTyped("/sessions delete removes that"))
  }
}

extension Talk {
  /// The turn is gone from the history.
  fileprivate mutating func leave(_ turn: Turn) {
    if replaced?.id == turn.id { replaced = nil }
    if let index = conversation.path.firstIndex(where: { $0.id == turn.id }) {
      // What is left out stays left out.
      if index > 0, let end = conversation.path[index].contextEnd {
        conversation.path[index - 1].contextEnd = max(conversation.path[index - 1].contextEnd ?? 0, end)
      }
      conversation.path.remove(at: index)
    }
    // One that nobody gave may have been made of it.
    if !conversation.session.titleIsManual { conversation.session.title = nil }
    if conversation.session.head == turn.id { conversation.session.head = conversation.path.last?.id }
  }
}

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
      Form(.word("all"), summary: "all sessions, lines typed and backups") { shell, _ throws(ShellError) in
        try await forgetAll(&shell)
      },
    ], examples: ["/forget #3", "/forget capitals", "/forget older 90d"],
    details: """
      It asks first. What is forgotten is then in no table, index, free page or backup of the history, nor on the list of \
      lines typed; what a server keeps is the server's. A file that was set aside as damaged may still have it: that is \
      said, and /forget all removes it. Pinned sessions are not too old. An age is such as 12h, 30d, 8w, 6mo or 1y.
      """)

  /// What is on disk is not a private run's to forget, and who asks for that is not to believe that it is gone.
  private static func requireFile(_ shell: Shell) throws(ShellError) {
    if shell.desk.options.isPrivate { throw .history(.noFile) }
  }

  private static func forgetAll(_ shell: inout Shell) async throws(ShellError) {
    try requireFile(shell)
    let question: SafeText = "Forget ALL sessions, every line typed and the backups beside the history, for good?"
    guard try await shell.desk.confirm(question) else { return }
    let forgotten = try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in
      try await history.forgetAll()
    }
    // First of all: a pending write would put the text back.
    (shell.talk.unkept, shell.talk.parked) = (Unkept(), [:])
    if shell.talk.conversation.isStored || !shell.talk.conversation.path.isEmpty { shell.leaveSession() }
    var failure: FileError?
    do throws(FileError) { try shell.desk.world.drafts.forgetAll() } catch { failure = error }
    if failure == nil { shell.desk.say("all is forgotten") }
    if let failure {
      shell.warn(about: forgotten)
      throw .drafts(failure)
    }
    try shell.report(forgotten)
  }

  private static func forgetTurn(_ handle: String, _ shell: inout Shell) async throws(ShellError) {
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    guard let turn = try await shell.talk.turn(handle, command: "forget", shell.desk) else { return }
    let words = Filter.inline(turn.question, width: 50)
    guard try await shell.desk.confirm("Forget #\(turn.number), '\(words)', and its answer, for good?") else { return }
    var forgotten = Forgotten()
    if turn.isKept {
      forgotten = try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in
        try await history.forget(turn.id)
      }
      shell.talk.leave(turn)
    } else {
      shell.talk.leave(turn)
      try await shell.talk.forgetLines(of: [turn], shell.desk)
    }
    shell.desk.say("#\(turn.number) is forgotten")
    shell.sayWhatTheServerKeeps(of: shell.talk.conversation.session)
    try shell.report(forgotten)
  }

  private static func forgetSession(_ words: String, _ shell: inout Shell) async throws(ShellError) {
    let (session, path) = try await shell.talk.session(called: words, shell.desk)
    let kept = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.places(of: session.id).count
    }
    let count = kept + shell.talk.unkept.turns(of: session.id).count
    let turns: SafeText = count == 1 ? "1 turn" : "\(count) turns"
    let name = SessionPage.name(session, path)
    guard try await shell.desk.confirm("Forget '\(name)', \(turns), for good?") else { return }
    let forgotten = try await shell.talk.forget(session.id, shell.desk)
    if shell.talk.conversation.session.id == session.id { shell.leaveSession() }
    shell.desk.say("'\(name)' is forgotten")
    shell.sayWhatTheServerKeeps(of: session)
    try shell.report(forgotten)
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
    func isForgotten(_ session: Session) -> Bool { session.updatedAt < moment && !session.isPinned }
    let current = shell.talk.conversation
    if current.isStored || current.hasUnsaved, isForgotten(current.session) { shell.leaveSession() }
    try await shell.talk.forgetUnkept(of: isForgotten, shell.desk)
    shell.desk.say(
      forgotten.sessions == 1 ? "1 session is forgotten" : "\(forgotten.sessions) sessions are forgotten")
    try shell.report(forgotten)
  }
}

extension Shell {
  /// Warns about copies that were removed or may still contain the text, and throws if the log of the history may.
  func report(_ forgotten: Forgotten) throws(ShellError) {
    warn(about: forgotten)
    if let error = forgotten.logError { throw .history(error) }
  }

  fileprivate func warn(about forgotten: Forgotten) {
    for copy in forgotten.removedCopies { desk.say(Wording.removed(copy: copy), .warning) }
    if !forgotten.mayRemainIn.isEmpty { desk.say(Wording.mayRemain(in: forgotten.mayRemainIn), .warning) }
  }

  fileprivate func sayWhatTheServerKeeps(of session: Session) {
    guard session.remote != nil, let server = session.server?.name else { return }
    desk.say("what '\(server)' keeps of it stays there; " + desk.asTyped("/sessions delete removes that"))
  }
}

extension Talk {
  /// Removes a session, and what of it is not kept yet.
  mutating func forget(_ id: SessionID, _ desk: Desk) async throws(ShellError) -> Forgotten {
    let forgotten = try await changeHistory(desk) { history throws(HistoryError) in try await history.forget(id) }
    try await forgetUnkept(of: { $0.id == id }, desk)
    return forgotten
  }

  /// These sessions are gone from the history, and nothing of them comes into it any more.
  mutating func forgetUnkept(of isMeant: (Session) -> Bool, _ desk: Desk) async throws(ShellError) {
    unkept.note(conversation)
    parked = parked.filter { !isMeant($0.value.session) }
    try await forgetLines(of: unkept.forget(isMeant), desk)
  }

  /// The history knows nothing of these turns but that they were typed.
  fileprivate mutating func forgetLines(of turns: [Turn], _ desk: Desk) async throws(ShellError) {
    for turn in turns {
      try await fromThisRun(desk) { history throws(HistoryError) in
        try await history.forgetLines(with: turn.question)
      }
    }
  }

  /// The turn is gone from the history.
  fileprivate mutating func leave(_ turn: Turn) {
    unkept.forget(turn)
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
    if conversation.session.head == turn.id { conversation.session.head = conversation.path.last(where: \.isKept)?.id }
  }
}

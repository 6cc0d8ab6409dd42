import Chat
import Store
import Text

/// Going back in a conversation, and along another line of it. Nothing is ever overwritten.
extension Commands {
  static let branching = [undo, branches, branch, fork]

  private static let undo = Command(
    "undo", .chat, summary: "go back to before the last message", forms: [Form().switching()], examples: ["/undo"],
    details: "The message and its answer stay in the history on another branch; /branches lists them."
  ) { shell, _ throws(ShellError) in
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    try await shell.catchUpBeforeChoosing()
    guard let last = shell.talk.conversation.path.last else { throw .noAnswer(.nothingToUndo) }
    try await shell.talk.stand(on: shell.talk.conversation.path.dropLast(), shell.desk)
    shell.sayWhatIsRemembered()
    shell.desk.say("#\(last.number) is set aside; " + shell.desk.asTyped("/branch #\(last.number) goes back to it"))
    return .prompt
  }

  private static let branches = Command(
    "branches", .chat, summary: "list the branches of this session", examples: ["/branches"],
    details: """
      Each is named by its last turn; * is the one that you are on. AFTER is the last turn that it has in common with \
      that one. /branch goes on with another, /history show prints one of its turns.
      """
  ) { shell, match throws(ShellError) in
    let (session, path) = try await shell.talk.session(called: nil, shell.desk)
    let places = try await shell.talk.fromThisRun(shell.desk) { history throws(HistoryError) in
      try await history.places(of: session.id)
    }
    let page = BranchPage(places, standingAt: path.map(\.id))
    try await shell.desk.show(
      page.listing(
        now: shell.desk.world.now(), isSeen: shell.desk.world.terminal.traits.outputIsTerminal), asJSON: match.asJSON)
    return .prompt
  }

  private static let branch = Command(
    "branch", .chat, summary: "go on with another branch", forms: [Form(.required(.handle)).switching()],
    examples: ["/branch #5"],
    details: "Goes to the end of the branch that the turn is on."
  ) { shell, match throws(ShellError) in
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    try await shell.catchUpBeforeChoosing()
    guard let turn = try await shell.talk.turn(match[0], command: "branch", shell.desk) else { return .prompt }
    guard !shell.talk.conversation.path.contains(where: { $0.id == turn.id }) else {
      shell.desk.say("#\(turn.number) is on this branch already")
      return .prompt
    }
    try await shell.talk.stand(on: try await shell.talk.branch(of: turn, shell.desk)[...], shell.desk)
    shell.sayWhatIsRemembered()
    let path = shell.talk.conversation.path
    shell.desk.say("on the branch of #\(turn.number) now (\(path.count == 1 ? "1 turn" : "\(path.count) turns"))")
    if shell.desk.options.isInteractive, let last = path.last { shell.talk.show(last, shell.desk) }
    return .prompt
  }

  private static let fork = Command(
    "fork", .chat, summary: "begin a session with a copy of this one", forms: [Form(.optional(.handle)).switching()],
    examples: ["/fork", "/fork #3"],
    details: "With a turn, it ends there. The session itself stays as it is; /resume goes back to it."
  ) { shell, match throws(ShellError) in
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    try await shell.catchUpBeforeChoosing()
    try await shell.talk.requireKeeping(shell.desk)
    let last = shell.talk.conversation.path.last
    guard let turn = try await shell.talk.turn(match.values.first, command: "fork", shell.desk) ?? last else {
      throw .noAnswer(.nothingToFork)
    }
    guard turn.isKept else { throw .notKeptYet(turn: turn.number) }
    let old = shell.talk.conversation.session.id
    let new = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.fork(upTo: turn.id)
    }
    guard let (session, path) = try await shell.talk.stored(new, shell.desk) else { throw .noSessions }
    await shell.talk.keepBeforeLeaving(shell.desk)
    shell.talk.unkept.note(shell.talk.conversation)
    shell.talk.conversation = Conversation(session, path: path)
    shell.sayWhatIsRemembered()
    let turns: SafeText = path.count == 1 ? "1 turn" : "\(path.count) turns"
    shell.desk.say(
      "session \(new.text.prefix(8)) begins with \(turns); "
        + shell.desk.asTyped("/resume \(old.text.prefix(8)) goes back"))
    return .prompt
  }
}

extension Shell {
  /// Who keeps the conversation itself, and shows none of it, knows nothing of branches.
  fileprivate mutating func sayWhatIsRemembered() {
    guard let backend = links.front?.backend, backend.abilities.contains(.keepsConversations),
      !backend.showsConversations
    else { return }
    desk.sayOnce("the agent remembers what was said before, whatever branch you are on")
  }
}

extension Talk {
  /// Has the session stand at the end of these turns, here and in the history.
  fileprivate mutating func stand(on path: ArraySlice<Turn>, _ desk: Desk) async throws(ShellError) {
    let (id, head) = (conversation.session.id, path.last(where: \.isKept)?.id)
    // A disk that is full need not take what is there already.
    if conversation.isStored, head != conversation.session.head {
      try await fromThisRun(desk) { history throws(HistoryError) in try await history.moveHead(of: id, to: head) }
    }
    conversation.session.head = head
    conversation.path = Array(path)
    replaced = nil
  }

  /// The turns up to the end of the branch that has this one.
  fileprivate mutating func branch(of turn: Turn, _ desk: Desk) async throws(ShellError) -> [Turn] {
    var tip = turn.id
    if turn.isKept {
      tip = try await fromThisRun(desk) { history throws(HistoryError) in try await history.tip(of: turn.id) }
    }
    return try await path(to: unkept.tip(of: tip), desk)
  }
}

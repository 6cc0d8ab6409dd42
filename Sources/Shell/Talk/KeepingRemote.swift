import Chat
import Store
import Text

/// Conversations that a server keeps too: they are kept here as they are read (docs/shell.md 8).
extension Talk {
  /// Keeps what the server calls the messages of a turn.
  func keep(_ name: RemoteName, of turn: TurnUnderWay, _ desk: Desk) async {
    guard let kept = turn.kept else { return }
    do throws(HistoryError) { try await kept.history.setRemote(name, of: kept.turn) } catch {
      desk.say("what the server calls this turn is not kept: \(Complaint(error).text)", .warning)
    }
  }

  /// Keeps a conversation as its server has it, and stands where the server does.
  mutating func takeIn(_ remote: RemoteSession, of server: Server, _ desk: Desk) async throws(ShellError) -> TakenIn {
    let steps: @Sendable (Activity) -> ToolStep = { ToolStep($0, of: server) }
    let taken = try await fromHistory(desk) { history throws(HistoryError) in
      try await history.takeIn(remote, of: server, steps: steps)
    }
    if let (session, path) = try await stored(taken.session, desk) {
      let isManual = conversation.session.id == session.id
      let system = isManual ? conversation.session.systemPrompt : session.systemPrompt
      conversation = Conversation(session, path: path)
      conversation.session.systemPrompt = system
      conversation.isCaughtUp = true
    }
    return taken
  }

  /// Says where the talk is now, and shows the end of it to a person.
  func showPlace(_ desk: Desk) {
    let (session, path) = (conversation.session, conversation.path)
    let turns: SafeText = path.count == 1 ? "1 turn" : "\(path.count) turns"
    desk.say("resumed \"\(SessionPage.name(session, path))\" (\(turns))")
    if desk.options.isInteractive, let last = path.last { show(last, desk) }
  }

  /// Shows a turn; Ctrl-C ends that, and nothing else.
  func show(_ turn: Turn, _ desk: Desk) {
    let pieces = SessionPage.pieces(
      of: turn, in: conversation.session, columns: desk.wrapColumns, look: desk.markdownLook)
    do throws(ShellError) { try desk.write(long: pieces) } catch { desk.say("interrupted", .warning) }
  }

  /// A title that the person gives.
  mutating func setTitle(_ title: String, _ desk: Desk) async throws(ShellError) {
    await leaveTitle()
    conversation.session.title = title
    conversation.session.titleIsManual = true
    guard conversation.isStored else { return }
    let id = conversation.session.id
    try await fromHistory(desk) { history throws(HistoryError) in try await history.setTitle(title, of: id) }
  }

  /// What is kept of a conversation that its server does not have any more is a session like others.
  mutating func forgetRemote(_ id: SessionID, _ desk: Desk) async throws(ShellError) {
    try await fromHistory(desk) { history throws(HistoryError) in try await history.setRemote(nil, of: id) }
    guard conversation.session.id == id else { return }
    conversation.session.remote = nil
    for index in conversation.path.indices { conversation.path[index].remote = nil }
  }

  /// What became of a conversation elsewhere, in words; nil when nothing did.
  static func news(_ taken: TakenIn) -> [SafeText] {
    var words: [SafeText] = []
    func numbers(_ list: [Int]) -> SafeText { "\(list.map { "#\($0)" }.joined(separator: ", "))" }
    if !taken.isNew, taken.added > taken.changed.count {
      let count = taken.added - taken.changed.count
      words.append(count == 1 ? "1 turn came to it elsewhere" : "\(count) turns came to it elsewhere")
    }
    if taken.grown > 0 {
      words.append(
        taken.running == nil ? "an answer was finished there meanwhile" : "more of an answer was written there")
    }
    if !taken.changed.isEmpty {
      words.append("changed there: \(numbers(taken.changed)); what is there now is kept beside")
    }
    if !taken.gone.isEmpty { words.append("deleted there and kept here: \(numbers(taken.gone))") }
    return words
  }
}

extension ToolStep {
  /// What a server did, as a step of its turn.
  init(_ activity: Activity, of server: Server) {
    var call = StoredCall(activity, of: server)
    call.result = StoredResult(activity, text: ActivityPage.summary(activity).string)
    self.init(text: "", calls: [call])
  }
}

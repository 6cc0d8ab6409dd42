import Chat
import Store
import Text

/// Taking up sessions again.
extension Talk {
  /// Stands where a session was left.
  /// - Parameters:
  ///   - words: nil is the session of the last message.
  ///   - keepsServer: whether the server in use stays in use, whatever server the session was with.
  package mutating func resume(
    _ words: String?, shows: Bool = true, keepsServer: Bool = false, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    await keepBeforeLeaving(desk)
    let isHere = words == nil && (conversation.isStored || conversation.hasUnsaved)
    var (session, path) =
      isHere ? (conversation.session, conversation.path) : try await foundSession(called: words, desk)
    if session.isArchived {
      let id = session.id
      try await fromHistory(desk) { history throws(HistoryError) in try await history.setArchived(false, of: id) }
      session.isArchived = false
    }
    try await stand(in: session, path, keepsServer: keepsServer, &links, &desk)
    if shows { showPlace(desk) }
  }

  /// Goes on with a session where it was left. Changes to the session's server unless the run names one, or
  /// `keepsServer` is set.
  mutating func stand(
    in session: Session, _ path: [Turn], keepsServer: Bool = false, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    unkept.note(conversation)
    conversation = Conversation(session, path: path)
    if let system = desk.options.system { conversation.session.systemPrompt = system }
    if !keepsServer, let url = session.server?.url, let kept = links.kept.at(url),
      links.front?.server.url != kept.server.url, desk.options.server == nil,
      desk.world.environment.serverAddress == nil
    {
      let before = links.front?.server.name
      try await links.use(server: kept.server.name, &desk)
      if before != nil { desk.say("server: \(kept.server.name), where it was asked last") }
    } else if let server = session.server, links.kept.at(server.url) == nil, let name = links.nameInUse(desk),
      (links.front?.server ?? links.kept.named(name)?.server)?.url != server.url, desk.options.server == nil
    {
      desk.say("it was with \(server.url), which is not kept: what you say goes to '\(name)', with all of it", .warning)
    }
  }

  /// Stands in a session that a server keeps by that name: in the one that is kept here too, else in a new one.
  mutating func stand(
    inRemote name: String, title: String?, of server: Server, _ desk: Desk
  ) async throws(ShellError) {
    let kept = try await fromHistory(desk) { history throws(HistoryError) in
      try await history.remoteSessions(of: server.url)
    }
    guard let summary = kept[name], let (session, path) = try await stored(summary.id, desk) else {
      return takeRemote(name, title: title, of: server)
    }
    unkept.note(conversation)
    conversation = Conversation(session, path: path)
  }

  /// Resumes the last session for a command of a script or command line that needs one. At a prompt a session is resumed
  /// only by name. If the run already uses a server (`/server use`, `/connect`), that server stays in use: the lines that
  /// follow are meant for it.
  mutating func takeUpLatest(_ links: inout Links, _ desk: inout Desk) async throws(ShellError) {
    guard conversation.path.isEmpty, !startedAnew, !desk.options.isInteractive, try await hasSessions(desk) else {
      return
    }
    try await resume(nil, keepsServer: links.front != nil, &links, &desk)
  }

  private mutating func hasSessions(_ desk: Desk) async throws(ShellError) -> Bool {
    try await fromHistory(desk) { history throws(HistoryError) in try await history.latest() } != nil
  }

  /// A session and its turns up to where it stands.
  /// - Parameter words: nil is this one, else the last, unless a new one was begun.
  mutating func session(called words: String?, _ desk: Desk) async throws(ShellError) -> (Session, [Turn]) {
    if words == nil, conversation.isStored || conversation.hasUnsaved {
      return (conversation.session, conversation.path)
    }
    // Who has begun a new one means nothing of the one before.
    if words == nil, startedAnew { throw .noSessions }
    return try await foundSession(called: words, desk)
  }

  /// - Parameter words: nil is the last one.
  private mutating func foundSession(called words: String?, _ desk: Desk) async throws(ShellError) -> (Session, [Turn])
  {
    guard let found = try await stored(try await sessionID(called: words, desk), desk) else {
      throw .unknown(.session, words ?? "", nearest: [])
    }
    return found
  }

  /// The same for a change of it: at a prompt the last one is not meant where none is talked in.
  mutating func sessionToChange(called words: String?, _ desk: Desk) async throws(ShellError) -> (Session, [Turn]) {
    if words == nil, desk.options.isInteractive, conversation.path.isEmpty, !conversation.isStored { throw .noSessions }
    return try await session(called: words, desk)
  }

  /// The session of an id; nil where there is none.
  mutating func stored(_ id: SessionID, _ desk: Desk) async throws(ShellError) -> (Session, [Turn])? {
    unkept.note(conversation)
    let unkept = unkept
    return try await fromHistory(desk) { history throws(HistoryError) in
      guard let session = try await history.session(id) else { return nil }
      return (session, unkept.completed(try await history.path(of: id), of: id))
    }
  }

  private mutating func sessionID(called words: String?, _ desk: Desk) async throws(ShellError) -> SessionID {
    guard let words else {
      let latest = try await fromHistory(desk) { history throws(HistoryError) in try await history.latest() }
      guard let latest else { throw .noSessions }
      return latest.id
    }
    switch try await fromHistory(desk, { history throws(HistoryError) in try await history.session(matching: words) }) {
    case .one(let summary): return summary.id
    case .none: throw .unknown(.session, words, nearest: [])
    case .several(let several, let count):
      throw .ambiguous(
        .session, words, matches: several.map { "\($0.id.text.prefix(8)) \($0.name)" }, more: count - several.count)
    }
  }

  /// The turn of a handle such as `#2` or `#-1` in this session; nil when no handle is given.
  mutating func turn(_ handle: String?, command: String, _ desk: Desk) async throws(ShellError) -> Turn? {
    guard let handle else { return nil }
    return try await turn(handle, in: conversation, command: command, desk)
  }

  /// The same in another one, which need not be taken up for it.
  mutating func turn(
    _ handle: String, in conversation: Conversation, command: String, _ desk: Desk
  ) async throws(ShellError) -> Turn {
    let digits = handle.hasPrefix("#") ? handle.dropFirst() : handle[...]
    guard !digits.hasPrefix("+"), let number = Int(digits) else {
      throw .badNumber(handle, command: command)
    }
    if number < 0 {
      guard number.magnitude <= conversation.path.count else { throw .unknown(.turn, handle, nearest: []) }
      return conversation.path[conversation.path.count + number]
    }
    let session = conversation.session.id
    if let turn = conversation.path.first(where: { $0.number == number })
      ?? unkept.turns(of: session).first(where: { $0.number == number })
    {
      return turn
    }
    let turn = try await fromThisRun(desk) { history throws(HistoryError) in
      try await history.turn(number: number, of: session)
    }
    guard let turn else { throw .unknown(.turn, handle, nearest: []) }
    return unkept.completed(turn)
  }

  /// The turns up to one, whatever branch it is on.
  mutating func path(to turn: TurnID, _ desk: Desk) async throws(ShellError) -> [Turn] {
    let line = unkept.line(to: turn)
    guard let kept = line.isEmpty ? turn : line.first?.parent else { return line }
    let path = try await fromThisRun(desk) { history throws(HistoryError) in try await history.path(to: kept) }
    return path.map(unkept.completed) + line
  }

  /// Makes the path the one that leads to a turn, so that what comes before it is what is sent; says what is left aside.
  mutating func standBeside(_ turn: Turn, _ desk: Desk) async throws(ShellError) {
    if let index = conversation.path.firstIndex(where: { $0.id == turn.id }) {
      let aside = conversation.path.dropFirst(index + 1)
      if let last = aside.last {
        let names = aside.map { "#\($0.number)" }.joined(separator: ", ")
        let stay: SafeText =
          if !aside.allSatisfy(\.isKept) { aside.count == 1 ? "is set aside" : "are set aside" } else {
            aside.count == 1 ? "stays in the history" : "stay in the history"
          }
        desk.say("\(names) \(stay); " + desk.asTyped("/branch #\(last.number) goes back to it"))
      }
      return
    }
    conversation.path = try await path(to: turn.id, desk)
  }

  /// A turn as it is now: another shell may have gone on with its answer.
  mutating func newest(_ turn: Turn, _ desk: Desk) async throws(ShellError) -> Turn {
    guard turn.isKept else { return turn }
    let found = try await fromThisRun(desk) { history throws(HistoryError) in
      try await history.resumeAnswer(of: turn.id)
    }
    guard case .free(let newest) = found else { throw .beingWritten }
    return unkept.completed(newest)
  }
}

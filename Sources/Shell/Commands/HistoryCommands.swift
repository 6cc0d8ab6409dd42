import Chat
import Store
import Text
import Wire

extension Commands {
  static let history = [historyList, resume]

  private static let historyList = Command(
    "history", .history, summary: "list sessions",
    forms: [
      Form(.optional(.number), summary: "list the last sessions"),
      Form(.word("show"), .optional(.session), summary: "print a session"),
      Form(.word("show"), .required(.handle), summary: "print one turn, on any branch"),
      Form(.word("search"), .required(.words), summary: "find words in messages and results"),
    ],
    examples: [
      "/history", "/history show capitals", "/history search connection pool",
      "/history search role:tool since:30d timeout",
    ],
    details: """
      A session is named by the start of its id, its title, or words of its title. Words are searched as typed; all \
      must occur in the same message. model:X, server:Y, role:user, status:failed and since:30d narrow a search.
      """
  ) { shell, arguments throws(ShellError) in
    var arguments = arguments
    let asJSON = arguments.takeJSONFlag()
    switch arguments.words.first {
    case "show": try await show(arguments.words.dropFirst().joined(separator: " "), asJSON, &shell)
    case "search":
      let words = Array(arguments.words.dropFirst())
      guard !words.isEmpty else { throw .missing(.words, command: "history search") }
      try await search(words, asJSON, &shell)
    case .some(let word):
      guard let limit = Int(word), limit > 0 else {
        throw .unexpected(word, command: "history")
      }
      try await list(limit, asJSON, &shell)
    case nil: try await list(20, asJSON, &shell)
    }
    return .prompt
  }

  private static let resume = Command(
    "resume", .history, summary: "go on with an earlier session", forms: [Form(.optional(.session))],
    examples: ["/resume", "/resume capitals", "/resume 3f2a"],
    details: "Without a name, the session of the last message."
  ) { shell, arguments throws(ShellError) in
    try await shell.resume(arguments.text.isEmpty ? nil : arguments.words.joined(separator: " "))
    return .prompt
  }

  private static func list(_ limit: Int, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let (sessions, count) = try await shell.fromHistory { history throws(HistoryError) in
      (try await history.recent(limit), try await history.count())
    }
    shell.desk.show(listing(of: sessions, now: shell.desk.world.now()), asJSON: asJSON)
    if count > sessions.count {
      shell.desk.say(
        "the newest \(sessions.count) of \(count) sessions; "
          + shell.desk.asTyped("/history \(count) lists all of them"))
    }
  }

  private static func listing(of sessions: [SessionSummary], now: Int) -> Listing {
    Listing(
      columns: [
        Listing.Column("ID") { "\(String(($0["id"]?.string ?? "").prefix(8)))" },
        Listing.Column("AGE") { age(of: $0["updatedAt"]?.int ?? now, at: now) },
        Listing.Column("TURNS", "turns"), Listing.Column("MODEL", "model"), Listing.Column("SERVER", "server"),
        Listing.Column("STATUS") { $0["status"]?.string == "complete" ? "" : "\($0["status"]?.string ?? "")" },
        Listing.Column("TITLE", "title"),
      ],
      rows: sessions.map { session in
        [
          "id": .string(session.id.text), "title": .string(session.name), "createdAt": .int(session.createdAt),
          "updatedAt": .int(session.updatedAt), "turns": .int(session.turns),
          "model": session.model.map(JSON.string) ?? .null, "server": session.server.map(JSON.string) ?? .null,
          "status": session.lastStatus.map { .string($0.rawValue) } ?? .null,
        ]
      },
      whenEmpty: "no sessions yet: type a message")
  }

  private static func show(_ words: String, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    if words.hasPrefix("#") { return try await showTurn(words, asJSON, &shell) }
    let (session, path) = try await shell.session(called: words.isEmpty ? nil : words)
    if asJSON || shell.desk.options.output != .text {
      shell.desk.show(SessionPage.json(session, path))
    } else {
      shell.desk.show(SessionPage.text(session, path, now: shell.desk.world.now(), columns: shell.desk.wrapColumns))
    }
  }

  /// One turn of this session, else of the last, on whatever branch it is.
  private static func showTurn(_ handle: String, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    if !shell.conversation.isStored { try await shell.resume(nil) }
    guard let turn = try await shell.turn(handle, command: "history show") else { return }
    if asJSON || shell.desk.options.output != .text {
      shell.desk.show(SessionPage.json(turn))
    } else {
      shell.desk.show(SessionPage.text(of: turn, columns: shell.desk.wrapColumns))
    }
  }

  private static func search(_ words: [String], _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let now = shell.desk.world.now()
    let search = try SearchWords(words, now: now)
    guard !search.words.isEmpty else { throw .missing(.words, command: "history search") }
    let limit = 20
    let found = try await shell.fromHistory { history throws(HistoryError) in
      try await history.search(search.words, search.filter, limit: limit + 1)
    }
    let hits = found.prefix(limit)
    shell.desk.show(
      Listing(
        columns: [
          Listing.Column("ID") { "\(String(($0["session"]?.string ?? "").prefix(8)))" },
          Listing.Column("TURN") { "#\($0["turn"]?.int ?? 0)" },
          Listing.Column("AGE") { age(of: $0["createdAt"]?.int ?? now, at: now) },
          Listing.Column("ROLE", "role"), Listing.Column("FOUND", "marked"),
        ], rows: hits.map(SessionPage.json),
        whenEmpty: "nothing found for '\(words.joined(separator: " "))'", wrapsLast: true),
      asJSON: asJSON)
    if found.count > limit {
      shell.desk.say(
        "the best \(limit), and there are more: another word, or since:30d, model:X, role:user, narrows the search")
    }
  }
}

/// Taking up sessions again.
extension Shell {
  /// Stands where a session was left. - Parameter words: nil is the session of the last message.
  package mutating func resume(_ words: String?) async throws(ShellError) {
    let (session, path) = try await session(called: words)
    conversation = Conversation(session, path: path)
    if let system = desk.options.system { conversation.session.systemPrompt = system }
    if let url = session.server?.url, let kept = links.kept.at(url), links.front?.server.url != kept.server.url,
      desk.options.server == nil, desk.world.environment.serverAddress == nil
    {
      try await links.use(server: kept.server.name, &desk)
    }
    let turns: SafeText = path.count == 1 ? "1 turn" : "\(path.count) turns"
    desk.say("resumed \"\(SessionPage.name(session, path))\" (\(turns))")
    if desk.options.isInteractive, let last = path.last {
      desk.show(SessionPage.text(of: last, columns: desk.wrapColumns))
    }
  }

  /// One command from outside has no session of its own: it is about the last one. At a prompt a session is only
  /// taken up by name.
  mutating func takeUpLatest() async throws(ShellError) {
    guard conversation.path.isEmpty, !startedAnew, !desk.options.isInteractive, try await hasSessions() else { return }
    try await resume(nil)
  }

  private mutating func hasSessions() async throws(ShellError) -> Bool {
    try await fromHistory { history throws(HistoryError) in try await history.latest() } != nil
  }

  /// A session and its turns up to where it stands. - Parameter words: nil is this one, else the last.
  mutating func session(called words: String?) async throws(ShellError) -> (Session, [Turn]) {
    if words == nil, conversation.isStored { return (conversation.session, conversation.path) }
    let id = try await sessionID(called: words)
    let found = try await fromHistory { history throws(HistoryError) in
      let session = try await history.session(id)
      guard let session else { return nil as (Session, [Turn])? }
      let path = try await history.path(of: id)
      return (session, path)
    }
    guard let found else { throw .unknown(.session, words ?? "", nearest: []) }
    return found
  }

  private mutating func sessionID(called words: String?) async throws(ShellError) -> SessionID {
    guard let words else {
      let latest = try await fromHistory { history throws(HistoryError) in try await history.latest() }
      guard let latest else { throw .noSessions }
      return latest.id
    }
    switch try await fromHistory({ history throws(HistoryError) in try await history.session(matching: words) }) {
    case .one(let summary): return summary.id
    case .none: throw .unknown(.session, words, nearest: [])
    case .several(let several, let count):
      throw .ambiguous(
        .session, words, matches: several.map { "\($0.id.text.prefix(8)) \($0.name)" }, more: count - several.count)
    }
  }

  /// The turn of a handle such as `#2` or `#-1` in this session; nil when no handle is given.
  mutating func turn(_ handle: String?, command: String) async throws(ShellError) -> Turn? {
    guard let handle else { return nil }
    guard let number = Int(handle.hasPrefix("#") ? String(handle.dropFirst()) : handle) else {
      throw .badNumber(handle, command: command)
    }
    if number < 0 {
      guard number.magnitude <= conversation.path.count else { throw .unknown(.turn, handle, nearest: []) }
      return conversation.path[conversation.path.count + number]
    }
    let session = conversation.session.id
    let turn = try await fromHistory { history throws(HistoryError) in
      try await history.turn(number: number, of: session)
    }
    guard let turn else { throw .unknown(.turn, handle, nearest: []) }
    return turn
  }

  /// Makes the path the one that leads to a turn, so that what comes before it is what is sent; says what is left aside.
  mutating func standBeside(_ turn: Turn) async throws(ShellError) {
    guard turn.isKept else { return }
    if let index = conversation.path.firstIndex(where: { $0.id == turn.id }) {
      let aside = conversation.path.dropFirst(index + 1).map { "#\($0.number)" }
      if !aside.isEmpty {
        let stay = aside.count == 1 ? "stays" : "stay"
        desk.say(
          "\(aside.joined(separator: ", ")) \(stay) in the history on another branch: /history show #N prints one")
      }
      return
    }
    conversation.path = try await fromHistory { history throws(HistoryError) in try await history.path(to: turn.id) }
  }

  /// A turn as it is now: another shell may have gone on with its answer.
  mutating func newest(_ turn: Turn) async throws(ShellError) -> Turn {
    guard turn.isKept else { return turn }
    let found = try await fromHistory { history throws(HistoryError) in try await history.resumeAnswer(of: turn.id) }
    guard case .free(let newest) = found else { throw .beingWritten }
    return newest
  }
}

import Chat
import Store
import Text
import Wire

extension Commands {
  static let history = [historyList, resume]

  private static let historyList = Command(
    "history", .history, summary: "list sessions",
    forms: [
      Form(.optional(.number), summary: "list the last sessions") { shell, match throws(ShellError) in
        try await list(match, &shell)
      },
      Form(.word("archived"), .optional(.number), summary: "list those that are archived") {
        shell, match throws(ShellError) in
        try await list(match, archived: true, &shell)
      },
      Form(.word("show"), .optional(.session), summary: "print a session") { shell, match throws(ShellError) in
        // A title of several words need not be quoted before a turn either.
        if match.values.count > 2, let handle = match.values.last, handle.hasPrefix("#") {
          return try await showTurn(
            handle, of: match.values.dropLast().joined(separator: " "), match.asJSON, &shell)
        }
        try await show(match.values.joined(separator: " "), match.asJSON, &shell)
      },
      Form(.word("show"), .required(.handle), summary: "print one turn, on any branch") {
        shell, match throws(ShellError) in
        try await showTurn(match[0], match.asJSON, &shell)
      },
      Form(.word("show"), .required(.session), .required(.handle), summary: "print one turn of another session") {
        shell, match throws(ShellError) in
        try await showTurn(match[1], of: match[0], match.asJSON, &shell)
      },
      Form(.word("show"), .required(.handle), .required(.sentFile), summary: "print a text that went along") {
        shell, match throws(ShellError) in
        try await showFile(match[1], of: match[0], match.asJSON, &shell)
      },
      Form(.word("search"), .required(.words), summary: "find words in messages and results") {
        shell, match throws(ShellError) in
        let words = match.isSplit ? match.values.flatMap(SearchWords.split) : match.values
        try await search(words, match.asJSON, &shell)
      },
      Form(.word("hit"), .required(.number), summary: "print the turn that a search found") {
        shell, match throws(ShellError) in
        try await showHit(match[0], match.asJSON, &shell)
      },
    ],
    examples: [
      "/history", "/history show capitals", "/history show #2 notes.txt", "/history search connection pool",
      "/history search role:tool since:30d timeout",
      "/history search \"connection pool\" -postgres", "/history hit 2",
    ],
    details: """
      A session is named by the start of its id, its title, or words of its title. What went along with a turn is a \
      line of it; a text is printed by its name behind the turn's number. Words are searched as typed; all must occur \
      in the same message. "two words" is a phrase, begin* finds words that begin so, -word leaves messages with that \
      word out; a dash within a phrase is as typed. model:X, server:Y, session:S, role:user, status:failed, tag:T, since:30d and until:2026-11-27 narrow a search, \
      or stand alone.
      """)

  private static let resume = Command(
    "resume", .history, summary: "go on with an earlier session",
    forms: [Form(.optional(.session)).switching()],
    examples: ["/resume", "/resume capitals", "/resume 3f2a"],
    details: """
      Without a name you choose among the latest: by a number, by words of a title, or by Enter, which takes the newest; \
      Ctrl-C leaves everything as it is. A script takes the session of the last message.
      """, needsPrompt: true
  ) { shell, match throws(ShellError) in
    if match.values.isEmpty, shell.desk.isAtPrompt, shell.desk.options.canType { return try await shell.resumeChosen() }
    return try await shell.resume(match.values.isEmpty ? nil : match.values.joined(separator: " "))
  }

  private static func list(
    _ match: Match, archived: Bool = false, _ shell: inout Shell
  ) async throws(ShellError) {
    let word = match.values.first ?? "20"
    guard let limit = Int(word), limit > 0 else { throw .unexpected(word, command: "history") }
    let (sessions, count) = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      (try await history.recent(limit, archived: archived), try await history.count(archived: archived))
    }
    let traits = shell.desk.world.terminal.traits
    var listing = listing(
      of: sessions, now: shell.desk.world.now(), screen: traits.outputIsTerminal ? traits.columns : nil)
    if archived { listing.whenEmpty = "no session is archived" }
    try await shell.desk.show(listing, asJSON: match.asJSON)
    if count > sessions.count {
      let command: SafeText = archived ? "/history archived" : "/history"
      shell.desk.say(
        "the newest \(sessions.count) of \(count) sessions; "
          + shell.desk.asTyped("\(command) \(count) lists all of them"))
    }
  }

  /// - Parameter screen: the cells of the line that a person reads it on: titles want the room, so that a column that is
  /// empty is left out, and others are cut. nil for who reads it by columns, and finds the same ones each time.
  private static func listing(of sessions: [SessionSummary], now: Int, screen: Int?) -> Listing {
    func cut(_ title: SafeText, _ key: String, to width: Int) -> Listing.Column {
      Listing.Column(title) { Filter.inline($0[key]?.string ?? "", width: screen == nil ? nil : width) }
    }
    let status = Listing.Column("STATUS") { $0["status"]?.string == "complete" ? "" : "\($0["status"]?.string ?? "")" }
    let title = Listing.Column("TITLE", "title")
    let tags = Listing.Column("TAGS") { row in
      let marks = row["pinned"]?.bool == true ? ["pinned"] : []
      let words = (marks + (row["tags"]?.array ?? []).compactMap(\.string)).joined(separator: " ")
      return Filter.inline(words, width: screen == nil ? nil : 16)
    }
    var columns = [
      Listing.Column("ID") { "\(String(($0["id"]?.string ?? "").prefix(8)))" },
      Listing.Column("AGE") { age(of: $0["updatedAt"]?.int ?? now, at: now) },
      Listing.Column("TURNS", "turns"),
    ]
    let hasStatus = screen == nil || sessions.contains { $0.lastStatus ?? .complete != .complete }
    let hasTags = screen == nil || sessions.contains { $0.isPinned || !$0.tags.isEmpty }
    // Where it was had is told where the other columns leave a title its room.
    let room = (screen ?? .max) - (hasStatus ? 11 : 0) - (hasTags ? 10 : 0)
    if room >= 70 { columns.append(cut("MODEL", "model", to: 14)) }
    if room >= 55 { columns.append(cut("SERVER", "server", to: 12)) }
    if hasStatus { columns.append(status) }
    if hasTags, screen != nil { columns.append(tags) }
    columns.append(title)
    if screen == nil { columns.append(tags) }
    return Listing(
      columns: columns,
      rows: sessions.map { session in
        [
          "id": .string(session.id.text), "title": .string(session.name), "createdAt": .int(session.createdAt),
          "updatedAt": .int(session.updatedAt), "turns": .int(session.turns),
          "model": session.model.map(JSON.string) ?? .null, "server": session.server.map(JSON.string) ?? .null,
          "status": session.lastStatus.map { .string($0.rawValue) } ?? .null,
          "tags": .array(session.tags.map(JSON.string)), "pinned": .bool(session.isPinned),
        ]
      },
      whenEmpty: "no sessions yet: type a message")
  }

  private static func show(_ words: String, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let (session, path) = try await shell.talk.session(called: words.isEmpty ? nil : words, shell.desk)
    if asJSON || shell.desk.options.output != .text {
      try shell.desk.write(long: SessionPage.json(session, path))
    } else {
      let head = SessionPage.head(session, path, now: shell.desk.world.now())
      let (columns, look) = (shell.desk.wrapColumns, shell.desk.markdownLook)
      try await shell.desk.show(
        long: LongText {
          [
            AnySequence(CollectionOfOne(head)),
            AnySequence(
              path.lazy.flatMap { SessionPage.pieces(of: $0, in: session, columns: columns, look: look) }),
          ].lazy.joined()
        })
    }
  }

  /// One turn of a session, on whatever branch it is.
  /// - Parameter name: nil is this session, else the last.
  private static func showTurn(
    _ handle: String, of name: String? = nil, _ asJSON: Bool, _ shell: inout Shell
  ) async throws(ShellError) {
    let (session, path) = try await shell.talk.session(called: name, shell.desk)
    let place = Conversation(session, path: path)
    let turn = try await shell.talk.turn(handle, in: place, command: "history show", shell.desk)
    try await show(turn, of: session, asJSON, shell.desk)
  }

  static func show(
    _ turn: Turn, of session: Session, below head: StyledText = [], reasoning: Style? = nil, _ asJSON: Bool,
    _ desk: Desk
  ) async throws(ShellError) {
    if asJSON || desk.options.output != .text {
      try desk.write(long: SessionPage.json(turn))
    } else {
      let (columns, look) = (desk.wrapColumns, desk.markdownLook)
      try await desk.show(
        long: LongText {
          [
            AnySequence(CollectionOfOne(head)),
            AnySequence(
              SessionPage.pieces(of: turn, in: session, columns: columns, look: look, reasoning: reasoning)),
          ].lazy.joined()
        })
    }
  }

  /// What a session shows as one line.
  private static func showFile(
    _ name: String, of handle: String, _ asJSON: Bool, _ shell: inout Shell
  ) async throws(ShellError) {
    let (session, path) = try await shell.talk.session(called: nil, shell.desk)
    let place = Conversation(session, path: path)
    let turn = try await shell.talk.turn(handle, in: place, command: "history show", shell.desk)
    guard let file = turn.files.first(where: { $0.name == name }) ?? turn.files.first(where: { $0.lastName == name })
    else { throw .notSent(name, turn: turn.number, files: turn.files.map(\.name)) }
    guard file.isText else { throw .attachment(file.name, .noText, .given) }
    guard let text = try await shell.talk.reading([file], shell.desk).first?.text else {
      throw .attachment(file.name, .gone, .given)
    }
    if asJSON || shell.desk.options.output != .text {
      var object = SessionPage.json(file)
      object["turn"] = .int(turn.number)
      object["text"] = .string(text)
      shell.desk.show(object)
    } else {
      try await show(asWritten: text, shell.desk)
    }
  }
}

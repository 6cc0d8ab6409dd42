import Chat
import GRDB

extension History {
  /// Stores a message before it is sent: the session when it is new, the turn, its question, and the session's new
  /// head, in one transaction that is on disk when this returns.
  package func ask(_ question: NewTurn) async throws(HistoryError) -> StoredTurn {
    let moment = now()
    return try await change { [recall] db in
      let stored = try Asking(db: db, moment: moment).store(question)
      try recall.tie(to: stored.id, in: db)
      if question.isBeingAsked {
        try Answering(db: db, turn: stored.id, moment: moment).grow(.init(text: "", reasoning: ""))
      }
      return stored
    }
  }

  /// Stores a turn that was asked and answered before, with all that was done in it, in one transaction.
  /// - Parameter moment: when it was asked, in milliseconds since 1970.
  package func keep(
    _ question: NewTurn, steps: [ToolStep], answer: StoredAnswer, at moment: Int
  ) async throws(HistoryError) -> StoredTurn {
    try await change { db in
      let session = question.session.id.text
      let before = try Int.fetchOne(db, sql: "SELECT updated_at FROM session WHERE id = ?", arguments: [session])
      let stored = try Asking(db: db, moment: moment).store(question)
      let answering = Answering(db: db, turn: stored.id, moment: moment)
      for step in steps { _ = try answering.add(step) }
      try answering.finish(answer)
      // Something may have been said since.
      try db.execute(
        sql: "UPDATE session SET updated_at = max(updated_at, ?) WHERE id = ?", arguments: [before ?? moment, session])
      return stored
    }
  }

  /// Saves what there is of an answer, in the background; returns at once, whatever lock another process holds.
  /// Call it about once a second with the whole text so far. An answer that was final becomes unfinished again only
  /// by a text that differs from the stored one, so a `/continue` that brings nothing leaves it as it was.
  package func grow(_ turn: TurnID, text: String, reasoning: String = "") {
    guard growth.put(.init(text: text, reasoning: reasoning), for: turn) else { return }
    let moment = now()
    writer.asyncWriteWithoutTransaction { [growth] db in
      guard let snapshot = growth.take(turn) else { return }
      // A failure is met again, and reported, by `finish`, which saves the whole text.
      try? db.immediately {
        try Answering(db: db, turn: turn, moment: moment).grow(snapshot)
      }
    }
  }

  /// Stores how an answer ended; it is on disk when this returns. `answer` replaces what was saved of this turn, except
  /// by another process that still writes it or whose text this one does not begin with: then it throws
  /// `answeredElsewhere`, and nothing is changed.
  package func finish(_ turn: TurnID, _ answer: StoredAnswer) async throws(HistoryError) {
    _ = growth.take(turn)
    let moment = now()
    try await change { db in try Answering(db: db, turn: turn, moment: moment).finish(answer) }
  }

  /// - Parameter isManual: false for a title made by the program, which never replaces one given by the person.
  package func setTitle(_ title: String?, of session: SessionID, isManual: Bool = true) async throws(HistoryError) {
    try await update(session, isManual ? "title = ?, title_is_manual = 1" : "title = ?", [title?.keepable]) { db in
      guard !isManual else { return true }
      return try
        !(Bool.fetchOne(
          db, sql: "SELECT title_is_manual FROM session WHERE id = ?", arguments: [session.text]) ?? false)
    }
  }

  package func setSystemPrompt(_ prompt: String?, of session: SessionID) async throws(HistoryError) {
    try await update(session, "system_prompt = ?", [prompt])
  }

  /// The model that the session asks, when another has taken the place of the one that its last question named.
  package func setModel(_ model: String, of session: SessionID) async throws(HistoryError) {
    try await update(session, "model = ?", [model])
  }

  /// What the server calls the conversation; nil when it has none of it any more, and of its turns neither.
  package func setRemote(_ name: String?, of session: SessionID) async throws(HistoryError) {
    try await update(session, "remote = ?", [name])
    guard name == nil else { return }
    try await change { db in
      try db.execute(
        sql: """
          UPDATE turn SET remote_question = NULL, remote_answer = NULL
          WHERE session = (SELECT key FROM session WHERE id = ?)
          """, arguments: [session.text])
    }
  }

  /// The sessions with a server that keeps conversations begin anew when they go on: it does not know what it called them
  /// any more.
  /// - Parameter address: where it is from now on.
  package func renewSessions(of url: String, nowAt address: String) async throws(HistoryError) {
    try await change { db in
      try db.execute(
        sql: "UPDATE session SET remote = NULL, server_url = ? WHERE server_url = ?", arguments: [address, url])
    }
  }

  /// Which turn the session goes on from; nil is before its first.
  package func moveHead(of session: SessionID, to turn: TurnID?) async throws(HistoryError) {
    try await update(session, "head = ?", [turn?.key]) { db in
      guard let turn else { return true }
      let owner = try String.fetchOne(
        db, sql: "SELECT id FROM session WHERE key = (SELECT session FROM turn WHERE key = ?)", arguments: [turn.key])
      guard owner == session.text else { throw HistoryError.noTurn }
      return true
    }
  }

  func update(
    _ session: SessionID, _ assignments: String, _ values: [(any DatabaseValueConvertible & Sendable)?],
    when allowed: @escaping @Sendable (Database) throws -> Bool = { _ in true }
  ) async throws(HistoryError) {
    try await change { db in
      guard try allowed(db) else { return }
      try db.execute(
        sql: "UPDATE session SET \(assignments) WHERE id = ?", arguments: StatementArguments(values + [session.text]))
      guard db.changesCount > 0 else { throw HistoryError.noSession(session.text) }
    }
  }
}

/// The rows of a new turn.
private struct Asking {
  let db: Database
  let moment: Int

  func store(_ new: NewTurn) throws -> StoredTurn {
    let text = try question(new.question)
    let row = try Row.fetchOne(
      db, sql: "SELECT key, head FROM session WHERE id = ?", arguments: [new.session.id.text])
    let session: Int64 = try row?.value("key") ?? insert(new.session, opening: text)
    let parent = row == nil ? nil : new.parent
    try requireTurn(parent, in: session)

    let number =
      1
      + (try Int.fetchOne(
        db, sql: "SELECT max(number) FROM turn WHERE session = ? AND number BETWEEN 0 AND ?",
        arguments: [session, Int32.max]) ?? 0)
    let turn = try db.freshTurnKey()
    try db.execute(
      sql: "INSERT INTO turn (key, session, parent, number, created_at) VALUES (?, ?, ?, ?, ?)",
      arguments: [turn, session, parent?.key, number, moment])
    try db.execute(
      sql: "INSERT INTO message (id, turn, position, role, content, created_at) VALUES (?, ?, 0, 'user', ?, ?)",
      arguments: [randomID(), turn, text.keepable, moment])
    if case .copy(let other) = new.question {
      try db.copyFiles(of: other.key, to: turn)
    } else {
      try db.keep(new.files, of: turn)
    }
    try db.execute(
      sql: """
        UPDATE session SET head = ?, updated_at = ?, archived = 0, server_name = ?, server_url = ?, server_kind = ?, model = ?,
          remote = CASE WHEN server_url IS ? THEN remote END
        WHERE key = ?
        """,
      arguments: [
        turn, moment, new.session.server?.name, new.session.server?.url, new.session.server?.kind, new.session.model,
        new.session.server?.url, session,
      ])
    let head = (row?.value("head") as Int64?).map(TurnID.init)
    return StoredTurn(
      id: TurnID(key: turn), number: number, parent: parent, becameBranch: row != nil && head != new.session.head)
  }

  private func question(_ question: NewTurn.Question) throws -> String {
    switch question {
    case .text(let text): return text
    case .copy(let turn):
      let text = try String.fetchOne(
        db, sql: "SELECT content FROM message WHERE turn = ? AND position = 0", arguments: [turn.key])
      guard let text else { throw HistoryError.noTurn }
      return text
    }
  }

  private func requireTurn(_ turn: TurnID?, in session: Int64) throws {
    guard let turn else { return }
    let owner = try Int64.fetchOne(db, sql: "SELECT session FROM turn WHERE key = ?", arguments: [turn.key])
    guard owner == session else { throw HistoryError.noTurn }
  }

  private func insert(_ session: Session, opening: String) throws -> Int64 {
    let values: [(any DatabaseValueConvertible)?] = [
      session.id.text, session.title, session.titleIsManual, FirstWords.of(opening), session.systemPrompt, moment,
      moment, session.isArchived, session.isPinned,
    ]
    try db.execute(
      sql: """
        INSERT INTO session (id, title, title_is_manual, opening, system_prompt, created_at, updated_at, archived, pinned,
          temperature, top_p, max_tokens, seed, stop) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, arguments: StatementArguments(values + session.sampling.databaseValues))
    return db.lastInsertedRowID
  }

}

/// What stands for a title until there is one.
enum FirstWords {
  /// The first words of a message on one line, for lists.
  static func of(_ text: String) -> String {
    var line = ""
    for word in text.unicodeScalars.prefix(2_000).split(whereSeparator: \.properties.isWhitespace) {
      if !line.isEmpty { line += " " }
      line += String(word)
      if line.count >= 120 { break }
    }
    return String(line.prefix(120))
  }
}

import GRDB

extension History {
  /// Removes a session: from text, index and free pages, and from the copies made before upgrades.
  package func forget(_ session: SessionID) async throws(HistoryError) {
    let count = try await forget("id = ?", [session.text])
    guard count > 0 else { throw .noSession(session.text) }
  }

  /// Removes the sessions whose last message is older; gives how many.
  @discardableResult
  package func forget(olderThan milliseconds: Int) async throws(HistoryError) -> Int {
    try await forget("updated_at < ? AND pinned = 0", [milliseconds])
  }

  /// Removes the sessions of a server; gives how many.
  @discardableResult
  package func forgetSessions(of url: String) async throws(HistoryError) -> Int {
    try await forget("server_url = ?", [url])
  }

  /// Removes every session and every line typed.
  package func forgetAll() async throws(HistoryError) {
    try await change { db in try db.execute(sql: "DELETE FROM recall") }
    try await forget("1", [])
  }

  /// Takes a question that was never kept off the list of lines typed.
  package func forgetLines(with question: String) async throws(HistoryError) {
    try await change { db in
      try db.execute(
        sql: "DELETE FROM recall WHERE length(?1) > 0 AND instr(text, ?1) > 0", arguments: [question])
    }
    try await wipe()
  }

  /// Removes a turn; the turns after it follow its parent.
  package func forget(_ turn: TurnID) async throws(HistoryError) {
    try await change { db in
      try db.retireTurnKeys()
      try db.forgetLines(of: "turn.key = ?", [turn.key])
      let session = try Int64.fetchOne(db, sql: "SELECT session FROM turn WHERE key = ?", arguments: [turn.key])
      try db.execute(
        sql: """
          UPDATE turn SET parent = (SELECT parent FROM turn WHERE key = ?1) WHERE parent = ?1;
          """, arguments: [turn.key])
      // What is left out stays left out.
      try db.execute(
        sql: """
          UPDATE turn SET context_end = max(coalesce(turn.context_end, 0), forgotten.mark)
            FROM (SELECT parent, context_end AS mark FROM turn WHERE key = ?) AS forgotten
            WHERE turn.key = forgotten.parent AND forgotten.mark IS NOT NULL
          """, arguments: [turn.key])
      try db.execute(
        sql: "UPDATE session SET head = (SELECT parent FROM turn WHERE key = ?1) WHERE head = ?1", arguments: [turn.key]
      )
      try db.execute(sql: "DELETE FROM turn WHERE key = ?", arguments: [turn.key])
      guard db.changesCount > 0 else { throw HistoryError.noTurn }
      try session.map(db.renewOpening)
      try db.wipeIndex()
    }
    try await wipe()
  }

  @discardableResult
  private func forget(
    _ condition: String, _ values: [any DatabaseValueConvertible & Sendable]
  ) async throws(HistoryError) -> Int {
    let count = try await change { db in
      try db.retireTurnKeys()
      try db.forgetLines(
        of: "turn.session IN (SELECT key FROM session WHERE \(condition))", StatementArguments(values))
      try db.execute(sql: "DELETE FROM session WHERE \(condition)", arguments: StatementArguments(values))
      let count = db.changesCount
      if count > 0 { try db.wipeIndex() }
      return count
    }
    if count > 0 { try await wipe() }
    return count
  }

  /// Takes deleted words out of every file beside the database.
  private func wipe() async throws(HistoryError) {
    let file = path.map(HistoryFile.init)
    try await write { db in
      if try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" {
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      guard let file else { return }
      for backup in file.asides("backup") { file.removeAll(backup) }
      file.removeTemporaries()
    }
    recall.readAnew()
  }

  /// How many sessions `forget(olderThan:)` would remove.
  package func count(olderThan milliseconds: Int) async throws(HistoryError) -> Int {
    try await read { db in
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM session WHERE updated_at < ? AND pinned = 0", arguments: [milliseconds]) ?? 0
    }
  }
}

extension Database {
  /// Takes deleted words out of the index, where deleting leaves them; in the transaction that deletes, so that no end
  /// of the program and no full disk comes between.
  fileprivate func wipeIndex() throws {
    try execute(sql: "INSERT INTO message_index(message_index) VALUES ('optimize')")
  }

  /// Takes what was typed out of the recall list where it became one of these turns' questions and no row says so: a line
  /// that is tied to its turn goes with that.
  fileprivate func forgetLines(of condition: String, _ values: StatementArguments) throws {
    let lines = try UntiedLines(self)
    let delete = try makeStatement(sql: "DELETE FROM recall WHERE key = ?")
    let questions = try String.fetchCursor(
      self,
      sql: """
        SELECT content FROM turn JOIN message ON message.turn = turn.key AND position = 0 WHERE \(condition)
        """, arguments: values)
    while let question = try questions.next() {
      for key in lines.keys(of: question) { try delete.execute(arguments: [key]) }
    }
  }

  /// What stands for a title is of the first question that is left, and so is a title that no person gave.
  fileprivate func renewOpening(_ session: Int64) throws {
    let first = try String.fetchOne(
      self,
      sql: """
        SELECT content FROM turn JOIN message ON message.turn = turn.key AND position = 0 WHERE session = ?
          ORDER BY turn.number LIMIT 1
        """, arguments: [session])
    try execute(
      sql: "UPDATE session SET opening = ?, title = CASE WHEN title_is_manual THEN title END WHERE key = ?",
      arguments: [FirstWords.of(first ?? ""), session])
  }

  /// SQLite would give a new turn the key of one just forgotten, and a process that still answers that one, perhaps
  /// waiting for a tool, would write into the new one.
  fileprivate func retireTurnKeys() throws {
    try execute(
      sql: """
        INSERT INTO meta (name, value) SELECT 'last_turn', coalesce(max(key), 0) FROM turn WHERE key < ?1
          ON CONFLICT (name) DO UPDATE SET value = max(CASE WHEN value < ?1 THEN value ELSE 0 END, excluded.value)
        """, arguments: [Self.endOfTurnKeys])
  }

  /// No history comes to as many turns. What stands beyond is damage, and behind the last of all numbers there is none.
  private static let endOfTurnKeys = Int64(1) << 53

  /// Larger than that of every turn there is or was.
  func freshTurnKey() throws -> Int64 {
    try Int64.fetchOne(
      self,
      sql: """
        SELECT 1 + max(coalesce((SELECT max(key) FROM turn WHERE key < ?1), 0),
          coalesce((SELECT value FROM meta WHERE name = 'last_turn' AND value < ?1), 0))
        """, arguments: [Self.endOfTurnKeys]) ?? 1
  }
}

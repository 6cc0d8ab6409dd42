import GRDB
import GRDBSQLite

extension History {
  /// Removes a session: from text, index and free pages, from the list of lines typed, and from the copies beside the
  /// history.
  @discardableResult
  package func forget(_ session: SessionID) async throws(HistoryError) -> Forgotten {
    let forgotten = try await forget("id = ?", [session.text])
    guard forgotten.sessions > 0 else { throw .noSession(session.text) }
    return forgotten
  }

  /// Removes the sessions whose last message is older.
  @discardableResult
  package func forget(olderThan milliseconds: Int) async throws(HistoryError) -> Forgotten {
    try await forget("updated_at < ? AND pinned = 0", [milliseconds])
  }

  /// Removes the sessions of a server.
  @discardableResult
  package func forgetSessions(of url: String) async throws(HistoryError) -> Forgotten {
    try await forget("server_url = ?", [url])
  }

  /// Empties the file as a whole, and removes the copies beside the history and what was set aside as damaged.
  @discardableResult
  package func forgetAll() async throws(HistoryError) -> Forgotten {
    let (file, now) = (path.map(HistoryFile.init), now())
    defer { recall.readAnew() }
    return try await write { db in
      let lock = try file?.lockCopies()
      defer { lock?.release() }
      file?.removeTemporaries()
      var forgotten = file?.forgetAllAsides() ?? Forgotten()
      try db.replaceWithEmptyHistory(now: now)
      do throws(HistoryError) { try db.emptyLog() } catch { forgotten.logError = error }
      return forgotten
    }
  }

  /// Removes a turn; the turns after it follow its parent.
  @discardableResult
  package func forget(_ turn: TurnID) async throws(HistoryError) -> Forgotten {
    try await forget { db in
      let message = try String.fetchOne(
        db, sql: "SELECT id FROM message WHERE turn = ? ORDER BY position LIMIT 1", arguments: [turn.key])
      guard let message else { throw HistoryError.noTurn }
      return .turn(message: message)
    }
  }

  /// Takes a question that was never kept off the list of lines typed.
  package func forgetLines(with question: String) async throws(HistoryError) {
    let file = path.map(HistoryFile.init)
    defer { recall.readAnew() }
    try await write { db in
      let lock = try file?.lockCopies()
      defer { lock?.release() }
      let lines = try UntiedLines(db).lines(of: question)
      guard !lines.isEmpty else { return }
      _ = file?.forgetInCopies(.sessions([]), lines)
      try db.immediately { _ = try db.forget(.sessions([]), lines) }
      try db.emptyLog()
    }
  }

  private func forget(
    _ condition: String, _ values: [any DatabaseValueConvertible & Sendable]
  ) async throws(HistoryError) -> Forgotten {
    try await forget { db in
      .sessions(
        try String.fetchAll(
          db, sql: "SELECT id FROM session WHERE \(condition)", arguments: StatementArguments(values)))
    }
  }

  private func forget(
    _ find: @escaping @Sendable (Database) throws -> Doomed
  ) async throws(HistoryError) -> Forgotten {
    let file = path.map(HistoryFile.init)
    defer { recall.readAnew() }
    return try await write { db in
      let lock = try file?.lockCopies()
      defer { lock?.release() }
      file?.removeTemporaries()
      var forgotten = Forgotten()
      let doomed = try find(db)
      guard !doomed.ids.isEmpty else { return forgotten }
      // The copies come first: who is stopped in between finds it in the history, and can forget it again.
      if let file { forgotten = file.forgetInCopies(doomed, try db.lines(of: doomed)) }
      forgotten.sessions = try db.immediately {
        try db.retireTurnKeys()
        // Another shell may have gone on with one meanwhile.
        let doomed = try find(db)
        return try db.forget(doomed, db.lines(of: doomed))
      }
      do throws(HistoryError) { try db.emptyLog() } catch { forgotten.logError = error }
      return forgotten
    }
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
  /// Removes sessions or a turn, and these lines, from the history or a copy of it, of whatever version; gives how many
  /// sessions there were.
  @discardableResult
  func forget(_ doomed: Doomed, _ lines: [TypedLine]) throws -> Int {
    let before = totalChangesCount
    let deleteLine = try makeStatement(sql: "DELETE FROM recall WHERE key = ? AND text = ?")
    for line in lines { try deleteLine.execute(arguments: [line.key, line.text]) }
    var count = 0
    switch doomed {
    case .sessions(let ids):
      let delete = try makeStatement(sql: "DELETE FROM session WHERE id = ?")
      for id in ids {
        try delete.execute(arguments: [id])
        count += changesCount
      }
    case .turn(let message):
      let turn = try Int64.fetchOne(self, sql: "SELECT turn FROM message WHERE id = ?", arguments: [message])
      try turn.map(forgetTurn)
    }
    if totalChangesCount > before { try wipeIndex() }
    return count
  }

  /// Writes an empty history over all pages of the file, in one transaction. Deleting rows would leave what other programs
  /// put elsewhere: rows, columns and indexes that are not ours, statistics, pages that hold nothing any more.
  fileprivate func replaceWithEmptyHistory(now: Int) throws {
    let pageSize = try Int.fetchOne(self, sql: "PRAGMA page_size") ?? 4096
    // Another process may start turns before the copy and write to them afterwards.
    let lastTurn = try freshTurnKey() + 1000
    let empty = try DatabaseConnection.memory()
    try empty.inDatabase { empty in
      try empty.execute(sql: "PRAGMA page_size = \(pageSize)")
      try Upgrade.run(Schema.migrations, on: empty, now: now)
      try empty.execute(sql: "INSERT INTO meta (name, value) VALUES ('last_turn', ?)", arguments: [lastTurn])
      try overwrite(with: empty)
    }
  }

  private func overwrite(with source: Database) throws {
    let backup = sqlite3_backup_init(sqliteConnection, "main", source.sqliteConnection, "main")
    var code = sqlite3_errcode(sqliteConnection)
    if backup != nil {
      // According to its documentation, `sqlite3_backup_finish` does not report that a step found the file locked.
      let step = sqlite3_backup_step(backup, -1)
      let end = sqlite3_backup_finish(backup)
      code = step == SQLITE_DONE ? end : step
    }
    guard code == SQLITE_OK else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: sqlite3_errmsg(sqliteConnection).map { String(cString: $0) })
    }
    clearSchemaCache()
  }

  /// Throws where the schema has parts that this program does not create, and that can block or change what it does.
  func requireHarmlessSchema() throws {
    let problems = try SchemaCheck(self).harmfulProblems
    guard problems.isEmpty else { throw HistoryError.strangeSchema(problems) }
  }

  private func forgetTurn(_ turn: Int64) throws {
    let session = try Int64.fetchOne(self, sql: "SELECT session FROM turn WHERE key = ?", arguments: [turn])
    try execute(
      sql: "UPDATE turn SET parent = (SELECT parent FROM turn WHERE key = ?1) WHERE parent = ?1", arguments: [turn])
    if try columns(in: "turn").contains(where: { $0.name == "context_end" }) {
      // What is left out stays left out.
      try execute(
        sql: """
          UPDATE turn SET context_end = max(coalesce(turn.context_end, 0), forgotten.mark)
            FROM (SELECT parent, context_end AS mark FROM turn WHERE key = ?) AS forgotten
            WHERE turn.key = forgotten.parent AND forgotten.mark IS NOT NULL
          """, arguments: [turn])
    }
    try execute(
      sql: "UPDATE session SET head = (SELECT parent FROM turn WHERE key = ?1) WHERE head = ?1", arguments: [turn])
    try execute(sql: "DELETE FROM turn WHERE key = ?", arguments: [turn])
    try session.map(renewOpening)
  }

  /// Takes deleted words out of the index, where deleting leaves them; in the transaction that deletes, so that no end
  /// of the program and no full disk comes between.
  fileprivate func wipeIndex() throws {
    try execute(sql: "INSERT INTO message_index(message_index) VALUES ('optimize')")
  }

  /// Empties the log of changes beside the file, which still contains what was deleted before.
  func emptyLog() throws(HistoryError) {
    do {
      guard try String.fetchOne(self, sql: "PRAGMA journal_mode") == "wal" else { return }
      // If a reader blocks the checkpoint, SQLite returns no error but 1 in the first column.
      if try Int.fetchOne(self, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0 { return }
    } catch let error as DatabaseError where ![.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
      throw .deletedTextInLog(reason: error.message ?? "SQLite error \(error.extendedResultCode.rawValue)")
    } catch {}  // a reader or a writer is in the way
    throw .deletedTextInLog(reason: "another program is using the history")
  }

  /// The lines typed that became what is to be forgotten.
  func lines(of doomed: Doomed) throws -> [TypedLine] {
    let untied = try UntiedLines(self)
    let tied =
      try hasTiedLines
      ? makeStatement(
        sql: "SELECT recall.key, text FROM turn JOIN recall ON recall.turn = turn.key WHERE \(doomed.turns)") : nil
    let questions = try makeStatement(
      sql: "SELECT content FROM turn JOIN message ON message.turn = turn.key AND position = 0 WHERE \(doomed.turns)")
    var lines: [TypedLine] = []
    for id in doomed.ids {
      if let tied { lines += try Row.fetchAll(tied, arguments: [id]).compactMap(TypedLine.init) }
      let contents = try String.fetchCursor(questions, arguments: [id])
      while let content = try contents.next() { lines += untied.lines(of: content) }
    }
    return lines
  }

  /// What stands for a title is of the first question that is left, and so is a title that no person gave.
  private func renewOpening(_ session: Int64) throws {
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

import GRDB

/// Copies rows from a database that may be damaged, or of another version, into a new one. Tables are read in the
/// order of their rows and never through an index, for each is a separate chance to be damaged.
struct RowCopy {
  let source: DatabaseQueue
  let target: DatabaseQueue

  private static let tables = ["session", "turn", "message", "attached_bytes", "attachment", "tag", "recall"]

  init(from source: DatabaseQueue, to target: DatabaseQueue) {
    self.source = source
    self.target = target
  }

  /// Copies what can be read and the target does not have yet; gives the number of new rows by table.
  func copy() throws -> [String: Int] {
    try source.inDatabase { source in
      try target.inDatabase { target in
        // A row may point at one that is lost; that is mended afterwards.
        try target.execute(sql: "PRAGMA foreign_keys = OFF")
        defer { try? target.execute(sql: "PRAGMA foreign_keys = ON") }
        var counts: [String: Int] = [:]
        try target.immediately {
          for table in RowCopy.tables { counts[table] = try copy(table, from: source, to: target) }
          try mend(target)
        }
        return counts
      }
    }
  }

  private func copy(_ table: String, from source: Database, to target: Database) throws -> Int {
    let wanted = Set(try target.columns(in: table).map(\.name))
    guard let columns = try? storedColumns(of: table, in: source).filter(wanted.contains), columns.contains("key")
    else { return 0 }  // the old table cannot be read at all
    let list = columns.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try target.makeStatement(sql: "INSERT OR IGNORE INTO \(table) (\(list)) VALUES (\(marks))")
    var copied = 0
    func keep(_ row: Row) throws {
      do {
        try insert.execute(arguments: StatementArguments(Array(row.databaseValues)))
      } catch let error as DatabaseError where [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode) {
        return  // a row that does not satisfy the new table's rules is damage too
      }
      copied += target.changesCount
    }
    let select = "SELECT \(list) FROM \(table) NOT INDEXED"
    guard let last = try scan(select + " ORDER BY key", in: source, each: keep) else { return copied }
    guard let first = try scan(select + " ORDER BY key DESC", in: source, each: keep) else { return copied }
    // Between the damaged page met from the front and the one met from behind, row by row; when the last page is
    // damaged too, the end is not known.
    guard let one = try? source.makeStatement(sql: select + " WHERE key = ?") else { return copied }
    func key(behind count: Int64) -> Int64 {
      let (key, isBeyond) = last.addingReportingOverflow(count)
      return isBeyond ? .max : key
    }
    for key in key(behind: 1)..<(first > last ? min(first, key(behind: 100_000)) : key(behind: 2_000)) {
      // A row on a damaged page; the next may be on another.
      guard let row = try? Row.fetchOne(one, arguments: [key]) else { continue }
      try keep(row)
    }
    return copied
  }

  /// None for a view or a virtual table, and no generated columns: reading what they compute might never end.
  private func storedColumns(of table: String, in source: Database) throws -> [String] {
    try String.fetchAll(
      source,
      sql: """
        SELECT name FROM pragma_table_info(?1)
        WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0)
        """, arguments: [table])
  }

  /// Reads until the end or until damage; gives the last key read before damage, nil when all was read.
  private func scan(_ sql: String, in source: Database, each: (Row) throws -> Void) throws -> Int64? {
    var last: Int64 = 0
    let cursor: RowCursor
    do { cursor = try Row.fetchCursor(source, sql: sql) } catch { return last }
    while true {
      let row: Row?
      do { row = try cursor.next() } catch { return last }
      guard let row else { return nil }
      last = row.value("key") ?? last
      try each(row)
    }
  }

  /// Gives every row that was saved without the one it belongs to a place.
  private func mend(_ db: Database) throws {
    try db.execute(
      sql: """
        -- Rows of another table's page: what they name is no row, and none can be made for it.
        DELETE FROM turn WHERE typeof(session) <> 'integer';
        DELETE FROM message WHERE typeof(turn) <> 'integer';
        INSERT INTO session (key, id, created_at, updated_at)
          SELECT session, lower(hex(randomblob(16))), min(created_at), max(created_at) FROM turn
          WHERE session NOT IN (SELECT key FROM session) GROUP BY session;
        """)
    let homeless = try Row.fetchAll(
      db,
      sql: """
        SELECT turn, min(created_at) AS created_at FROM message
        WHERE turn NOT IN (SELECT key FROM turn) GROUP BY turn ORDER BY turn
        """)
    if let first = homeless.first {
      let moment = first.moment("created_at")
      try db.execute(
        sql: "INSERT INTO session (id, created_at, updated_at) VALUES (?, ?, ?)",
        arguments: [randomID(), moment, moment])
      let session = db.lastInsertedRowID
      var parent: Int64?
      for (index, row) in homeless.enumerated() {
        let key: Int64 = row.value("turn") ?? 0
        try db.execute(
          sql: "INSERT INTO turn (key, session, parent, number, created_at) VALUES (?, ?, ?, ?, ?)",
          arguments: [key, session, parent, index + 1, row.moment("created_at")])
        parent = key
      }
    }
    try db.execute(
      sql: """
        DELETE FROM attachment WHERE turn NOT IN (SELECT key FROM turn)
          OR digest NOT IN (SELECT digest FROM attached_bytes);
        DELETE FROM tag WHERE session NOT IN (SELECT key FROM session);
        UPDATE recall SET turn = NULL WHERE turn NOT IN (SELECT key FROM turn);
        DELETE FROM attached_bytes WHERE digest NOT IN (SELECT digest FROM attachment);
        UPDATE turn SET parent = NULL WHERE parent IS NOT NULL AND parent NOT IN (SELECT key FROM turn);
        UPDATE session SET head = (SELECT max(turn.key) FROM turn WHERE turn.session = session.key)
          WHERE head IS NULL OR head NOT IN (SELECT key FROM turn);
        UPDATE session SET opening = coalesce((SELECT substr(content, 1, 120) FROM message JOIN turn ON turn.key = message.turn
          WHERE turn.session = session.key AND position = 0 ORDER BY turn.key LIMIT 1), '') WHERE opening = '';
        """)
  }
}

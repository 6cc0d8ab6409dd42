import GRDB

/// A session as Tab finds it.
package struct SessionName: Sendable {
  package var id: String
  package var title: String
  package var updatedAt: Int
  package var turns: Int

  package init(id: String, title: String, updatedAt: Int = 0, turns: Int = 1) {
    self.id = id
    self.title = title
    self.updatedAt = updatedAt
    self.turns = turns
  }
}

/// Sessions, newest first, and how many more there are.
package struct SessionNames: Sendable {
  package var found: [SessionName]
  package var more: Int

  package init(_ found: [SessionName] = [], more: Int = 0) {
    self.found = found
    self.more = more
  }
}

extension History {
  /// Words that sessions have, with how many have each, for completion: without waiting, and none when they cannot be read.
  package static func tags(at path: String) -> [(word: String, sessions: Int)] {
    (try? reading(path) { db in try db.tags() }) ?? []
  }

  /// Reads from another connection than a history's, for a moment.
  static func reading<T>(_ path: String, _ body: (Database) throws -> T) throws -> T? {
    let file = HistoryFile(path)
    guard file.size() ?? 0 > 0 else { return nil }
    try file.requireTrusted()
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(0.05)
    return try DatabaseQueue(path: path, configuration: configuration).read { db in
      try db.requireHarmlessSchema()
      return try body(db)
    }
  }

  /// The sessions whose title has a text in it, for completion: without waiting, and none when they cannot be read. When
  /// no title has it, the newest of all.
  package static func names(at path: String, containing typed: String, limit: Int = 500) -> SessionNames {
    // Tab has no place to say why nothing is offered.
    (try? reading(path) { db in
      let found = try db.sessionNames(containing: typed, limit)
      guard found.found.isEmpty, !typed.isEmpty else { return found }
      // For letters in order, which are sought among the newest: how many more of them there are nobody knows.
      return SessionNames(try db.sessionNames(containing: "", limit).found)
    }) ?? SessionNames()
  }
}

extension Database {
  fileprivate func sessionNames(containing typed: String, _ limit: Int) throws -> SessionNames {
    let matching = """
       FROM session WHERE archived = 0
      AND (?1 = '' OR instr(lower(coalesce(title, opening)), lower(?1)) > 0 OR substr(id, 1, length(?1)) = ?1)
      """
    let rows = try Row.fetchAll(
      self,
      sql: """
        SELECT id, coalesce(title, opening) AS name, updated_at,
          (SELECT count(*) FROM turn WHERE turn.session = session.key) AS turns
        """ + matching + " ORDER BY updated_at DESC, key DESC LIMIT ?2",
      arguments: [typed, limit])
    let count =
      rows.count < limit
      ? rows.count : try Int.fetchOne(self, sql: "SELECT count(*)" + matching, arguments: [typed]) ?? 0
    return SessionNames(
      rows.map { row in
        SessionName(
          id: row.value("id") ?? "", title: row.value("name") ?? "", updatedAt: row.value("updated_at") ?? 0,
          turns: row.value("turns") ?? 0)
      }, more: count - rows.count)
  }
}

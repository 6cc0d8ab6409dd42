import GRDB

/// Compares the schema of a history with the one that this program creates for the same version. SQLite calls a file sound
/// whatever its schema says, but triggers, constraints and indexes on expressions run with each write: they can fail, copy
/// text elsewhere or never end.
struct SchemaCheck {
  /// The parts of the schema that this program creates, in the order of their creation.
  private let expected: [Part]
  private let found: Set<Part>
  /// The parts in the file that this program does not create, or creates with another text.
  private let strange: [Part]

  fileprivate struct Part: Hashable {
    /// Such as `trigger`.
    let kind: String
    let name: String
    let table: String
    let sql: String
  }

  /// - Parameter db: of this or an earlier version. Nothing is known about the schema of a later one: it has no problems.
  init(_ db: Database) throws {
    let version = try Upgrade.version(of: db)
    guard version <= Self.newest else {
      (expected, found, strange) = ([], [], [])
      return
    }
    let parts = try Self.parts(of: db)
    let expected = try version == Self.newest ? Self.newestParts.get() : Self.parts(version: version)
    self.expected = expected
    found = Set(parts)
    strange = parts.filter { !expected.contains($0) }
  }

  /// Each difference, such as `unknown index evil`, `changed table meta` and `missing trigger message_added`.
  var problems: [String] { problems(strange) + missing.map { "missing \($0.kind) \($0.name)" } }

  /// The differences that can block, slow down or change what a statement does. An unknown table can only if it refers to
  /// another: its rows then keep those of the other from being deleted.
  var harmfulProblems: [String] {
    problems(strange.filter { $0.kind != "table" || isChanged($0) || $0.sql.lowercased().contains("references") })
  }

  /// Removes what is strange and creates what is missing, except tables: their rows may be all that there is. To be called
  /// in a transaction, and followed by a rebuild of the search index.
  func repair(_ db: Database) throws {
    for part in strange where part.kind != "table" {
      try db.execute(sql: "DROP \(part.kind) IF EXISTS \(part.quotedName)")
    }
    let isIndexDamaged = expected.contains { $0.isOfSearchIndex && !found.contains($0) }
    if isIndexDamaged { try db.execute(sql: "DROP TABLE IF EXISTS message_index") }
    for part in expected {
      let isGone = part.name == "message_index" ? isIndexDamaged : part.kind != "table" && !found.contains(part)
      if isGone { try db.execute(sql: part.sql) }
    }
  }

  private var missing: [Part] {
    expected.filter { part in !found.contains(part) && !strange.contains { $0.hasName(of: part) } }
  }

  private func isChanged(_ part: Part) -> Bool { expected.contains { $0.hasName(of: part) } }

  private func problems(_ parts: [Part]) -> [String] {
    parts.map { "\(isChanged($0) ? "changed" : "unknown") \($0.kind) \($0.name)" }
  }

  private static let newest = Schema.migrations.last?.version ?? 0
  /// Kept, because each opening and each completion compares with it.
  private static let newestParts = Result { try parts(version: newest) }

  private static func parts(version: Int) throws -> [Part] {
    try DatabaseConnection.memory().inDatabase { db in
      try Upgrade.run(Schema.migrations.filter { $0.version <= version }, on: db, now: 0)
      return try parts(of: db)
    }
  }

  /// All but what SQLite creates by itself: the indexes of constraints, which have no text, and tables of its own.
  private static func parts(of db: Database) throws -> [Part] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL
          AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat3', 'sqlite_stat4'))
          ORDER BY rowid
        """
    ).map { row in
      Part(
        kind: row.value("type") ?? "", name: row.value("name") ?? "", table: row.value("tbl_name") ?? "",
        sql: row.value("sql") ?? "")
    }
  }
}

extension SchemaCheck.Part {
  /// As SQL has a name that may hold anything. GRDB's own quoting leaves quotes in it as they are.
  fileprivate var quotedName: String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// Whether this is the search index or one of the tables in which FTS5 keeps it.
  fileprivate var isOfSearchIndex: Bool { kind == "table" && name.hasPrefix("message_index") }

  /// Whether both have the same kind and name. SQLite ignores case in names.
  fileprivate func hasName(of other: Self) -> Bool {
    kind == other.kind && name.lowercased() == other.name.lowercased()
  }
}

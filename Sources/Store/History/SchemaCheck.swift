import GRDB

/// Whether the schema reads as this program writes it. To SQLite a letter that has changed within a trigger is no damage: the
/// file is sound, and every write fails.
struct SchemaCheck {
  /// What reads otherwise, or is not there.
  let changed: [Part]

  struct Part {
    /// Such as `TRIGGER`.
    let kind: String
    let name: String
    let sql: String
  }

  /// - Parameter db: of this or an earlier version; of a later one nothing is known.
  init(_ db: Database) throws {
    let version = try Upgrade.version(of: db)
    guard version <= Schema.migrations.last?.version ?? 0 else {
      changed = []
      return
    }
    let model = try DatabaseConnection.memory()
    let wanted = try model.inDatabase { model in
      try Upgrade.run(Schema.migrations.filter { $0.version <= version }, on: model, now: 0)
      return try Self.parts(of: model)
    }
    let found = Dictionary(try Self.parts(of: db).map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    changed = wanted.filter { found[$0.name] != $0.sql }
  }

  /// Puts back what has changed; in a transaction.
  func mend(_ db: Database) throws {
    for part in changed {
      try db.execute(sql: "DROP \(part.kind) IF EXISTS \(part.name); \(part.sql)")
    }
  }

  /// Those whose text SQLite keeps as it was written: that of a table changes when columns are added, unless it is the search
  /// index.
  private static func parts(of db: Database) throws -> [Part] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT upper(type) AS kind, name, sql FROM sqlite_schema
        WHERE (type IN ('trigger', 'view', 'index') OR name = 'message_index') AND sql IS NOT NULL ORDER BY rowid
        """
    ).map { row in Part(kind: row.value("kind") ?? "", name: row.value("name") ?? "", sql: row.value("sql") ?? "") }
  }
}

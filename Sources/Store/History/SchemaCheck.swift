import Foundation
import GRDB

/// Whether the schema reads as this program writes it. To SQLite a letter that has changed within a trigger is no damage: the
/// file is sound, and every write fails. A trigger that another program added runs with each write, and a view can be endless.
struct SchemaCheck {
  /// What reads otherwise, or is not there.
  let changed: [Part]
  /// Triggers, views and tables that this program does not make.
  let unknown: [Part]

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
      (changed, unknown) = ([], [])
      return
    }
    let model = try DatabaseConnection.memory()
    let wanted = try model.inDatabase { model in
      try Upgrade.run(Schema.migrations.filter { $0.version <= version }, on: model, now: 0)
      return try Self.parts(of: model)
    }
    let found = try Self.parts(of: db)
    let texts = Dictionary(found.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    changed = wanted.filter { $0.isKeptAsWritten && texts[$0.name] != $0.sql }
    let names = Set(wanted.map(\.name))
    unknown = found.filter { $0.kind != "INDEX" && !names.contains($0.name) }
  }

  /// Each fault in words.
  var problems: [String] {
    changed.map { "the \($0.kind.lowercased()) \($0.name) is not as it was made" }
      + unknown.map { "unknown \($0.kind.lowercased()) \($0.name)" }
  }

  /// Puts back what has changed, and removes what can run; in a transaction. Unknown tables stay: they may hold what somebody
  /// wants.
  func mend(_ db: Database) throws {
    for part in unknown where part.canRun {
      try db.execute(sql: "DROP \(part.kind) IF EXISTS \(part.quotedName)")
    }
    for part in changed {
      try db.execute(sql: "DROP \(part.kind) IF EXISTS \(part.name); \(part.sql)")
    }
  }

  /// The triggers and views that no version of this program has made as they are, in words. It is quick, and asked before
  /// anything is done with a file.
  static func problemsOfWhatRuns(_ db: Database) throws -> [String] {
    let strange = try parts(of: db).filter { $0.canRun && !everMade.contains($0.sql) }
    guard !strange.isEmpty else { return [] }
    let names = Set(strange.map(\.name))
    let check = try SchemaCheck(db)
    return SchemaCheck(
      changed: check.changed.filter { names.contains($0.name) }, unknown: check.unknown.filter(\.canRun)
    ).problems
  }

  private init(changed: [Part], unknown: [Part]) {
    self.changed = changed
    self.unknown = unknown
  }

  /// The text of each trigger and view of each version, as SQLite keeps it.
  private static let everMade: Set<String> = {
    var texts: Set<String> = []
    for migration in Schema.migrations {
      for (beginning, end) in [("CREATE TRIGGER ", "\nEND"), ("CREATE VIEW ", ";")] {
        var rest = migration.sql[...]
        while let start = rest.range(of: beginning)?.lowerBound, let found = rest[start...].range(of: end) {
          // SQLite keeps the END, and not the semicolon.
          texts.insert(String(rest[start..<(end == ";" ? found.lowerBound : found.upperBound)]))
          rest = rest[found.upperBound...]
        }
      }
    }
    return texts
  }()

  private static func parts(of db: Database) throws -> [Part] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT upper(type) AS kind, name, sql FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql IS NOT NULL ORDER BY rowid
        """
    ).map { row in Part(kind: row.value("kind") ?? "", name: row.value("name") ?? "", sql: row.value("sql") ?? "") }
  }
}

extension SchemaCheck.Part {
  /// As SQL has a name that may hold anything. GRDB's own quoting leaves quotes in it as they are.
  var quotedName: String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// Whether another statement can have it run.
  var canRun: Bool { kind == "TRIGGER" || kind == "VIEW" }

  /// Whether SQLite keeps the text as it was written: that of a table changes when columns are added, unless it is the search
  /// index.
  fileprivate var isKeptAsWritten: Bool { kind != "TABLE" || name == "message_index" }
}

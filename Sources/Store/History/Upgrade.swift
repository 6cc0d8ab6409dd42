import GRDB

/// Brings a database to the newest schema.
enum Upgrade {
  static func version(of db: Database) throws -> Int { try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 }

  /// Each step is one transaction. Two processes may start at once: the version is read again under the lock.
  static func run(_ migrations: [Migration], on db: Database, now: Int) throws {
    let start = try version(of: db)
    for migration in migrations where migration.version > start {
      try db.immediately {
        guard try version(of: db) < migration.version else { return }
        try db.execute(sql: migration.sql)
        if migration.version == 1 {
          try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
          try db.execute(sql: "INSERT INTO meta(name, value) VALUES ('checked_at', ?)", arguments: [now])
        }
        try db.execute(sql: "PRAGMA user_version = \(migration.version)")
      }
    }
  }
}

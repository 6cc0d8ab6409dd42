import GRDB
import Glibc

/// How every connection to a history is opened.
enum DatabaseConnection {
  /// How long a statement waits for another process's lock, in seconds.
  static let patience = 10

  /// - Parameter writes: false gives a connection that can roll a crashed process's journal back, but changes nothing.
  static func open(_ path: String, writes: Bool, journal: JournalMode) throws -> DatabaseQueue {
    var configuration = common()
    configuration.label = writes ? "history.writer" : "history.reader"
    configuration.prepareDatabase { db in
      try guardAgainstDamage(db)
      if writes { try journal.apply(to: db) } else { try db.execute(sql: "PRAGMA query_only = ON") }
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// A connection that leaves even a crashed process's journal alone.
  static func openReadOnly(_ path: String) throws -> DatabaseQueue {
    var configuration = common()
    configuration.readonly = true
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// A database that is being built where nobody looks yet: no journal file is left beside it.
  static func build(_ path: String) throws -> DatabaseQueue {
    var configuration = common()
    configuration.prepareDatabase { db in
      try guardAgainstDamage(db)
      try db.execute(sql: "PRAGMA journal_mode = MEMORY")
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// A copy of a history, to be changed where it is; no journal file stays beside it.
  static func openCopy(_ path: String) throws -> DatabaseQueue {
    var configuration = common()
    configuration.prepareDatabase { db in
      try guardAgainstDamage(db)
      try db.execute(sql: "PRAGMA journal_mode = DELETE")
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  static func memory() throws -> DatabaseQueue {
    var configuration = common()
    configuration.prepareDatabase(guardAgainstDamage)
    return try DatabaseQueue(configuration: configuration)
  }

  private static func common() -> Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .callback { tries in
      // SQLite's own waiting grows to 100 ms and starves one of many writers; short random naps share fairly.
      guard tries < patience * 50 else { return false }
      usleep(tries < 10 ? .random(in: 500...4_000) : .random(in: 10_000...30_000))
      return true
    }
    return configuration
  }

  @Sendable private static func guardAgainstDamage(_ db: Database) throws {
    // Not trusted_schema = OFF: to SQLite 3.40 the search index is then "unsafe use of virtual table" in our own triggers.
    try db.execute(
      sql: """
        PRAGMA cell_size_check = ON;
        PRAGMA secure_delete = ON;
        PRAGMA temp_store = MEMORY;
        PRAGMA mmap_size = 0;
        PRAGMA synchronous = FULL;
        """)
  }
}

/// How a transaction is made safe from a crash.
enum JournalMode: String {
  case wal = "WAL"
  case truncate = "TRUNCATE"

  /// WAL only where SQLite's WAL-reset race is fixed (3.51.3, 3.50.7, 3.44.6; 3.52.0 was withdrawn) and the file
  /// system is local. A database that two processes write and checkpoint at once can be corrupted by earlier ones.
  init(sqliteVersion version: String, isRemote: Bool) {
    let parts = version.split(separator: ".").map { Int($0) ?? 0 } + [0, 0, 0]
    let (minor, patch) = (parts[1], parts[2])
    let isFixed =
      switch (parts[0], minor) {
      case (3, 44): patch >= 6
      case (3, 50): patch >= 7
      case (3, 51): patch >= 3
      case (3, 52): patch >= 1
      default: parts[0] > 3 || parts[0] == 3 && minor > 52
      }
    self = isFixed && !isRemote ? .wal : .truncate
  }

  func apply(to db: Database) throws {
    let present = try String.fetchOne(db, sql: "PRAGMA journal_mode")
    guard present?.uppercased() != rawValue else { return }
    if self == .wal || present == "wal" {
      do {
        try db.execute(sql: "PRAGMA journal_mode = \(rawValue)")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        // It needs the file for itself: while others have it open the present mode is kept.
      }
    } else {
      try db.execute(sql: "PRAGMA journal_mode = \(rawValue)")
    }
  }
}

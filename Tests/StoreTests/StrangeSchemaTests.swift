import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

private func run(_ sql: String, on path: String) throws {
  let queue = try DatabaseQueue(path: path)
  try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
  try queue.close()
}

@Suite struct StrangeSchemaTests {
  @Test(arguments: [
    (
      "CREATE TRIGGER evil AFTER INSERT ON message BEGIN INSERT INTO recall (text, created_at) VALUES (new.content, 0); END",
      "unknown trigger evil"
    ),
    (
      "CREATE TRIGGER evil BEFORE DELETE ON session BEGIN SELECT RAISE(IGNORE); END",
      "unknown trigger evil"
    ),
    (
      """
      CREATE TRIGGER "a ""b" AFTER INSERT ON turn BEGIN
        SELECT (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n);
      END
      """, "unknown trigger a \"b"
    ),
    (
      "CREATE TRIGGER message_index_data_a AFTER INSERT ON recall BEGIN DELETE FROM turn; END",
      "unknown trigger message_index_data_a"
    ),
    ("CREATE VIEW evil AS SELECT content FROM message", "unknown view evil"),
    (
      """
      DROP TRIGGER message_added;
      CREATE TRIGGER message_added AFTER INSERT ON message BEGIN UPDATE session SET title = new.content; END
      """, "changed trigger message_added"
    ),
    (
      """
      DROP VIEW message_text;
      CREATE VIEW message_text AS SELECT key, content, reasoning FROM message;
      """, "changed view message_text"
    ),
    (
      """
      DROP TRIGGER message_removed;
      CREATE TRIGGER MESSAGE_REMOVED BEFORE DELETE ON message BEGIN SELECT RAISE(IGNORE); END
      """, "changed trigger MESSAGE_REMOVED"
    ),
    (
      "CREATE TRIGGER tag_by_word AFTER INSERT ON message BEGIN DELETE FROM recall; END",
      "unknown trigger tag_by_word"
    ),
    ("CREATE UNIQUE INDEX evil ON message(role, turn)", "unknown index evil"),
    ("CREATE INDEX evil ON message(length(hex(zeroblob(key * 0 + 100))))", "unknown index evil"),
    ("CREATE INDEX evil ON message_index_data(id)", "unknown index evil"),
    (
      "DROP INDEX session_by_age; CREATE INDEX session_by_age ON session(archived, updated_at) WHERE abs(updated_at) > 0",
      "changed index session_by_age"
    ),
    (
      "ALTER TABLE message_index_config ADD COLUMN evil DEFAULT 'x'", "changed table message_index_config"
    ),
  ])
  func `a history whose schema is not ours is not used, and a recovery makes it ours`(
    _ planted: String, _ problem: String
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 1)
      try run(planted, on: path)
      let before = try AtomicFile.read(path)
      let refused = try History.open(at: path)
      #expect(refused.notices == [.inMemory(.strangeSchema([problem]))] && refused.path == nil)
      await refused.close()
      #expect(History.tags(at: path).isEmpty && History.names(at: path, containing: "").found.isEmpty)
      #expect(try AtomicFile.read(path) == before)
      History.repairWhenNextOpened(path)
      let history = try History.open(at: path)
      #expect(history.notices.isEmpty && history.path == path)
      #expect(try await history.health().problems.isEmpty)
      #expect(try await history.recent().count == 1)
      var session = try #require(try await history.latest())
      try await history.say("and on", in: &session)
      #expect(try await history.search(["and", "on"]).count == 1)
      await history.close()
    }
  }

  @Test(arguments: [
    ("ALTER TABLE meta ADD COLUMN evil DEFAULT 'canary'", "changed table meta"),
    ("ALTER TABLE turn ADD COLUMN evil AS (number || 'canary')", "changed table turn"),
    ("CREATE TABLE evil (x REFERENCES message(key))", "unknown table evil"),
    (
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'word TEXT NOT NULL', "
        + "'word TEXT NOT NULL CHECK (1)') WHERE name = 'tag'", "changed table tag"
    ),
    (
      """
      ALTER TABLE session RENAME TO hidden;
      CREATE VIEW session AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS key FROM n
      """, "changed table tag"
    ),
    ("PRAGMA user_version = 0", "unknown table session"),
  ])
  func `tables that are not ours are set aside, and their rows are kept`(_ planted: String, _ problem: String)
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 1)
      try run(planted, on: path)
      let refused = try History.open(at: path)
      guard case .inMemory(.strangeSchema(let problems))? = refused.notices.first else {
        Issue.record("\(refused.notices)")
        return
      }
      #expect(problems.contains(problem), "\(problems)")
      await refused.close()
      History.repairWhenNextOpened(path)
      let history = try History.open(at: path)
      guard case .quarantined(_, let saved)? = history.notices.first else {
        Issue.record("\(history.notices)")
        return
      }
      #expect(saved.messages == 8)
      #expect(try await history.health().problems.isEmpty)
      #expect(try await history.recent().count == 1)
      await history.close()
    }
  }

  @Test(arguments: 1...Schema.migrations.count)
  func `the schema of every version is our own, also after an upgrade and a vacuum`(version: Int) throws {
    let queue = try DatabaseConnection.memory()
    try queue.inDatabase { db in
      try Upgrade.run(Array(Schema.migrations.prefix(version)), on: db, now: 1)
      #expect(try SchemaCheck(db).problems == [])
      try Upgrade.run(Schema.migrations, on: db, now: 1)
      try db.execute(sql: "ANALYZE; VACUUM")
      #expect(try SchemaCheck(db).problems == [])
      try db.execute(sql: "DROP INDEX tag_by_word")
      #expect(try SchemaCheck(db).problems == ["missing index tag_by_word"])
    }
  }

  @Test(arguments: [
    ("INSERT INTO meta VALUES ('evil', 'canary')", "meta: 1 unknown row"),
    ("INSERT INTO meta VALUES (NULL, 1)", "meta: 1 unknown row"),
    ("INSERT OR REPLACE INTO meta VALUES ('last_turn', 'canary')", "meta: 1 unknown row"),
    ("INSERT INTO message_index_config VALUES ('crisismerge', 2)", "message_index_config: 1 unknown row"),
    ("DELETE FROM session", "turn: 4 rows refer to missing rows of session"),
    ("DELETE FROM turn WHERE number = 4", "message: 2 rows refer to missing rows of turn"),
    ("INSERT INTO attached_bytes (digest, bytes) VALUES ('y', 'canary')", "attached_bytes: 1 unknown row"),
    (
      "INSERT INTO attachment (turn, position, name, path, digest) SELECT key, 0, 'n', 'p', 'x' FROM turn WHERE number = 1",
      "attachment: 1 row refers to missing rows of attached_bytes"
    ),
  ])
  func `rows that belong to nothing are named, and a recovery finds a place for them or removes them`(
    _ change: String, _ problem: String
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 1)
      try run("PRAGMA foreign_keys = OFF; " + change, on: path)
      let damaged = try History.open(at: path)
      #expect(try await damaged.health().problems.contains(problem))
      await damaged.close()
      History.repairWhenNextOpened(path)
      let history = try History.open(at: path)
      #expect(try await history.health().problems == [])
      #expect(try await history.search(["w0x1y1"]).count == 2)
      await history.close()
    }
  }

  @Test func `what is planted while a history is open is reported, and forgotten with all`() async throws {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("secret", in: &session)
      try run("CREATE TRIGGER evil BEFORE DELETE ON session BEGIN SELECT RAISE(IGNORE); END", on: path)
      let problem = "unknown trigger evil"
      #expect(try await history.health().problems == [problem])
      try await history.forgetAll()
      #expect(try await history.recent().isEmpty)
      #expect(try await history.health().problems.isEmpty)
    }
  }

  @Test(arguments: [
    """
    CREATE TABLE hoard (text); INSERT INTO hoard VALUES ('canary one');
    INSERT INTO message (id, turn, position, role, content, created_at) VALUES ('x', 99, 0, 'user', 'canary two', 0);
    INSERT INTO attached_bytes (digest, bytes) VALUES ('y', 'canary three');
    """,
    "INSERT INTO meta VALUES ('evil', 'canary'), ('cut_off:canary', 1)",
    "INSERT INTO message_index_config VALUES ('evil', 'canary')",
    "INSERT INTO message_index_data VALUES (99999, 'canary')",
    "ALTER TABLE meta ADD COLUMN evil DEFAULT 'canary'",
    "ALTER TABLE turn ADD COLUMN evil AS ('canary')",
    "CREATE INDEX evil ON session(title || 'canary')",
    "CREATE TABLE counted (key INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO sqlite_sequence VALUES ('canary', 1)",
    "ANALYZE; UPDATE sqlite_stat1 SET idx = 'canary'",
    "CREATE TRIGGER evil BEFORE DELETE ON message BEGIN SELECT RAISE(IGNORE), 'canary'; END",
    // In pages and parts of pages that hold nothing any more.
    "PRAGMA secure_delete = OFF; UPDATE message SET content = 'canary ' || hex(zeroblob(9000)); DELETE FROM message",
  ])
  func `nothing that anybody put into the file is left when all is forgotten`(_ planted: String) async throws {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("an ordinary word", in: &session)
      try run("PRAGMA foreign_keys = OFF; " + planted, on: path)
      try await history.forgetAll()
      #expect(try await history.recent().isEmpty)
      #expect(try await history.health().problems.isEmpty)
      let bytes = try #require(try AtomicFile.read(path))
      #expect(Data(bytes).range(of: Data("canary".utf8)) == nil)
      var next = Session()
      try await history.say("another", in: &next)
      #expect(try await history.search(["another"]).count == 1)
    }
  }

  @Test func `a turn that another process began meanwhile shares its key with none that comes after all is forgotten`()
    async throws
  {
    try await withHistory { history, _ in
      var session = Session()
      let before = try await history.say("before", in: &session)
      try await history.forgetAll()
      var next = Session()
      #expect(try await history.say("after", in: &next).id.key > before.id.key + 1)
    }
  }

  @Test func `a log that a reader keeps from being emptied is an error`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let (writer, reader) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
      try writer.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (x)") }
      try reader.inTransaction(.deferred) { db in
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
        try writer.writeWithoutTransaction { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(throws: HistoryError.deletedTextInLog(reason: "another program is using the history")) {
          try writer.writeWithoutTransaction { db in try db.emptyLog() }
        }
        return .commit
      }
    }
  }

  @Test func `forgetting all is an error while another process writes`() async throws {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("kept", in: &session)
      // Do not wait for the other one.
      try await history.write { db in try db.execute(sql: "PRAGMA busy_timeout = 0") }
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let other = try DatabaseQueue(path: path, configuration: configuration)
      try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
      await #expect(throws: HistoryError.busy(seconds: DatabaseConnection.patience)) { try await history.forgetAll() }
      try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
      #expect(try await history.search(["kept"]).count == 1)
    }
  }

  @Test func `a hoard in a table of its own is reported, and the history is used`() async throws {
    try await withHistory { history, path in
      try run("CREATE TABLE hoard (text)", on: path)
      #expect(try await history.health().problems == ["unknown table hoard"])
      let other = try History.open(at: path)
      #expect(other.notices.isEmpty && other.path == path)
      await other.close()
    }
  }

  @Test func `a backup with a trigger of others is removed rather than written anew`() async throws {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("secret", in: &session)
      let backup = try await history.backUp(to: nil)
      try run("CREATE TRIGGER evil BEFORE DELETE ON session BEGIN SELECT RAISE(IGNORE); END", on: backup)
      let forgotten = try await history.forget(session.id)
      #expect(forgotten.removedCopies == [backup] && access(backup, F_OK) != 0)
    }
  }
}

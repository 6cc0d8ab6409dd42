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
      """, "the trigger message_added is not as it was made"
    ),
    (
      """
      DROP VIEW message_text;
      CREATE VIEW message_text AS SELECT key, content, reasoning FROM message;
      """, "the view message_text is not as it was made"
    ),
  ])
  func `a history with triggers or views of others is not used, and a recovery removes them`(
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
      #expect(try History.removeStrangeParts(at: path) == [problem])
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

  @Test func `what is planted while a history is open is reported, and forgetting all refuses to say that it is done`()
    async throws
  {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("secret", in: &session)
      try run("CREATE TRIGGER evil BEFORE DELETE ON session BEGIN SELECT RAISE(IGNORE); END", on: path)
      let problem = "unknown trigger evil"
      #expect(try await history.health().problems == [problem])
      await #expect(throws: HistoryError.strangeSchema([problem])) { try await history.forgetAll() }
      try await history.rebuildIndexes()
      #expect(try await history.health().problems.isEmpty)
      try await history.forgetAll()
      #expect(try await history.recent().isEmpty)
    }
  }

  @Test func `all that is forgotten is also in no table of others, and in no row that belongs to nothing`() async throws
  {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("an ordinary word", in: &session)
      try run(
        """
        PRAGMA foreign_keys = OFF;
        CREATE TABLE hoard (text); INSERT INTO hoard VALUES ('canary one');
        INSERT INTO message (id, turn, position, role, content, created_at) VALUES ('x', 99, 0, 'user', 'canary two', 0);
        INSERT INTO attached_bytes (digest, bytes) VALUES ('y', 'canary three');
        """, on: path)
      #expect(try await history.health().problems == ["unknown table hoard"])
      try await history.forgetAll()
      #expect(try await history.health().problems.isEmpty)
      let bytes = try #require(try AtomicFile.read(path))
      #expect(Data(bytes).range(of: Data("canary".utf8)) == nil)
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

import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// Changes a file as another program may, without what keeps it whole.
func change(_ path: String, _ sql: String) throws {
  var configuration = Configuration()
  configuration.foreignKeysEnabled = false
  // What was there before must not be found in the file any more.
  configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA secure_delete = ON") }
  let queue = try DatabaseQueue(path: path, configuration: configuration)
  try queue.write { db in try db.execute(sql: sql) }
  try queue.close()
}

/// What is being made beside a history, or was when its process ended.
private func temporaries(of path: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory(of: path)).filter { $0.contains(".new") }
}

/// What was saved of a file that was set aside; nil where the first notice is another.
private func carried(by history: History) -> HistoryNotice.Salvaged? {
  if case .quarantined(_, let saved)? = history.notices.first { saved } else { nil }
}

@Suite struct HistoryRecoveryTests {
  @Test func `odd values of what is saved end no recovery, and what one that died left is removed`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 3)
      // Messages of turns that are gone, with a moment that is none.
      try change(
        path, "DELETE FROM turn WHERE session = 2; UPDATE message SET created_at = 'soon' WHERE turn BETWEEN 5 AND 8")
      try damagePage(holding: "w0x1y50 w0x1y51", of: path)
      let left = ["", "-journal"].map { directory.path + "/history.sqlite.0123456789abc.new" + $0 }
      for file in left { try AtomicFile.write([1], to: file) }
      HistoryFile(path).suspectDamage()
      let history = try History.open(at: path)
      #expect(try #require(carried(by: history)).messages > 16)
      #expect(try #require(try await history.search(["w1x2y7"]).first).name.hasPrefix("w1x0y0 w1x0y1"))
      await history.close()
      #expect(try temporaries(of: path).isEmpty)
    }
  }

  @Test func `row numbers at the end of all numbers end no recovery`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 3)
      try change(path, "UPDATE message SET key = 9223372036854775807 - 24 + key")
      try damagePage(holding: "w2x3y50 w2x3y51", of: path)
      HistoryFile(path).suspectDamage()
      let history = try History.open(at: path)
      #expect((12..<24).contains(try #require(carried(by: history)).messages))
      await history.close()
    }
  }

  @Test func `a place to go on from that is none is no end of the program`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 1)
      try change(path, "UPDATE session SET head = 'top'")
      let history = try History.open(at: path)
      var session = try #require(try await history.latest())
      #expect(try await history.say("on", in: &session).number == 5)
      #expect(try await history.path(of: session.id).map(\.question) == ["on"])
      await history.close()
    }
  }

  @Test func `a turn with the last of all row numbers leaves room for others`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 1)
      let last = Int64.max
      try change(
        path,
        """
        UPDATE turn SET key = \(last) WHERE key = 4; UPDATE message SET turn = \(last) WHERE turn = 4;
        UPDATE session SET head = \(last)
        """)
      let history = try History.open(at: path)
      var session = try #require(try await history.latest())
      for number in 5...7 { #expect(try await history.say("on", in: &session).number == number) }
      #expect(try await history.path(of: session.id).map(\.number) == [5, 6, 7])
      let gone = try #require(session.head)
      try await history.forget(gone)
      session = try #require(try await history.session(session.id))
      #expect(try await history.say("and on", in: &session).id != gone)
      await history.close()
    }
  }

  @Test func `a step in the last of all places ends no process`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session, answer: StoredAnswer(text: "a", status: .complete))
      try await history.write { db in
        try db.execute(sql: "UPDATE message SET position = 9223372036854775807 WHERE role = 'assistant'")
      }
      let call = StoredCall(ToolCall(id: "1", name: "x", arguments: .object([:])))
      try await history.step(turn.id, ToolStep(text: "a", calls: [call]))
      #expect(try await history.health().messages == 3)
    }
  }

  @Test func `a backup that is none hides no earlier one`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 2)
      let history = try History.open(at: path)
      let backup = try await history.backUp(to: nil)
      await history.close()
      let whole = try #require(try AtomicFile.read(backup))
      try AtomicFile.write([], to: HistoryFile(path).aside("backup", at: 253_402_300_797_000))
      try AtomicFile.write(Array("no database".utf8), to: HistoryFile(path).aside("backup", at: 253_402_300_798_000))
      // One that was being made when its process ended.
      try AtomicFile.write(
        Array(whole.prefix(whole.count / 2)), to: HistoryFile(path).aside("backup", at: 253_402_300_799_000))
      try AtomicFile.write([], to: path)
      let next = try History.open(at: path)
      #expect(carried(by: next) == .init(sessions: 2, messages: 16, messagesFromBackup: 16, recallLines: 2))
      await next.close()
    }
  }

  @Test func `a backup has its name when it is whole, and what one that died left is forgotten too`() async throws {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("words", in: &session)
      let (half, day) = (HistoryFile(path).temporary, HistoryFile(path).temporary)
      for file in [half, day] { try AtomicFile.write([1], to: file) }
      #expect(utimes(day, [timeval](repeating: timeval(tv_sec: time(nil) - 90_000, tv_usec: 0), count: 2)) == 0)
      _ = try await history.backUp(to: nil)
      // Another process may be making one.
      #expect(try temporaries(of: path) == [name(of: half)])
      try await history.forget(session.id)
      #expect(try temporaries(of: path).isEmpty)
    }
  }
}

/// Damage in files of another version than this one's.
@Suite struct DamageOfOtherVersionsTests {
  private let oneMore =
    Schema.migrations + [
      Migration(version: 1 + (Schema.migrations.last?.version ?? 0), sql: "ALTER TABLE session ADD COLUMN colour TEXT")
    ]

  @Test func `damage that is met while a file is upgraded is mended as any other`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path)
      try damagePage(holding: "w3x2y50 w3x2y51", of: path)
      let history = try History.open(at: path, migrations: oneMore, now: { 1 })
      #expect(history.path == path)
      let saved = try #require(carried(by: history))
      #expect(saved.sessions == 12 && (80..<96).contains(saved.messages))
      #expect(try await history.health().problems.isEmpty)
      await history.close()
      let again = try History.open(at: path, migrations: oneMore, now: { 2 })
      #expect(again.notices.isEmpty)
      await again.close()
    }
  }

  @Test func `what an upgrade needs and does not find is damage`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let queue = try DatabaseConnection.build(path)
      try await queue.write { db in try db.execute(sql: "SELECT 1") }
      try await queue.writeWithoutTransaction { db in
        try Upgrade.run(Array(Schema.migrations.prefix(2)), on: db, now: 1)
        try db.execute(
          sql: """
            INSERT INTO session (key, id, created_at, updated_at) VALUES (1, 'a', 1, 1);
            DROP TRIGGER message_changed;
            """)
      }
      try queue.close()
      let history = try History.open(at: path)
      #expect(history.path == path)
      #expect(try await history.count() == 1)
      #expect(try await history.health().problems.isEmpty)
      await history.close()
    }
  }

  @Test func `a damaged file of a later version is that version's to mend`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path)
      let newer = try History.open(at: path, migrations: oneMore, now: { 1 })
      await newer.close()
      try damagePage(holding: "w3x2y50 w3x2y51", of: path)
      HistoryFile(path).suspectDamage()
      let before = try AtomicFile.read(path)
      let known = Schema.migrations.last?.version ?? 0
      let history = try History.open(at: path)
      #expect(history.notices == [.newer(found: known + 1, known: known)])
      #expect(try await history.count() == 12)
      await history.close()
      #expect(try AtomicFile.read(path) == before)
      #expect(HistoryFile(path).isSuspect && HistoryFile(path).asides("corrupt").isEmpty)
    }
  }
}

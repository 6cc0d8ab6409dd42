import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// A history with some sessions, closed again.
func makeHistory(at path: String, sessions: Int = 12) async throws {
  let history = try History.open(at: path)
  for number in 0..<sessions {
    var session = Session(title: "session \(number)")
    for turn in 0..<4 {
      let text = (0..<120).map { "w\(number)x\(turn)y\($0)" }.joined(separator: " ")
      try await history.say(text, in: &session, answer: StoredAnswer(text: text, status: .complete))
    }
    history.recall.add("line \(number)")
  }
  await history.close()
}

/// Makes nothing of the page on which this much of a message stands, in the messages' own table.
func damagePage(holding text: String, of path: String) throws {
  var bytes = try #require(try AtomicFile.read(path))
  let place = try #require(Data(bytes).range(of: Data(text.utf8))).lowerBound
  for index in place / 4096 * 4096..<(place / 4096 + 1) * 4096 { bytes[index] = 0xA5 }
  try AtomicFile.write(bytes, to: path)
}

private func files(_ directory: URL) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
}

private func mode(_ path: String) -> Int {
  var facts = stat()
  return stat(path, &facts) == 0 ? Int(facts.st_mode & 0o7777) : -1
}

@Suite struct HistoryDamageTests {
  @Test func `a link to a disk that is not there is no damage, and works once it is`() async throws {
    try await withTemporaryDirectory { directory in
      let (path, disk) = (directory.path + "/history.sqlite", directory.path + "/disk")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: disk + "/history.sqlite")
      let away = try History.open(at: path)
      let reason = "it is a link to \(disk)/history.sqlite, which is not there"
      #expect(away.notices == [.inMemory(.unwritable(path: path, detail: reason))])
      await away.close()
      #expect(try files(directory).contains { $0.contains("corrupt") } == false)
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
      try await makeHistory(at: disk + "/history.sqlite", sessions: 2)
      let back = try History.open(at: path)
      #expect(back.notices.isEmpty)
      #expect(try await back.count() == 2)
      await back.close()
    }
  }

  @Test(arguments: [
    "UPDATE meta SET value = -9223372036854775808 WHERE name = 'checked_at'",
    "UPDATE session SET updated_at = -9223372036854775808, created_at = 9223372036854775807",
    "UPDATE session SET title = x'ff00fe', system_prompt = x'ff', temperature = 'warm', stop = x'ff', pinned = x'ff'",
    "UPDATE message SET content = x'ff00fe', reasoning = x'ff', status = x'ff', total_ms = 'long', owner = x'ff'",
    "UPDATE turn SET number = 9223372036854775807 WHERE key = (SELECT max(key) FROM turn)",
    "UPDATE turn SET parent = key", "UPDATE turn SET created_at = 'yesterday'", "UPDATE recall SET text = x'ff'",
  ])
  func `values that another program wrote end no process, and the session goes on`(_ change: String) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 1)
      try await DatabaseQueue(path: path).write { db in try db.execute(sql: change) }
      let history = try History.open(at: path)
      let summary = try #require(try await history.recent().first)
      #expect((0..<253_402_300_800_000).contains(summary.updatedAt))
      var session = try #require(try await history.session(summary.id))
      #expect(try await history.path(of: session.id).isEmpty == false)
      _ = try await history.search(["w1x1y1"])
      _ = try await history.unfinished()
      _ = history.recall.line(0)
      try await history.say("on", in: &session, answer: StoredAnswer(text: "and on", status: .complete))
      await history.close()
    }
  }

  @Test(arguments: 0..<12)
  func `a damaged file is never deleted, and the history goes on`(_ seed: Int) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path)
      var bytes = try #require(try AtomicFile.read(path))
      let whole = bytes.count
      var random = SeededNumbers(seed: UInt64(seed))
      switch seed % 4 {
      case 0:
        for _ in 0..<200 {
          bytes[.random(in: 100..<whole, using: &random)] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
        }
      case 1: bytes.removeLast(.random(in: 1..<whole, using: &random))
      case 2:
        let page = Int.random(in: 1..<whole / 4096, using: &random) * 4096
        for index in page..<page + 4096 { bytes[index] = UInt8.random(in: .min ... .max, using: &random) }
      default: for index in 0..<(seed == 3 ? 100 : 4096) { bytes[index] = 0 }
      }
      try AtomicFile.write(bytes, to: path)
      HistoryFile(path).suspectDamage()

      let history = try History.open(at: path)
      var session = Session(title: "after")
      try await history.say("still here", in: &session, answer: StoredAnswer(text: "yes", status: .complete))
      #expect(history.path == path)
      #expect(try await history.recent(100).first?.name ?? "" == "after")
      #expect(try await history.health().problems.isEmpty)
      for notice in history.notices {
        guard case .quarantined(let file, let saved) = notice else { continue }
        #expect(try AtomicFile.read(file) == bytes)
        #expect(try await history.recent(100).count >= saved.sessions)
        #expect(mode(path) == 0o600)
      }
      // A flipped bit inside a text is not to be seen; anything else must have been set aside.
      if seed % 4 != 0 { #expect(!history.notices.isEmpty, "seed \(seed)") }
      await history.close()
      let again = try History.open(at: path)
      #expect(again.notices.isEmpty)
      await again.close()
    }
  }

  @Test func `an empty file that was a history is damage and not a first run`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try AtomicFile.write([], to: path)
      let history = try History.open(at: path)
      guard case .quarantined(let file, let saved)? = history.notices.first else {
        Issue.record("\(history.notices)")
        return
      }
      #expect(saved == .init())
      #expect(try AtomicFile.read(file) == [])
      await history.close()
    }
  }

  @Test func `most of a history with one bad page is carried over`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path)
      try damagePage(holding: "w3x2y50 w3x2y51", of: path)

      let first = try History.open(at: path)
      await #expect(throws: HistoryError.self) { try await first.search(["nowhere"]) }
      await first.close()
      let history = try History.open(at: path)
      guard case .quarantined(_, let saved)? = history.notices.first else {
        Issue.record("\(history.notices)")
        return
      }
      #expect(saved.sessions == 12)
      #expect(saved.recallLines == 12)
      #expect(saved.messages > 80 && saved.messages < 96)
      #expect(try await history.recent(20).count == 12)
      await history.close()
    }
  }

  @Test func `what a damaged file lost comes back from the newest backup`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path)
      let queue = try DatabaseQueue(path: path)
      _ = try await queue.writeWithoutTransaction { db in try HistoryFile(path).backUp(db, at: 5_000) }
      try queue.close()
      var bytes = try #require(try AtomicFile.read(path))
      for index in 0..<4096 { bytes[index] = 0 }
      try AtomicFile.write(bytes, to: path)
      let history = try History.open(at: path)
      guard case .quarantined(_, let saved)? = history.notices.first else {
        Issue.record("\(history.notices)")
        return
      }
      #expect(saved == .init(sessions: 12, messages: 96, messagesFromBackup: 96, recallLines: 12))
      #expect(try await history.search(["w3x2y7"]).count == 2)
      await history.close()
    }
  }

  @Test func `a damaged file that another process has open is left to it`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 1)
      let lock = try FileLock(path + ".lock", .shared)
      try AtomicFile.write([1, 2, 3], to: path)
      let history = try History.open(at: path)
      #expect(history.notices == [.inMemory(.damagedInUse(path: path))])
      var session = Session()
      try await history.say("works", in: &session)
      #expect(try AtomicFile.read(path) == [1, 2, 3])
      withExtendedLifetime(lock) {}
      await history.close()
    }
  }

  @Test func `another program's database is set aside`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await DatabaseQueue(path: path).write { db in try db.execute(sql: "CREATE TABLE theirs (x)") }
      let history = try History.open(at: path)
      #expect(history.notices.count == 1)
      #expect(history.path == path)
      await history.close()
      #expect(try files(directory).contains { $0.hasPrefix("history.corrupt-") })
    }
  }

  @Test func `what cannot be made is replaced by memory`() async throws {
    try await withTemporaryDirectory { directory in
      try AtomicFile.write([], to: directory.path + "/file")
      let history = try History.open(at: directory.path + "/file/history.sqlite")
      guard case .inMemory(.unwritable)? = history.notices.first else {
        Issue.record("\(history.notices)")
        return
      }
      #expect(history.path == nil)
      var session = Session()
      try await history.say("works", in: &session, answer: StoredAnswer(text: "x", status: .complete))
      #expect(try await history.path(of: session.id).count == 1)
      await history.close()
    }
  }

  @Test func `what can only be read is read, and said to be no more`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 3)
      let before = try AtomicFile.read(path)
      // Nobody, not even root, can lock a folder's name as a file.
      unlink(path + ".lock")
      try AtomicFile.makeDirectory(path + ".lock")
      let history = try History.open(at: path)
      guard case .readOnly(.unwritable)? = history.notices.first, history.notices.count == 1 else {
        Issue.record("\(history.notices)")
        return
      }
      #expect(history.path == nil)
      var session = try #require(try await history.latest())
      #expect(try await history.path(of: session.id).count == 4)
      #expect(try await history.search(["w0x0y7"]).isEmpty == false)
      try await history.say("not kept", in: &session)
      await history.close()
      #expect(try AtomicFile.read(path) == before)
    }
  }

  @Test func `a private history writes nothing and does the same`() async throws {
    let history = try History.inMemory()
    var session = Session()
    let turn = try await history.say("why not", in: &session)
    history.grow(turn.id, text: "bec")
    try await history.finish(turn.id, StoredAnswer(text: "because", status: .complete))
    history.recall.add("why not")
    #expect(history.recall.line(0) == "why not")
    #expect(try await history.search(["because"]).count == 1)
    #expect(history.path == nil)
    await history.close()
  }
}

@Suite struct HistoryUpgradeTests {
  private static let known = Schema.migrations.last?.version ?? 0
  private let oneMore =
    Schema.migrations + [
      Migration(version: known + 1, sql: "ALTER TABLE session ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'")
    ]

  @Test func `an older file is backed up and brought to the newest schema once`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 2)
      let migrations = oneMore
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask {
            let history = try History.open(at: path, migrations: migrations, now: { 86_400_000 })
            #expect(history.notices.isEmpty)
            #expect(try await history.recent().count == 2)
            await history.close()
          }
        }
        try await group.waitForAll()
      }
      let backups = HistoryFile(path).asides("backup")
      #expect(backups.count == 1)
      #expect(name(of: backups.first ?? "").hasPrefix("history.backup-19700102T000000Z"))
      #expect(backups.allSatisfy { mode($0) == 0o600 })
      let old = try DatabaseQueue(path: try #require(backups.first))
      #expect(try await old.read { db in try Upgrade.version(of: db) } == HistoryUpgradeTests.known)
      #expect(try await old.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM session") } ?? 0 == 2)
    }
  }

  @Test func `only the newest three backups are kept`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 1)
      let queue = try DatabaseQueue(path: path)
      try await queue.writeWithoutTransaction { db in
        for day in 0..<5 { _ = try HistoryFile(path).backUp(db, at: day * 86_400_000) }
      }
      #expect(
        HistoryFile(path).asides("backup").map { name(of: $0) }
          == (3...5).map { "history.backup-1970010\($0)T000000Z.sqlite" })
    }
  }

  @Test func `a file of a later version is read and not touched`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await makeHistory(at: path, sessions: 3)
      let newer = try History.open(at: path, migrations: oneMore, now: { 1 })
      await newer.close()
      let before = try AtomicFile.read(path)
      let history = try History.open(at: path)
      #expect(history.notices == [.newer(found: HistoryUpgradeTests.known + 1, known: HistoryUpgradeTests.known)])
      #expect(try await history.recent().count == 3)
      var session = try #require(try await history.latest())
      try await history.say("not kept", in: &session)
      #expect(try await history.path(of: session.id).count == 5)
      await history.close()
      #expect(try AtomicFile.read(path) == before)
    }
  }

  @Test(arguments: [
    ("3.40.1", false, JournalMode.truncate), ("3.44.5", false, .truncate), ("3.44.6", false, .wal),
    ("3.50.6", false, .truncate),
    ("3.50.7", false, .wal), ("3.51.2", false, .truncate), ("3.51.3", false, .wal), ("3.51.3", true, .truncate),
    ("3.52.0", false, .truncate), ("3.52.1", false, .wal), ("3.53.0", false, .wal), ("4.0.0", false, .wal),
    ("", false, .truncate),
  ])
  func `WAL is used only where it is safe`(_ version: String, _ isRemote: Bool, _ mode: JournalMode) {
    #expect(JournalMode(sqliteVersion: version, isRemote: isRemote) == mode)
  }

  @Test func `a new history is private and its engine is named`() async throws {
    try await withHistory { history, path in
      #expect(mode(path) == 0o600)
      #expect(mode(directory(of: path)) == 0o700)
      let engine = try await history.engine()
      #expect(engine.version.hasPrefix("3."))
      #expect(engine.journal == JournalMode(sqliteVersion: engine.version, isRemote: false).rawValue)
    }
  }

  @Test func `ten thousand sessions open and list`() async throws {
    try await withHistory { history, path in
      try await history.change { db in
        try db.execute(
          sql: """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            INSERT INTO session (key, id, title, created_at, updated_at)
              SELECT i, printf('%08x-0000-4000-8000-000000000000', i), 'title ' || i, i, i FROM n;
            INSERT INTO turn (key, session, number, created_at) SELECT key, key, 1, key FROM session;
            INSERT INTO message (id, turn, position, role, content, created_at)
              SELECT 'q' || key, key, 0, 'user', 'question number ' || key, key FROM turn;
            UPDATE session SET head = key;
            """)
      }
      let other = try History.open(at: path)
      let recent = try await other.recent(3)
      #expect(recent.map(\.name) == ["title 10000", "title 9999", "title 9998"])
      #expect(recent.map(\.turns) == [1, 1, 1])
      #expect(
        try await other.session(matching: "title 77")
          == .one(try #require(try await other.recent(1, offset: 9_923).first)))
      let plan = try await other.read { db in
        try Row.fetchAll(
          db,
          sql: "EXPLAIN QUERY PLAN " + SessionSummary.select
            + " WHERE archived = 0 ORDER BY updated_at DESC, key DESC LIMIT 9"
        ).map { $0["detail"] as String }
      }
      #expect(plan.allSatisfy { !$0.contains("SCAN") && !$0.contains("B-TREE") }, "\(plan)")
      await other.close()
    }
  }
}

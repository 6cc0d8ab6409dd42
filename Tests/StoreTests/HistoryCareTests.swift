import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

@Suite struct HistoryCareTests {
  @Test func `a copy is whole while others write, private, and never over another file`() async throws {
    try await withHistory { history, path in
      let other = try History.open(at: path)
      let copies = (0..<3).map { directory(of: path) + "/copy\($0).sqlite" }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for _ in 0..<20 {
            var session = Session()
            for turn in 0..<5 {
              try await other.say("turn \(turn)", in: &session, answer: StoredAnswer(text: "yes", status: .complete))
            }
          }
        }
        group.addTask { for copy in copies { _ = try await history.backUp(to: copy) } }
        try await group.waitForAll()
      }
      for copy in copies {
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
        let taken = try History.open(at: copy)
        #expect(try await taken.health().problems.isEmpty)
        // What was acknowledged last is there with all before it.
        for id in try await taken.allSessions() {
          let questions = try await taken.path(of: id).map(\.question)
          #expect(questions == questions.indices.map { "turn \($0)" })
        }
        await taken.close()
      }
      await #expect(throws: HistoryError.self) { try await history.backUp(to: copies[0]) }
      #expect(try await other.health().messages == 200)
      await other.close()
    }
  }

  @Test func `the newest three copies beside the history are kept`() async throws {
    let clock = Clock()
    try await withHistory(now: clock.next) { history, path in
      var made: [String] = []
      for _ in 0..<5 { made.append(try await history.backUp(to: nil)) }
      #expect(HistoryFile(path).asides("backup").count == 3)
      #expect(HistoryFile(path).asides("backup").contains(made[4]))
    }
  }

  @Test func `the newest copy is kept, whatever the clock says`() async throws {
    try await withHistory(now: { 5_000 }) { history, path in
      var made: [String] = []
      for _ in 0..<5 { made.append(try await history.backUp(to: nil)) }
      #expect(HistoryFile(path).asides("backup") == made.suffix(3))
      for (day, old) in made.suffix(3).enumerated() {
        let ahead = HistoryFile(path).aside("backup", at: (day + 1) * 86_400_000)
        try FileManager.default.moveItem(atPath: old, toPath: ahead)
      }
      let newest = try await history.backUp(to: nil)
      #expect(HistoryFile(path).asides("backup").contains(newest))
    }
  }

  @Test func `a copy gets its name when it is whole`() async throws {
    try await withHistory { history, path in
      let copy = directory(of: path) + "/copy.sqlite"
      try await history.write { db in
        // What a process leaves that is killed meanwhile.
        let built = HistoryFile(copy).temporary
        try HistoryFile(copy).precreate(built)
        #expect(access(copy, F_OK) != 0)
        // Another process made one of that name meanwhile.
        try AtomicFile.write([1], to: copy)
        #expect(throws: FileError.self) { try HistoryFile(copy).install(built, mustBeNew: true) }
        #expect(access(built, F_OK) != 0 && HistoryFile(copy).size() == 1)
      }
    }
  }

  @Test func `a backup removes what a killed one left beside its file, and nothing else`() async throws {
    try await withHistory { history, path in
      let copy = directory(of: path) + "/copy.sqlite"
      let (left, other) = (copy + ".0123456789abc.new", copy + ".old.new")
      for file in [left, other] {
        try Data().write(to: URL(filePath: file))
        var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
        utimes(file, &times)
      }
      _ = try await history.backUp(to: copy)
      #expect(access(left, F_OK) != 0 && access(other, F_OK) == 0)
    }
  }

  @Test func `what is unused goes back to the disk`() async throws {
    try await withHistory { history, path in
      var gone = Session()
      try await history.say(String(repeating: "words ", count: 100_000), in: &gone)
      var kept = Session()
      try await history.say("kept", in: &kept)
      try await history.forget(gone.id)
      let before = try await history.health()
      #expect(before.unusedBytes > 0)
      try await history.vacuum()
      let after = try await history.health()
      #expect(after.problems.isEmpty && after.unusedBytes == 0)
      #expect(after.bytes < before.bytes)
      #expect(try await history.search(["kept"]).count == 1)
    }
  }

  @Test func `the weekly look waits for no reader, and no reader for it`() async throws {
    let now = 30 * 86_400_000
    try await withHistory(now: { now }) { history, path in
      let gate = DispatchSemaphore(value: 0)
      async let reading: Void = history.read { _ in gate.wait() }
      try await history.write { db in try db.execute(sql: "UPDATE meta SET value = 0 WHERE name = 'checked_at'") }
      history.checkWeekly(HistoryFile(path))
      let isChecked = try await eventually {
        try await history.write { db in
          try Int.fetchOne(db, sql: "SELECT value FROM meta WHERE name = 'checked_at'") == now
        }
      }
      gate.signal()
      try await reading
      #expect(isChecked)
    }
  }

  @Test func `a history in memory has no file to look after`() async throws {
    let history = try History.inMemory()
    await #expect(throws: HistoryError.noFile) { try await history.backUp(to: nil) }
    await #expect(throws: HistoryError.noFile) { try await history.vacuum() }
    #expect(try await history.health().problems.isEmpty)
  }
}

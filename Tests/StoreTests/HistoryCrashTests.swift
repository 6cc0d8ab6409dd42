import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// Runs a Python script to its end, or until it has said its first line when `holding` is given.
final class Python {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()

  init(_ script: String, _ arguments: String...) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", script] + arguments
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

  /// Waits for the script to say something, to the end of the line.
  func hear() -> String {
    var said = Data()
    while said.last != UInt8(ascii: "\n") {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      said += more
    }
    return String(decoding: said, as: UTF8.self)
  }

  /// Ends the script's waiting for its input, and waits for its end.
  @discardableResult
  func finish() -> Int32 {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }
}

@Suite(.ownThread) struct HistoryGrowthTests {
  @Test func `a growing answer is saved and another shell sees it being written`() async throws {
    try await withHistory { history, path in
      var session = Session(model: "m")
      let turn = try await history.say("?", in: &session)
      for length in 1...50 { history.grow(turn.id, text: String(repeating: "x", count: length), reasoning: "r") }
      _ = try await history.engine()  // whatever was asked before is done now
      let other = try History.open(at: path)
      let seen = try #require(try await other.turn(turn.id)?.answer)
      #expect(seen == StoredAnswer(text: String(repeating: "x", count: 50), reasoning: "r", status: nil, model: "m"))
      #expect(other.notices.isEmpty)
      let unfinished = try await other.unfinished()
      #expect(unfinished == nil)
      #expect(try await other.search(["xx"]).isEmpty)
      await other.close()
      try await history.finish(turn.id, StoredAnswer(text: "done", status: .interrupted))
      #expect(try await history.turn(turn.id)?.answer?.status ?? .failed == .interrupted)
    }
  }

  @Test func `a save that comes late does not undo the end of the answer`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      for _ in 0..<30 {
        let turn = try await history.say("?", in: &session)
        history.grow(turn.id, text: "half")
        try await history.finish(turn.id, StoredAnswer(text: "whole", status: .complete))
        _ = try await history.engine()
        let answer = try #require(try await history.turn(turn.id)?.answer)
        #expect(answer == StoredAnswer(text: "whole", status: .complete))
      }
    }
  }

  @Test func `going on with an answer keeps its status until there is more of it`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session, answer: StoredAnswer(text: "abc", status: .cutOff))
      history.grow(turn.id, text: "abc")
      _ = try await history.engine()
      #expect(try await history.turn(turn.id)?.answer?.status ?? .failed == .cutOff)
      history.grow(turn.id, text: "abcdef")
      _ = try await history.engine()
      let growing = try #require(try await history.turn(turn.id)?.answer)
      #expect(growing.status == nil)
      #expect(growing.text == "abcdef")
    }
  }

  @Test func `an answer is stored though its task was cancelled`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session)
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await history.finish(turn.id, StoredAnswer(text: "kept", status: .interrupted))
      }
      try await task.value
      #expect(try await history.turn(turn.id)?.answer?.text ?? "" == "kept")
    }
  }

  @Test func `a lock of another process delays neither growing nor reading`() async throws {
    try await withHistory { history, path in
      var session = Session()
      let turn = try await history.say("?", in: &session)
      let holder = try Python(
        """
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
        print("held", flush=True)
        sys.stdin.read()
        db.execute("COMMIT")
        """, path)
      #expect(holder.hear().hasPrefix("held"))
      history.grow(turn.id, text: "some")
      #expect(try await history.recent().count == 1)
      async let finished: Void = history.finish(turn.id, StoredAnswer(text: "all", status: .complete))
      #expect(try await history.turn(turn.id)?.question ?? "" == "?")
      #expect(holder.finish() == 0)
      try await finished
      #expect(try await history.turn(turn.id)?.answer?.text ?? "" == "all")
    }
  }
}

@Suite(.ownThread) struct HistoryCrashTests {
  @Test func `a killed writer leaves its last save, marked interrupted, and nothing half done`() async throws {
    try await withHistory { history, path in
      var session = Session()
      let turn = try await history.say("?", in: &session)
      // It saves once, then dies in the middle of a transaction that has reached the file.
      let killed = try Python(
        """
        import os, signal, sqlite3, sys
        boot = open("/proc/sys/kernel/random/boot_id").read().strip()
        start = open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("PRAGMA journal_mode=TRUNCATE")
        db.execute("PRAGMA cache_size=1")
        db.execute("PRAGMA cache_spill=1")
        db.execute("INSERT INTO message (id, turn, position, role, content, created_at, status, owner) "
          "VALUES ('x', ?, 1, 'assistant', 'so far', 1, 'streaming', ?)",
          (sys.argv[2], f"{boot}/{os.getpid()}/{start}"))
        db.execute("BEGIN IMMEDIATE")
        for i in range(2000):
          db.execute("INSERT INTO recall (text, created_at) VALUES (?, 1)", ("y" * 1000,))
        os.kill(os.getpid(), signal.SIGKILL)
        """, path, String(turn.id.key))
      #expect(killed.finish() == SIGKILL)
      #expect(HistoryFile(path).hasUnfinishedTransaction)

      let next = try History.open(at: path)
      #expect(next.notices == [.recovered(answers: 1)])
      let answer = try #require(try await next.turn(turn.id)?.answer)
      #expect(answer == StoredAnswer(text: "so far", status: .interrupted))
      #expect(next.recall.line(0) == nil)
      let unfinished = try await next.unfinished()
      #expect(unfinished?.turn.id == turn.id)
      #expect(try await next.search(["far"]).map(\.turn) == [turn.id])
      #expect(try await next.health().problems.isEmpty)
      await next.close()
    }
  }

  @Test func `a question that is being asked is its process's, and one that was cut off is known until it is told`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let history = try History.open(at: path)
      var session = Session()
      session.title = "whales"
      let asked = try await history.ask(
        NewTurn(session: session, parent: nil, question: .text("how many?"), isBeingAsked: true))
      #expect(try await history.turn(asked.id)?.answer == StoredAnswer(text: "", status: nil))
      // Its process is another one, that died.
      try await history.change { db in
        try db.execute(
          sql: "UPDATE message SET owner = 'boot/1/1' WHERE turn = ? AND role = 'assistant'", arguments: [asked.id.key])
      }
      await history.close()

      let found = try History.open(at: path)
      #expect(found.notices == [.recovered(answers: 1)])
      #expect(try await found.turn(asked.id)?.answer == StoredAnswer(text: "", status: .interrupted))
      await found.close()
      let told = try History.open(at: path)
      #expect(told.notices.isEmpty)
      #expect(told.cutOff == [session.id])
      try await told.forgetCutOff()
      await told.close()
      let after = try History.open(at: path)
      #expect(after.cutOff.isEmpty)
      await after.close()
    }
  }

  @Test func `a turn that is kept late has its own moment, and its session the last one`() async throws {
    try await withHistory { (history, _) async throws in
      var session = Session()
      _ = try await history.say("first", in: &session)
      let said = try #require(try await history.session(session.id)).updatedAt
      let late = try await history.keep(
        NewTurn(session: session, parent: session.head, question: .text("late")), steps: [],
        answer: StoredAnswer(text: "yes", status: .complete), at: 1000)
      #expect(try await history.turn(late.id)?.createdAt == 1000)
      #expect(try await history.turn(late.id)?.answer?.text == "yes")
      #expect(try await history.session(session.id)?.updatedAt == said)
    }
  }

  @Test func `an owner is alive only with its own start time and boot`() throws {
    #expect(Owner.current.isAlive)
    #expect(Owner(Owner.current.text) == Owner.current)
    var other = Owner.current
    other.start = "1"
    #expect(!other.isAlive)
    other = Owner.current
    other.boot = "earlier"
    #expect(!other.isAlive)
    #expect(Owner("nonsense") == nil)
    let child = try Python(
      """
      import os, sys
      print(os.getpid(), open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19], flush=True)
      sys.stdin.read()
      """)
    let said = child.hear().split(whereSeparator: \.isWhitespace)
    let process = try #require(said.first.flatMap { Int32($0) })
    let theirs = Owner(boot: Owner.current.boot, process: process, start: String(try #require(said.last)))
    #expect(theirs.isAlive)
    child.finish()
    #expect(!theirs.isAlive)
  }

  @Test func `eight writers at once lose nothing and are never refused`() async throws {
    try await withHistory { _, path in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for shell in 0..<8 {
          group.addTask {
            let history = try History.open(at: path)
            #expect(history.notices.isEmpty)
            var session = Session(title: "shell \(shell)")
            for number in 0..<5 {
              let turn = try await history.say("question \(number)", in: &session)
              #expect(turn.number == number + 1)
              history.grow(turn.id, text: "half")
              try await history.finish(turn.id, StoredAnswer(text: "answer \(number)", status: .complete))
            }
            await history.close()
          }
        }
        try await group.waitForAll()
      }
      let history = try History.open(at: path)
      let sessions = try await history.recent(20)
      #expect(Set(sessions.map(\.name)) == Set((0..<8).map { "shell \($0)" }))
      #expect(sessions.allSatisfy { $0.turns == 5 && $0.lastStatus == .complete })
      #expect(try await history.health().problems.isEmpty)
      await history.close()
    }
  }

  @Test func `eight first starts at once make one history`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      try await withThrowingTaskGroup(of: Void.self) { group in
        for shell in 0..<8 {
          group.addTask {
            let history = try History.open(at: path)
            #expect(history.notices.isEmpty)
            var session = Session(title: "\(shell)")
            try await history.say("?", in: &session)
            await history.close()
          }
        }
        try await group.waitForAll()
      }
      let history = try History.open(at: path)
      #expect(try await history.recent().count == 8)
      await history.close()
      let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
      #expect(left.filter { !$0.hasSuffix("-journal") } == ["history.sqlite", "history.sqlite.lock"])
    }
  }

  @Test func `a closed history says so`() async throws {
    try await withHistory { history, _ in
      await history.close()
      await history.close()
      await #expect(throws: HistoryError.closed) { try await history.recent() }
      await #expect(throws: HistoryError.closed) {
        try await history.ask(NewTurn(session: Session(), parent: nil, question: .text("x")))
      }
      history.grow(TurnID(key: 1), text: "x")
      history.recall.add("x")
    }
  }
}

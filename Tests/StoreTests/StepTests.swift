import Chat
import Foundation
import GRDB
import TestSupport
import Testing
import Wire

@testable import Store

@Suite struct StepTests {
  @Test func `a round with its calls and what came of them is read back as it was`() async throws {
    try await withHistory { history, path in
      var session = Session(server: Server(name: "gpu1", kind: "openai", url: "http://gpu1:8000/v1"), model: "m")
      let turn = try await history.say("2 + 3?", in: &session)
      var first = ToolStep(
        text: "I shall add.", reasoning: "hm", model: "m-7b", usage: Usage(promptTokens: 5, completionTokens: 7),
        timing: Timing(firstTokenMs: 3, totalMs: 9),
        calls: [
          StoredCall(adding(2, 3, "c1"), tool: "add", server: "peer"),
          StoredCall(
            ToolCall(id: "c1", name: "", arguments: .broken("{\"a\":", .unfinished)),
            result: StoredResult(.invalid, text: "cut off")),
        ])
      first.calls[0].call.sentBack = ["extra_content": ["signature": "s"]]
      first.calls[0].call.sentBackBeside = ["reasoning_content": "hm"]
      let opening = try await history.step(turn.id, first)
      var seen = try #require(try await history.turn(turn.id))
      #expect(seen.steps == [first])
      #expect(seen.answer == nil)

      let result = StoredResult(.done, text: "5", whole: #"{"content":[]}"#, milliseconds: 12)
      try await history.result(opening, call: 0, result)
      first.calls[0].result = result
      var second = ToolStep(text: "", model: "m", calls: [StoredCall(adding(5, 1, "c2"), tool: "add", server: "peer")])
      let closing = try await history.step(turn.id, second)
      try await history.result(closing, call: 0, StoredResult(.failed, text: "no"))
      second.calls[0].result = StoredResult(.failed, text: "no")
      history.grow(turn.id, text: "It")
      try await history.finish(turn.id, StoredAnswer(text: "It is 5.", status: .complete))

      let other = try History.open(at: path)
      #expect(other.notices.isEmpty)
      seen = try #require(try await other.path(of: session.id).first)
      #expect(seen.steps == [first, second])
      #expect(seen.answer == StoredAnswer(text: "It is 5.", status: .complete, model: "m", server: "gpu1"))
      #expect(try await other.turn(number: 1, of: session.id)?.steps == [first, second])
      #expect(try await other.siblings(of: turn.id).first?.steps == [first, second])
      #expect(try await other.recent().first?.lastStatus == .complete)
      #expect(try await other.unfinished() == nil)
      await other.close()
    }
  }

  @Test func `arguments nested as deep as can be read are read back, and so is what is beside them`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session)
      let calls = [125, 126, 127, 1].map { levels in
        StoredCall(ToolCall(id: "\(levels)", name: "dig", arguments: .object(["a": nested(levels)])))
      }
      try await history.step(turn.id, ToolStep(text: "", calls: calls))
      #expect(try await history.turn(turn.id)?.steps.first?.calls == calls)
    }
  }

  @Test func `what grew as the answer becomes the round, and the next answer follows it`() async throws {
    try await withHistory { history, _ in
      var session = Session(model: "m")
      let turn = try await history.say("?", in: &session)
      history.grow(turn.id, text: "I shall")
      history.grow(turn.id, text: "I shall add")
      try await history.step(turn.id, ToolStep(text: "I shall add.", calls: [StoredCall(adding(1, 1, "a"))]))
      var seen = try #require(try await history.turn(turn.id))
      #expect(seen.steps.map(\.text) == ["I shall add."])
      #expect(seen.answer == nil)
      history.grow(turn.id, text: "Two")
      _ = try await history.engine()  // whatever was asked before is done now
      seen = try #require(try await history.turn(turn.id))
      #expect(seen.steps.map(\.text) == ["I shall add."])
      #expect(seen.answer == StoredAnswer(text: "Two", status: nil, model: "m"))
      try await history.finish(turn.id, StoredAnswer(text: "Two.", status: .complete))
      #expect(try await history.turn(turn.id)?.answer?.text == "Two.")
      let rows = try await history.read { db in
        try Row.fetchAll(db, sql: "SELECT role, status FROM message ORDER BY position")
          .map { "\($0["role"] as String? ?? "") \($0["status"] as String? ?? "-")" }
      }
      #expect(rows == ["user -", "assistant complete", "tool -", "assistant complete"])
    }
  }

  @Test func `an answer that is gone on with may become a round, and a retry copies the question alone`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session, answer: StoredAnswer(text: "I", status: .cutOff))
      try await history.step(turn.id, ToolStep(text: "I add", calls: [StoredCall(adding(1, 1, "a"))]))
      try await history.finish(turn.id, StoredAnswer(text: "", status: .interrupted))
      let seen = try #require(try await history.turn(turn.id))
      #expect(seen.steps.map(\.text) == ["I add"])
      #expect(seen.answer?.status == .interrupted)
      let again = try await history.ask(NewTurn(session: session, parent: nil, question: .copy(of: turn.id)))
      let retried = try #require(try await history.turn(again.id))
      #expect(retried.question == "?")
      #expect(retried.steps.isEmpty)
    }
  }

  @Test func `what came of an earlier round stays when a later one could not be kept`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session)
      let step = ToolStep(text: "", calls: [StoredCall(adding(1, 1, "a"))])
      let first = try await history.step(turn.id, step)
      try await history.result(first, call: 0, StoredResult(.done, text: "2"))
      history.grow(turn.id, text: "and")
      // As full as a disk may be.
      try await history.write { db in
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        try db.execute(sql: "PRAGMA max_page_count = \(pages)")
      }
      let long = ToolStep(text: "and " + String(repeating: "x", count: 200_000), calls: step.calls)
      await #expect(throws: HistoryError.full(path: history.path ?? "")) { try await history.step(turn.id, long) }
      try await history.write { db in try db.execute(sql: "PRAGMA max_page_count = 1000000") }
      // What came of a round is told apart from what came of another.
      try await history.result(first, call: 0, StoredResult(.done, text: "two"))
      let second = try await history.step(turn.id, step)
      #expect(second != first)
      try await history.result(first, call: 0, StoredResult(.done, text: "2"))
      try await history.finish(turn.id, StoredAnswer(text: "2.", status: .complete))
      let seen = try #require(try await history.turn(turn.id))
      #expect(seen.steps.map(\.calls[0].result?.text) == ["2", nil])
      #expect(seen.answer?.text == "2.")
      #expect(try await history.health().problems.isEmpty)
    }
  }

  @Test func `a result of a call there is not is refused`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session)
      let result = StoredResult(.done, text: "5")
      let round = try await history.step(turn.id, ToolStep(text: "", calls: [StoredCall(adding(1, 1, "a"))]))
      let other = try await history.step(turn.id, ToolStep(text: "", calls: [StoredCall(adding(1, 1, "b"))]))
      await #expect(throws: HistoryError.noTurn) { try await history.result(round, call: 1, result) }
      await #expect(throws: HistoryError.noTurn) { try await history.result(other, call: -2, result) }
      #expect(try await history.turn(turn.id)?.steps.map(\.calls[0].result) == [nil, nil])
      await #expect(throws: HistoryError.noTurn) {
        try await history.step(TurnID(key: 99), ToolStep(text: "", calls: []))
      }
    }
  }
}

@Suite(.ownThread) struct StepCrashTests {
  @Test func `a turn that died in the middle of its tools is found at the next start and gone on with`() async throws {
    try await withHistory { history, path in
      let other = try Child("turn", path)
      #expect(try other.line() == "1")
      // While it lives nobody else goes on with it.
      let turn = try #require(try await history.session(matching: "theirs").only)
      let here = try #require(try await history.path(of: turn).first)
      #expect(here.steps.map(\.text) == ["I shall add."])
      #expect(here.answer == nil)
      #expect(try await history.unfinished() == nil)
      #expect(try await history.resumeAnswer(of: here.id) == .beingWritten)
      let refused = HistoryError.answeredElsewhere
      await #expect(throws: refused) { try await history.step(here.id, ToolStep(text: "I shall add.", calls: [])) }
      await #expect(throws: refused) {
        try await history.result(StepID(turn: here.id, position: 1), call: 1, StoredResult(.done, text: "mine"))
      }
      await #expect(throws: refused) {
        try await history.finish(here.id, StoredAnswer(text: "5", status: .complete))
      }
      history.grow(here.id, text: "mine")
      _ = try await history.engine()  // whatever was asked before is done now
      #expect(try await history.turn(here.id) == here)
      let watching = try History.open(at: path)
      #expect(watching.notices.isEmpty)
      await watching.close()

      other.kill()
      let next = try History.open(at: path)
      #expect(next.notices == [.recovered(answers: 1)])
      #expect(try await next.recent().first?.lastStatus == .interrupted)
      let unfinished = try #require(try await next.unfinished()?.turn)
      #expect(unfinished.answer == nil)
      #expect(unfinished.steps.first?.calls.map(\.result) == [StoredResult(.done, text: "five", milliseconds: 7), nil])
      #expect(try await next.search(["five"]).map(\.role) == [.tool])
      guard case .free(let free) = try await next.resumeAnswer(of: unfinished.id) else {
        Issue.record("its writer is gone")
        return
      }
      #expect(free == unfinished)
      // Going on makes it ours.
      try await next.result(StepID(turn: free.id, position: 1), call: 1, StoredResult(.cancelled, text: "unknown"))
      let again = try History.open(at: path)
      #expect(again.notices.isEmpty)
      await again.close()
      try await next.finish(free.id, StoredAnswer(text: "5", status: .complete))
      let whole = try #require(try await next.turn(free.id))
      #expect(whole.steps.first?.calls.last?.result == StoredResult(.cancelled, text: "unknown"))
      #expect(whole.answer?.text == "5")
      #expect(try await next.health().problems.isEmpty)
      await next.close()
    }
  }

  @Test func `whenever a writer of rounds is killed, what it said it kept is there, whole`() async throws {
    try await withHistory { _, path in
      for _ in 0..<6 {
        let other = try Child("rounds", path)
        var said = [try other.line()]
        usleep(UInt32.random(in: 0..<60_000))  // timed: killed at any moment
        said += other.kill()
        let history = try History.open(at: path)
        try expect(try await history.unfinished()?.turn, toBe: said)
        #expect(try await history.health().problems.isEmpty)
        try await history.forgetAll()
        await history.close()
      }
    }
  }

  @Test func `of two writers of rounds in one session, one that is killed takes nothing from the other`() async throws {
    try await withHistory { _, path in
      for _ in 0..<3 {
        let (one, two) = (try Child("rounds", path), try Child("rounds", path))
        var (ones, twos) = ([try one.line()], [try two.line()])
        usleep(UInt32.random(in: 0..<60_000))  // timed: killed at any moment
        ones += one.kill()
        let between = try History.open(at: path)
        #expect(between.notices == [.recovered(answers: 1)])
        #expect(try await between.health().problems.isEmpty)
        await between.close()
        twos += [try two.line(), try two.line()]
        twos += two.kill()
        let history = try History.open(at: path)
        #expect(history.notices == [.recovered(answers: 1)])
        for said in [ones, twos] {
          let number = try #require(said[0].split(separator: " ").last.flatMap { Int($0) })
          try expect(try await history.turn(number: number, of: SessionID("rounds")), toBe: said)
        }
        #expect(try await history.health().problems.isEmpty)
        try await history.forgetAll()
        await history.close()
      }
    }
  }

  /// What a writer of rounds said that it kept is there, and at most what it was about to say.
  private func expect(_ turn: Turn?, toBe said: [String]) throws {
    let turn = try #require(turn)
    let kept = said.filter { $0.hasPrefix("step") }.count
    #expect([kept, kept + 1].contains(turn.steps.count))
    #expect(turn.steps.indices.allSatisfy { turn.steps[$0].text.hasPrefix("\($0 + 1)") })
    #expect(turn.steps.allSatisfy { $0.text.utf8.count > 20_000 && $0.calls.count == 1 })
    let results = said.filter { $0.hasPrefix("result") }.count
    let whole = turn.steps.prefix { $0.calls[0].result?.text == $0.text }.count
    #expect([results, results + 1].contains(whole))
  }

  @Test func `who answers a turn that was forgotten meanwhile writes into no other`() async throws {
    try await withHistory { history, path in
      let other = try History.open(at: path)
      var theirs = Session(title: "theirs")
      for isWhole in [true, false] {
        var session = Session(title: "ours")
        let turn = try await history.say("the secret?", in: &session)
        let round = try await history.step(turn.id, ToolStep(text: "", calls: [StoredCall(adding(1, 1, "a"))]))
        if isWhole { try await other.forget(session.id) } else { try await other.forget(turn.id) }
        let next = try await other.say("another question", in: &theirs)
        let gone = HistoryError.noTurn
        history.grow(turn.id, text: "the secret")
        await #expect(throws: gone) { try await history.result(round, call: 0, StoredResult(.done, text: "secret")) }
        await #expect(throws: gone) { try await history.step(turn.id, ToolStep(text: "secret", calls: [])) }
        await #expect(throws: gone) {
          try await history.finish(turn.id, StoredAnswer(text: "secret", status: .complete))
        }
        let seen = try #require(try await other.turn(next.id))
        #expect(seen.question == "another question" && seen.answer == nil && seen.steps.isEmpty)
      }
      #expect(try await other.search(["secret"]).isEmpty)
      #expect(try await other.health().problems.isEmpty)
      await other.close()
    }
  }
}

@Suite struct StepStorageTests {
  private let step = ToolStep(
    text: "I look into the almanac", calls: [StoredCall(adding(2, 3, "a"), tool: "add", server: "peer")])
  private let result = StoredResult(
    .timedOut, text: "the barometer says nothing", whole: #"{"a":1}"#, milliseconds: 30_000)

  @Test func `texts of rounds and results of tools are found, and forgotten`() async throws {
    try await withHistory { history, path in
      var session = Session(title: "weather", model: "m")
      let turn = try await history.say("what now?", in: &session)
      let round = try await history.step(turn.id, step)
      try await history.result(round, call: 0, result)
      #expect(try await history.search(["almanac"]).isEmpty)  // it is being written
      try await history.finish(turn.id, StoredAnswer(text: "sunny", status: .complete))
      #expect(try await history.search(["almanac"]).map(\.role) == [.assistant])
      var filter = SearchFilter()
      filter.role = .tool
      let hits = try await history.search(["barometer"], filter)
      #expect(hits.map(\.role) == [.tool])
      #expect(hits.map(\.number) == [1])
      #expect(try await history.search(["barom", "noth"], filter).count == 1)
      #expect(try await history.search(["arome"], filter).count == 1)
      // A result that comes again takes the place of the one before.
      try await history.result(round, call: 0, StoredResult(.done, text: "hygrometer"))
      #expect(try await history.search(["barometer"]).isEmpty)
      // So does an answer that ends twice.
      for text in ["sunny", "sunny at last"] {
        try await history.finish(turn.id, StoredAnswer(text: text, status: .complete))
        #expect(try await history.search(["sunny"]).map(\.number) == [1])
      }
      #expect(try await history.health().problems.isEmpty)
      try await history.forget(turn.id)
      #expect(try await history.search(["hygrometer"]).isEmpty)
      await history.close()
      let bytes = try #require(try AtomicFile.read(path))
      for word in ["hygrometer", "almanac", "barometer"] {
        #expect(bytes.firstRange(of: Array(word.utf8)) == nil, "\(word)")
      }
    }
  }

  @Test func `on a full disk a session is forgotten with every word, or not at all`() async throws {
    try await withHistory { history, path in
      for number in 0..<6 {
        var session = Session(title: "filling")
        let words = (0..<3_000).map { "w\($0 * 7 + number)" }.joined(separator: " ")
        let turn = try await history.say("filling", in: &session)
        let round = try await history.step(turn.id, step)
        try await history.result(round, call: 0, StoredResult(.done, text: words))
        try await history.finish(turn.id, StoredAnswer(text: "", status: .complete))
      }
      var session = Session(title: "secret")
      let turn = try await history.say("what now?", in: &session)
      let round = try await history.step(turn.id, step)
      try await history.result(round, call: 0, result)
      try await history.write { db in
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        try db.execute(sql: "PRAGMA max_page_count = \(pages)")
      }
      await #expect(throws: HistoryError.full(path: path)) { try await history.forget(session.id) }
      #expect(try await history.turn(turn.id)?.steps.first?.calls.first?.result == result)
      #expect(try await history.search(["barometer"]).count == 1)
      try await history.write { db in try db.execute(sql: "PRAGMA max_page_count = 1000000") }
      try await history.forget(session.id)
      #expect(try await history.health().problems.isEmpty)
      await history.close()
      let bytes = try #require(try AtomicFile.read(path))
      #expect(bytes.firstRange(of: Array("barometer".utf8)) == nil)
    }
  }

  @Test func `what is saved from a damaged file has its rounds`() async throws {
    try await withHistory { history, path in
      var session = Session(title: "weather")
      let turn = try await history.say("?", in: &session)
      let round = try await history.step(turn.id, step)
      try await history.result(round, call: 0, result)
      try await history.finish(turn.id, StoredAnswer(text: "sunny", status: .complete))
      let before = try #require(try await history.turn(turn.id))
      await history.close()
      let (_, saved) = try Salvage(file: HistoryFile(path), migrations: Schema.migrations, now: 5).run()
      #expect(saved.messages == 4)
      let next = try History.open(at: path)
      #expect(try await next.turn(turn.id) == before)
      #expect(before.steps.first?.calls.first?.result == result)
      #expect(try await next.health().problems.isEmpty)
      // A round that lost its calls' rows has calls without results, and calls without their round are left out.
      try await next.change { db in try db.execute(sql: "DELETE FROM message WHERE role = 'tool'") }
      #expect(try await next.turn(turn.id)?.steps == [step])
      await next.close()
    }
  }

  @Test(arguments: 1..<Schema.migrations.count)
  func `a file of every earlier schema is upgraded where it is, and an old program goes on beside it`(
    version: Int
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let old = try DatabaseConnection.build(path)
      try await old.write { db in
        try db.execute(sql: "PRAGMA user_version = 0")
      }
      try old.inDatabase { db in
        try Upgrade.run(Array(Schema.migrations.prefix(version)), on: db, now: 1)
        try db.execute(sql: FirstSchema.rows)
        #expect(try Upgrade.version(of: db) == version)
        #expect(try db.columns(in: "message").map(\.name).contains("tool_calls") == (version > 1))
      }
      try old.close()

      let history = try History.open(at: path)
      #expect(history.notices == [.recovered(answers: 1)])
      #expect(HistoryFile(path).asides("backup").count == 1)
      let session = try #require(try await history.latest())
      #expect(session.remote == nil)
      try await history.setRemote("theirs", of: session.id)
      #expect(try await history.session(session.id)?.remote == "theirs")
      let turns = try await history.path(of: session.id)
      #expect(turns.map(\.question) == ["first question", "second question"])
      #expect(turns.map(\.answer?.status) == [.complete, .interrupted])
      #expect(turns.map(\.steps) == [[], []])
      #expect(try await history.search(["first"]).count == 2)
      try await history.step(turns[1].id, ToolStep(text: "second answer, so far: I add", calls: step.calls))
      #expect(try await history.turn(turns[1].id)?.steps.first?.calls == step.calls)
      try await history.write { db in try db.execute(sql: FirstSchema.another) }
      let third = try #require(try await history.turn(number: 3, of: session.id))
      #expect(third.answer?.text == "third answer")
      #expect(third.steps.isEmpty)
      #expect(try await history.health().problems.isEmpty)
      await history.close()
    }
  }

  @Test func `a word of a later version does not lose the round`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session)
      let round = try await history.step(turn.id, step)
      try await history.result(round, call: 0, result)
      try await history.write { db in
        try db.execute(sql: "UPDATE message SET tool_status = 'postponed' WHERE role = 'tool'")
      }
      #expect(try await history.turn(turn.id)?.steps.first?.calls.first?.result?.status == .failed)
      try await history.write { db in try db.execute(sql: "UPDATE message SET tool_calls = '{' WHERE position = 1") }
      #expect(try await history.turn(turn.id)?.steps == [ToolStep(text: step.text, calls: [])])
    }
  }
}

/// What a program that knows the first schema writes.
enum FirstSchema {
  static let rows = """
    INSERT INTO session (key, id, title, opening, created_at, updated_at, head) VALUES (1, 's', 't', 'first', 1, 2, NULL);
    INSERT INTO turn (key, session, parent, number, created_at) VALUES (1, 1, NULL, 1, 1), (2, 1, 1, 2, 2);
    UPDATE session SET head = 2;
    INSERT INTO message (id, turn, position, role, content, created_at, status, owner) VALUES
      ('a', 1, 0, 'user', 'first question', 1, NULL, NULL),
      ('b', 1, 1, 'assistant', 'first answer', 1, 'complete', 'boot/1/1'),
      ('c', 2, 0, 'user', 'second question', 2, NULL, NULL),
      ('d', 2, 1, 'assistant', 'second answer, so far', 2, 'streaming', 'boot/1/1');
    INSERT INTO recall (text, created_at) VALUES ('first question', 1), ('second question', 2);
    """
  static let another = """
    INSERT INTO turn (key, session, parent, number, created_at) VALUES (3, 1, 2, 3, 3);
    INSERT INTO message (id, turn, position, role, content, created_at) VALUES ('e', 3, 0, 'user', 'third', 3);
    INSERT INTO message (id, turn, position, role, content, reasoning, created_at, status, owner, model, server)
      SELECT 'f', turn.key, 1, 'assistant', 'third', '', 3, 'streaming', 'boot/1/1', session.model, session.server_name
      FROM turn JOIN session ON session.key = turn.session WHERE turn.key = 3
      ON CONFLICT (turn, position) DO UPDATE SET content = excluded.content;
    UPDATE message SET content = 'third answer', status = 'complete' WHERE id = 'f';
    """
}

/// A process of its own that writes, and ends with the test.
final class Child {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var heard: [UInt8] = []

  init(_ what: String, _ path: String) throws {
    process.executableURL = probe
    process.arguments = [what, path]
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

  deinit { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

  /// The next line it says.
  func line() throws -> String {
    while true {
      if let end = heard.firstIndex(of: UInt8(ascii: "\n")) {
        defer { heard.removeFirst(end + 1) }
        return String(decoding: heard[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw CancellationError() }  // it ended
      heard += more
    }
  }

  /// Kills it where it stands; gives the lines it has said since.
  @discardableResult
  func kill() -> [String] {
    Foundation.kill(process.processIdentifier, SIGKILL)
    heard += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: heard, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

extension SessionMatch {
  fileprivate var only: SessionID? { if case .one(let summary) = self { summary.id } else { nil } }
}

/// As many lists in one another.
func nested(_ levels: Int) -> JSON { (0..<levels).reduce(JSON.null) { inner, _ in .array([inner]) } }

func adding(_ a: Int, _ b: Int, _ id: String) -> ToolCall {
  ToolCall(id: id, name: "add", arguments: .object(["a": .int(a), "b": .int(b)]))
}

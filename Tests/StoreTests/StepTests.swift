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
      try await history.step(turn.id, first)
      var seen = try #require(try await history.turn(turn.id))
      #expect(seen.steps == [first])
      #expect(seen.answer == nil)

      let result = StoredResult(.done, text: "5", whole: #"{"content":[]}"#, milliseconds: 12)
      try await history.result(turn.id, call: 0, result)
      first.calls[0].result = result
      var second = ToolStep(text: "", model: "m", calls: [StoredCall(adding(5, 1, "c2"), tool: "add", server: "peer")])
      try await history.step(turn.id, second)
      try await history.result(turn.id, call: 0, StoredResult(.failed, text: "no"))
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

  @Test func `a result of a call there is not is refused`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("?", in: &session)
      let result = StoredResult(.done, text: "5")
      let key = Int(turn.id.key)
      await #expect(throws: HistoryError.noTurn(key)) { try await history.result(turn.id, call: 0, result) }
      try await history.step(turn.id, ToolStep(text: "", calls: [StoredCall(adding(1, 1, "a"))]))
      await #expect(throws: HistoryError.noTurn(key)) { try await history.result(turn.id, call: 1, result) }
      await #expect(throws: HistoryError.noTurn(key)) { try await history.result(turn.id, call: -1, result) }
      await #expect(throws: HistoryError.noTurn(99)) {
        try await history.step(TurnID(key: 99), ToolStep(text: "", calls: []))
      }
    }
  }
}

func adding(_ a: Int, _ b: Int, _ id: String) -> ToolCall {
  ToolCall(id: id, name: "add", arguments: .object(["a": .int(a), "b": .int(b)]))
}

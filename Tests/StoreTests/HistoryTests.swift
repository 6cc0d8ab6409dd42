import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// A history in a directory of its own.
func withHistory<T>(
  now: @escaping @Sendable () -> Int = { 1_000 }, _ body: (History, String) async throws -> T
) async throws -> T {
  try await withTemporaryDirectory { directory in
    let path = directory.path + "/data/history.sqlite"
    let history = try History.open(at: path, now: now)
    let value = try await body(history, path)
    await history.close()
    return value
  }
}

extension History {
  /// Asks at the session's head, as the shell does.
  @discardableResult
  func say(_ text: String, in session: inout Session, answer: StoredAnswer? = nil) async throws -> StoredTurn {
    let turn = try await ask(NewTurn(session: session, parent: session.head, question: .text(text)))
    session.head = turn.id
    if let answer { try await finish(turn.id, answer) }
    return turn
  }
}

@Suite struct HistoryTests {
  @Test func `a question is on disk when ask returns`() async throws {
    try await withHistory { history, path in
      var session = Session(server: Server(name: "gpu1", kind: "openai", url: "http://gpu1:8000/v1"), model: "m")
      session.sampling = Sampling(temperature: 0.4, stop: ["END"])
      try await history.say("why?", in: &session)
      let other = try History.open(at: path)
      let latest = try #require(try await other.latest())
      #expect(latest.id == session.id)
      #expect(latest.sampling == session.sampling)
      #expect(latest.server == session.server)
      let turns = try await other.path(of: session.id)
      #expect(turns.map(\.question) == ["why?"])
      #expect(turns.map(\.number) == [1])
      #expect(turns[0].answer == nil)
      let unfinished = try await other.unfinished()
      #expect(unfinished?.turn.id == session.head)
      await other.close()
    }
  }

  @Test func `a session without a message is not stored`() async throws {
    try await withHistory { history, _ in
      let latest = try await history.latest()
      #expect(latest == nil)
      #expect(try await history.recent().isEmpty)
      #expect(history.notices.isEmpty)
    }
  }

  @Test func `a finished answer comes back whole`() async throws {
    try await withHistory { history, _ in
      var session = Session(server: Server(name: "gpu1", kind: "openai", url: "u"), model: "asked")
      let answer = StoredAnswer(
        text: "because", reasoning: "hm", status: .length, model: "answered", server: "gpu1", error: nil,
        usage: Usage(promptTokens: 3, completionTokens: 5, cost: 0.25), timing: Timing(firstTokenMs: 7, totalMs: 90))
      let turn = try await history.say("why?", in: &session, answer: answer)
      let stored = try await history.turn(turn.id)
      #expect(stored?.answer == answer)
      let unfinished = try await history.unfinished()
      #expect(unfinished?.turn.id == turn.id)
      try await history.finish(turn.id, StoredAnswer(text: "because of it", status: .complete))
      let final = try #require(try await history.turn(turn.id)?.answer)
      #expect(final == StoredAnswer(text: "because of it", status: .complete, model: "asked", server: "gpu1"))
      let rest = try await history.unfinished()
      #expect(rest == nil)
    }
  }
}

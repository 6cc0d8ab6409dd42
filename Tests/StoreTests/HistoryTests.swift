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

@Suite struct HistoryBranchTests {
  @Test func `an answer that grows and ends stays the row that it was`() async throws {
    try await withHistory { history, _ in
      let session = Session(model: "m")
      let turn = try await history.ask(
        NewTurn(session: session, parent: nil, question: .text("?"), isBeingAsked: true))
      func row() async throws -> [String] {
        // The writer's queue: behind what grows.
        try await history.write { db in
          let sql =
            "SELECT key || '|' || id || '|' || created_at || '|' || model || '|' || content || '|' || status FROM message WHERE position = 1"
          return try String.fetchOne(db, sql: sql) ?? ""
        }.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      }
      let begun = try await row()
      #expect(Array(begun.suffix(3)) == ["m", "", "streaming"])
      history.grow(turn.id, text: "On")
      #expect(try await row() == Array(begun.prefix(4)) + ["On", "streaming"])
      try await history.finish(turn.id, StoredAnswer(text: "One.", status: .complete))
      #expect(try await row() == Array(begun.prefix(4)) + ["One.", "complete"])
      #expect(try await history.search(["One"]).count == 1)
      try await history.finish(turn.id, StoredAnswer(text: "Two.", status: .complete))
      #expect(try await history.search(["One"]).isEmpty)
      #expect(try await history.health().problems.isEmpty)
    }
  }

  @Test func `a retry is a sibling with the same question and its own number`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      try await history.say("one", in: &session, answer: StoredAnswer(text: "1", status: .complete))
      let second = try await history.say("two", in: &session, answer: StoredAnswer(text: "2", status: .complete))
      let retry = try await history.ask(
        NewTurn(session: session, parent: second.parent, question: .copy(of: second.id)))
      #expect(retry.number == 3)
      #expect(!retry.becameBranch)
      #expect(try await history.siblings(of: retry.id).map(\.id) == [second.id, retry.id])
      #expect(try await history.path(of: session.id).map(\.question) == ["one", "two"])
      #expect(try await history.path(of: session.id).map(\.number) == [1, 3])
      try await history.moveHead(of: session.id, to: second.id)
      #expect(try await history.path(of: session.id).map(\.number) == [1, 2])
      try await history.moveHead(of: session.id, to: nil)
      #expect(try await history.path(of: session.id).isEmpty)
      let first = try #require(try await history.turn(number: 1, of: session.id))
      #expect(try await history.tip(of: first.id) == retry.id)
      #expect(try await history.siblings(of: first.id).map(\.number) == [1])
    }
  }

  @Test func `a second shell on the same session is told and gets a branch`() async throws {
    try await withHistory { here, path in
      var session = Session()
      try await here.say("first", in: &session)
      let there = try History.open(at: path)
      var same = try #require(try await there.latest())
      #expect(same.head == session.head)
      let theirs = try await there.say("from there", in: &same)
      let ours = try await here.say("from here", in: &session)
      #expect(!theirs.becameBranch)
      #expect(ours.becameBranch)
      #expect(ours.parent == theirs.parent)
      #expect(try await here.siblings(of: ours.id).map(\.question) == ["from there", "from here"])
      #expect(try await here.path(of: session.id).map(\.question) == ["first", "from here"])
      await there.close()
    }
  }

  @Test func `the path to a turn of another branch leaves the head where it is`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let first = try await history.say("one", in: &session, answer: StoredAnswer(text: "1", status: .complete))
      let second = try await history.say("two", in: &session, answer: StoredAnswer(text: "2", status: .complete))
      let other = try await history.ask(NewTurn(session: session, parent: first.id, question: .text("other")))
      #expect(try await history.path(to: second.id).map(\.question) == ["one", "two"])
      #expect(try await history.path(to: second.id).map(\.answer?.text) == ["1", "2"])
      #expect(try await history.path(to: first.id).map(\.number) == [1])
      #expect(try await history.session(session.id)?.head == other.id)
      await #expect(throws: HistoryError.noTurn) { try await history.path(to: TurnID(key: 99)) }
    }
  }

  @Test func `a turn that is not kept is neither a parent nor copied`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      try await history.say("a", in: &session)
      let unsaved = Turn.unsaved(
        in: session.id, number: 2, parent: session.head, question: "b",
        answer: StoredAnswer(text: "c", status: .complete), at: 1)
      #expect(!unsaved.isKept)
      for new in [
        NewTurn(session: session, parent: unsaved.id, question: .text("x")),
        NewTurn(session: session, parent: session.head, question: .copy(of: unsaved.id)),
      ] {
        await #expect(throws: HistoryError.noTurn) { try await history.ask(new) }
      }
      #expect(try await history.path(of: session.id).map(\.question) == ["a"])
    }
  }

  @Test func `a turn or session that is not there is an error`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      var other = Session()
      try await history.say("a", in: &session)
      let foreign = try await history.say("b", in: &other)
      await #expect(throws: HistoryError.noTurn) {
        try await history.ask(NewTurn(session: session, parent: foreign.id, question: .text("x")))
      }
      await #expect(throws: HistoryError.noTurn) {
        try await history.moveHead(of: session.id, to: foreign.id)
      }
      await #expect(throws: HistoryError.noTurn) {
        try await history.finish(TurnID(key: 99), StoredAnswer(text: "", status: .complete))
      }
      await #expect(throws: HistoryError.noSession("nobody")) {
        try await history.setTitle("x", of: SessionID("nobody"))
      }
    }
  }

  @Test func `an automatic title never replaces one given by the person`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      try await history.say("a", in: &session)
      try await history.setTitle("auto", of: session.id, isManual: false)
      #expect(try await history.session(session.id)?.title ?? "" == "auto")
      try await history.setTitle("mine", of: session.id)
      try await history.setTitle("auto again", of: session.id, isManual: false)
      try await history.setSystemPrompt("Be brief.", of: session.id)
      let stored = try #require(try await history.session(session.id))
      #expect(stored.title == "mine")
      #expect(stored.systemPrompt == "Be brief.")
    }
  }
}

@Suite struct SessionListTests {
  @Test func `recent sessions come newest first with what a list shows`() async throws {
    let clock = Clock()
    try await withHistory(now: clock.next) { history, _ in
      for number in 1...5 {
        var session = Session(server: Server(name: "gpu", kind: "k", url: "u"), model: "m\(number)")
        try await history.say("question\n  number \(number)", in: &session)
        try await history.say("again", in: &session, answer: StoredAnswer(text: "x", status: .stalled))
      }
      let page = try await history.recent(2, offset: 1)
      #expect(page.map(\.model) == ["m4", "m3"])
      #expect(page.map(\.name) == ["question number 4", "question number 3"])
      #expect(page.map(\.turns) == [2, 2])
      #expect(page.map(\.lastStatus) == [.stalled, .stalled])
      #expect(page[0].server == "gpu")
    }
  }

  @Test func `a session is found by id prefix, exact title and words, and by nothing looser`() async throws {
    try await withHistory { history, _ in
      var ids: [String: SessionID] = [:]
      for title in ["Deploy", "Deploy the gateway", "Tune the database pool"] {
        var session = Session(title: title)
        try await history.say("?", in: &session)
        ids[title] = session.id
      }
      func find(_ words: String) async throws -> [SessionID] {
        switch try await history.session(matching: words) {
        case .none: []
        case .one(let found): [found.id]
        case .several(let found, _): found.map(\.id)
        }
      }
      let tune = try #require(ids["Tune the database pool"])
      #expect(try await find(String(tune.text.prefix(13))) == [tune])
      #expect(try await find(tune.text.uppercased()) == [tune])
      #expect(try await find("deploy") == [ids["Deploy"]])
      #expect(try await find("pool DATABASE") == [tune])
      #expect(try await find("tndp").isEmpty)
      #expect(try await find("TÜNE").isEmpty)
      #expect(try await find("the").count == 2)
      #expect(try await find("qqq").isEmpty)
      #expect(try await find("%").isEmpty)
      #expect(try await find("").isEmpty)
    }
  }

  @Test func `a session of another program is found by what lists print of its id`() async throws {
    try await withHistory { history, _ in
      for id in ["01m8emm2xq", "ABCDEF12-x"] {
        var session = Session(id: SessionID(id), title: "Of \(id.count) letters")
        try await history.say("?", in: &session)
      }
      func find(_ words: String) async throws -> [String] {
        if case .one(let found) = try await history.session(matching: words) { [found.id.text] } else { [] }
      }
      for typed in ["01m8emm2", "01M8EMM2"] { #expect(try await find(typed) == ["01m8emm2xq"]) }
      for typed in ["ABCDEF12", "abcdef12", "abcd"] { #expect(try await find(typed) == ["ABCDEF12-x"]) }
      // Few letters may be a word of a title.
      #expect(try await find("01m8em").isEmpty)
    }
  }
}

/// A clock that moves on by a second each time it is looked at.
// The lock guards `time`.
final class Clock: @unchecked Sendable {
  private let lock = NSLock()
  private var time = 1_000_000

  @Sendable func next() -> Int {
    lock.withLock {
      time += 1_000
      return time
    }
  }
}

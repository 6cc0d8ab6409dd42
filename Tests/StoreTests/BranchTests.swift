import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// Branches of a session, and sessions that begin with a copy of another.
@Suite struct BranchTests {
  private let notes = AttachedFile(path: "/home/a/notes.txt", name: "notes.txt", bytes: Array("notes".utf8))

  @Test func `all turns of a session are known by their places`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let first = try await history.say("one\ntwo", in: &session, answer: StoredAnswer(text: "x", status: .complete))
      let second = try await history.say("second", in: &session)
      session.head = first.id
      let other = try await history.say("other", in: &session, answer: StoredAnswer(text: "y", status: .length))
      var elsewhere = Session()
      try await history.say("elsewhere", in: &elsewhere)
      let places = try await history.places(of: session.id)
      #expect(places.map(\.id) == [first.id, second.id, other.id])
      #expect(places.map(\.parent) == [nil, first.id, first.id])
      #expect(places.map(\.opening) == ["one two", "second", "other"])
      #expect(places.map(\.status) == [.complete, nil, .length])
    }
  }

  @Test func `a fork has copies of the turns up to one, with all that belongs to them`() async throws {
    try await withHistory { history, path in
      var session = Session(systemPrompt: "Be brief.", server: Server(name: "gpu1", kind: "openai", url: "http://gpu1"))
      let first = try await history.ask(
        NewTurn(session: session, parent: nil, question: .text("look"), files: [notes]))
      session.head = first.id
      let answer = StoredAnswer(
        text: "a", reasoning: "because", status: .complete, model: "m", usage: Usage(promptTokens: 3))
      try await history.finish(first.id, answer)
      let second = try await history.say("second", in: &session, answer: StoredAnswer(text: "b", status: .interrupted))
      try await history.say("third", in: &session)
      let answers = try await history.path(of: session.id).prefix(2).map(\.answer)
      let fork = try await history.fork(upTo: second.id)
      let copied = try #require(try await history.session(fork))
      #expect(copied.systemPrompt == "Be brief." && copied.server == session.server && copied.remote == nil)
      let turns = try await history.path(of: fork)
      #expect(turns.map(\.question) == ["look", "second"] && turns.map(\.number) == [1, 2])
      #expect(turns.map(\.answer) == answers && answers.first??.reasoning == "because")
      #expect(try await history.reading(turns[0].files) == [notes])
      // Each is whole without the other, in the index too.
      #expect(try await history.search(["because"]).count == 2)
      try await history.forget(session.id)
      #expect(try await history.path(of: fork).map(\.question) == ["look", "second"])
      #expect(try await history.reading(turns[0].files) == [notes])
      #expect(try await history.search(["because"]).count == 1)
      #expect(try await history.health().problems.isEmpty)
      await #expect(throws: HistoryError.self) { try await history.fork(upTo: TurnID(key: 999)) }
    }
  }

  @Test func `where what is sent begins is kept, and a fork has it at its own numbers`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let first = try await history.say("one", in: &session)
      try await history.say("on another branch", in: &session)
      session.head = first.id
      let third = try await history.say("two", in: &session)
      let fourth = try await history.say("three", in: &session)
      try await history.mark(third.id, .start, last: fourth.number)
      try await history.mark(first.id, .end, last: fourth.number)
      #expect(try await history.path(of: session.id).map(\.contextStart) == [nil, 4, nil])
      #expect(try await history.path(of: session.id).map(\.contextEnd) == [4, nil, nil])
      let fork = try await history.fork(upTo: fourth.id)
      #expect(try await history.path(of: fork).map(\.contextStart) == [nil, 3, nil])
      #expect(try await history.path(of: fork).map(\.contextEnd) == [3, nil, nil])
      try await history.clearContext(of: [first.id, third.id])
      #expect(try await history.path(of: session.id).allSatisfy { $0.contextStart == nil && $0.contextEnd == nil })
      #expect(try await history.path(of: fork).map(\.contextStart) == [nil, 3, nil])
      await #expect(throws: HistoryError.self) { try await history.mark(TurnID(key: 999), .end, last: 1) }
    }
  }

  @Test func `what is left out up to a turn stays so when that turn is forgotten`() async throws {
    try await withHistory { (history, _) async throws in
      var session = Session()
      let turns = [
        try await history.say("one", in: &session), try await history.say("two", in: &session),
        try await history.say("three", in: &session),
      ]
      try await history.mark(turns[1].id, .end, last: 3)
      try await history.forget(turns[1].id)
      #expect(try await history.path(of: session.id).map(\.contextEnd) == [3, nil])
      try await history.forget(turns[0].id)
      #expect(try await history.path(of: session.id).map(\.contextEnd) == [nil])
    }
  }

  @Test func `a fork is called by its own first question`() async throws {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("first of all", in: &session)
      session.head = nil
      let other = try await history.say("instead", in: &session)
      let fork = try await history.fork(upTo: other.id)
      #expect(try await history.recent().first { $0.id == fork }?.name == "instead")
      #expect(History.places(at: path, of: session.id).map(\.opening) == ["first of all", "instead"])
    }
  }

  @Test func `an answer that is being written is not copied`() async throws {
    try await withHistory { history, _ in
      let asked = try await history.ask(
        NewTurn(session: Session(), parent: nil, question: .text("slow"), isBeingAsked: true))
      let fork = try await history.fork(upTo: asked.id)
      #expect(try await history.path(of: fork).map(\.answer) == [nil])
    }
  }
}

/// What people put to sessions, and what is left of what they forget.
@Suite struct OrderTests {
  @Test func `tags are words of a session, which a search can ask for`() async throws {
    try await withHistory { history, path in
      var session = Session()
      try await history.say("roses", in: &session)
      var other = Session()
      try await history.say("roses", in: &other)
      #expect(
        try await history.tag(session.id, adding: ["plans", "garden", "plans"], removing: []) == ["garden", "plans"])
      #expect(try await history.tag(session.id, adding: [], removing: ["plans", "none"]) == ["garden"])
      #expect(try await history.session(session.id)?.tags == ["garden"])
      #expect(try await history.recent().map(\.tags) == [[], ["garden"]])
      var filter = SearchFilter()
      filter.tag = "garden"
      #expect(try await history.search(["roses"], filter).map(\.session) == [session.id])
      #expect(try await history.tags().map(\.word) == ["garden"])
      #expect(History.tags(at: path).map(\.sessions) == [1])
      await #expect(throws: HistoryError.noSession("x")) {
        try await history.tag(SessionID("x"), adding: ["a"], removing: [])
      }
      try await history.forget(session.id)
      #expect(try await history.tags().isEmpty)
    }
  }

  @Test func `pinned sessions come first, page by page, and archived ones not at all`() async throws {
    let clock = Clock()
    try await withHistory(now: clock.next) { history, _ in
      var ids: [SessionID] = []
      for number in 0..<7 {
        var session = Session(title: "\(number)")
        try await history.say("a", in: &session)
        ids.append(session.id)
      }
      try await history.setPinned(true, of: ids[1])
      try await history.setPinned(true, of: ids[4])
      try await history.setArchived(true, of: ids[6])
      let all = ["4", "1", "5", "3", "2", "0"]
      #expect(try await history.recent().map(\.name) == all)
      for size in 1...6 {
        var seen: [String] = []
        for offset in stride(from: 0, to: 8, by: size) {
          seen += try await history.recent(size, offset: offset).map(\.name)
        }
        #expect(seen == all)
      }
      #expect(try await history.newest(4).map(\.name) == ["5", "4", "3", "2"])
      #expect(try await history.recent(archived: true).map(\.name) == ["6"])
      #expect(try await history.count(archived: true) == 1)
      try await history.setPinned(false, of: ids[1])
      #expect(try await history.recent().map(\.name) == ["4", "5", "3", "2", "1", "0"])
    }
  }

  @Test func `what was typed goes with what is forgotten, and so does the name that it gave`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let first = try await history.say("canary one", in: &session)
      try await history.say("second", in: &session)
      for line in ["canary one", "/edit #1 canary one", "second", "other"] { #expect(await history.recall.save(line)) }
      try await history.forget(first.id)
      #expect((0..<3).map { history.recall.line($0) } == ["other", "second", nil])
      #expect(try await history.recent().map(\.name) == ["second"])
      try await history.forget(session.id)
      #expect((0..<2).map { history.recall.line($0) } == ["other", nil])
    }
  }
}

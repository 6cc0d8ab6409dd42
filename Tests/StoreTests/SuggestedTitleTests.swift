import Chat
import Testing

@testable import Store

@Suite struct SuggestedTitleTests {
  @Test func `a session without a title takes one, and stays open for another of the person's`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("a", in: &session)
      let named = try #require(try await history.suggestTitle("Letters", of: session.id, madeOf: turn.id))
      #expect(named.title == "Letters" && !named.titleIsManual)
      #expect(try await history.recent(1).first?.title == "Letters")
      try await history.setTitle("Mine", of: session.id)
      #expect(try await history.session(session.id)?.title == "Mine")
    }
  }

  @Test func `a title that is there stays, wherever it is from`() async throws {
    try await withHistory { history, _ in
      for isManual in [true, false] {
        var session = Session()
        let turn = try await history.say("a", in: &session)
        try await history.setTitle("before", of: session.id, isManual: isManual)
        let named = try #require(try await history.suggestTitle("late", of: session.id, madeOf: turn.id))
        #expect(named.title == "before" && named.titleIsManual == isManual)
        #expect(try await history.session(session.id)?.title == "before")
      }
    }
  }

  @Test func `two shells that suggest one agree on the first`() async throws {
    try await withHistory { history, path in
      var session = Session()
      let turn = try await history.say("a", in: &session)
      let other = try History.open(at: path)
      let first = try await other.suggestTitle("first", of: session.id, madeOf: turn.id)
      let second = try await history.suggestTitle("second", of: session.id, madeOf: turn.id)
      #expect(first?.title == "first" && second?.title == "first")
      await other.close()
    }
  }

  @Test func `what was made of a turn that is forgotten is not kept`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      let turn = try await history.say("secret", in: &session)
      try await history.say("b", in: &session)
      try await history.forget(turn.id)
      #expect(try await history.suggestTitle("Secret", of: session.id, madeOf: turn.id)?.title == nil)
      try await history.forget(session.id)
      #expect(try await history.suggestTitle("Secret", of: session.id, madeOf: turn.id) == nil)
    }
  }

  @Test func `a turn of another session brings nothing`() async throws {
    try await withHistory { history, _ in
      var (session, other) = (Session(), Session())
      try await history.say("a", in: &session)
      let turn = try await history.say("b", in: &other)
      #expect(try await history.suggestTitle("B", of: session.id, madeOf: turn.id)?.title == nil)
    }
  }
}

import Chat
import Testing

@testable import Store

struct RemoteHistoryTests {
  private let server = Server(name: "there", kind: "chat-ui", url: "http://there")

  private func turn(
    _ answer: String, behind parent: String? = nil, _ question: String, _ text: String,
    _ status: RemoteTurn.Status = .complete
  ) -> RemoteTurn {
    RemoteTurn(
      name: RemoteName(question: "q" + answer, answer: answer), parent: parent, question: question, text: text,
      status: status)
  }

  private func remote(_ turns: RemoteTurn..., head: String) -> RemoteSession {
    RemoteSession(id: "r", title: "Theirs", model: "m", updatedAt: 5, turns: turns, head: head)
  }

  private func take(_ remote: RemoteSession, into history: History) async throws -> TakenIn {
    try await history.takeIn(remote, of: server) { activity in
      ToolStep(text: "", calls: [StoredCall(ToolCall(id: activity.id, name: activity.kind, arguments: .object([:])))])
    }
  }

  @Test func `a conversation that is not here comes whole, with its branches`() async throws {
    let history = try History.inMemory()
    let taken = try await take(
      remote(
        turn("a", "one?", "one"), turn("b", "one?", "uno"), turn("c", behind: "b", "two?", "two"), head: "c"),
      into: history)
    #expect(taken.isNew && taken.added == 3)
    let path = try await history.path(of: taken.session)
    #expect(path.map { $0.answer?.text } == ["uno", "two"])
    #expect(path.last?.remote == RemoteName(question: "qc", answer: "c"))
    #expect(try await history.session(taken.session)?.title == "Theirs")
    #expect(try await history.search(["uno"]).map(\.number) == [2])
    #expect(try await history.remoteSessions(of: "http://there")["r"]?.id == taken.session)
    await history.close()
  }

  @Test func `what is here already is not added again`() async throws {
    let history = try History.inMemory()
    let whole = remote(turn("a", "one?", "one"), head: "a")
    let first = try await take(whole, into: history)
    let second = try await take(whole, into: history)
    #expect(second == TakenIn(session: first.session, isNew: false))
    await history.close()
  }

  @Test func `an answer that was cut off here goes on with what was written there`() async throws {
    let history = try History.inMemory()
    var session = Session(server: server)
    session.remote = "r"
    let asked = try await history.ask(NewTurn(session: session, parent: nil, question: .text("one?")))
    try await history.setRemote("r", of: session.id)
    try await history.finish(asked.id, StoredAnswer(text: "on", status: .interrupted))
    let taken = try await take(remote(turn("a", "one?", "one two"), head: "a"), into: history)
    #expect(taken.session == session.id && taken.grown == 1 && taken.added == 0)
    let found = try #require(await history.turn(asked.id))
    #expect(found.answer?.text == "one two" && found.answer?.status == .complete)
    #expect(found.remote?.answer == "a")
    await history.close()
  }

  @Test func `an answer that an earlier run kept with other blanks goes on too`() async throws {
    let history = try History.inMemory()
    var session = Session(server: server)
    session.remote = "r"
    let asked = try await history.ask(NewTurn(session: session, parent: nil, question: .text("one?")))
    try await history.setRemote("r", of: session.id)
    try await history.finish(asked.id, StoredAnswer(text: "one \ntwo", status: .interrupted))
    try await history.change { db in
      try db.execute(sql: "UPDATE message SET owner = 'another-boot/1/1' WHERE position = 1")
    }
    let taken = try await take(remote(turn("a", "one?", "one\ntwo three"), head: "a"), into: history)
    #expect(taken.grown == 1)
    #expect(try await history.turn(asked.id)?.answer?.text == "one\ntwo three")
    await history.close()
  }

  @Test func `an answer that is being written there is told, and what is here of it stays`() async throws {
    let history = try History.inMemory()
    var session = Session(server: server)
    session.remote = "r"
    let asked = try await history.ask(NewTurn(session: session, parent: nil, question: .text("one?")))
    try await history.setRemote("r", of: session.id)
    try await history.finish(asked.id, StoredAnswer(text: "one two", status: .interrupted))
    let taken = try await take(remote(turn("a", "one?", "one", .running), head: "a"), into: history)
    #expect(taken.running == asked.id && taken.grown == 0)
    #expect(try await history.turn(asked.id)?.answer?.text == "one two")
    await history.close()
  }

  @Test func `what reads otherwise there is kept beside what is here`() async throws {
    let history = try History.inMemory()
    _ = try await take(remote(turn("a", "one?", "one"), head: "a"), into: history)
    let taken = try await take(remote(turn("a", "one?", "other"), head: "a"), into: history)
    #expect(taken.changed == [1] && taken.added == 1)
    let path = try await history.path(of: taken.session)
    #expect(path.map { $0.answer?.text } == ["other"])
    #expect(try await history.turn(number: 1, of: taken.session)?.answer?.text == "one")
    await history.close()
  }

  @Test func `what is gone there is told and stays here`() async throws {
    let history = try History.inMemory()
    _ = try await take(
      remote(turn("a", "one?", "one"), turn("b", behind: "a", "two?", "two"), head: "b"), into: history)
    let taken = try await take(remote(turn("a", "one?", "one"), head: "a"), into: history)
    #expect(taken.gone == [2])
    #expect(try await history.path(of: taken.session).map { $0.answer?.text } == ["one"])
    #expect(try await history.turn(number: 2, of: taken.session)?.answer?.text == "two")
    // It is told once.
    #expect(try await take(remote(turn("a", "one?", "one"), head: "a"), into: history).gone == [])
    // Where nothing is left, the next message is the first.
    #expect(try await take(RemoteSession(id: "r"), into: history).gone == [1])
    #expect(try await history.path(of: taken.session).isEmpty)
    await history.close()
  }

  @Test func `what the model thought is not written over with less`() async throws {
    let history = try History.inMemory()
    var session = Session(server: server)
    session.remote = "r"
    let asked = try await history.ask(NewTurn(session: session, parent: nil, question: .text("one?")))
    try await history.setRemote("r", of: session.id)
    try await history.finish(asked.id, StoredAnswer(text: "on", reasoning: "hm", status: .interrupted))
    _ = try await take(remote(turn("a", "one?", "one two"), head: "a"), into: history)
    let found = try #require(await history.turn(asked.id)?.answer)
    #expect(found.text == "one two" && found.reasoning == "hm")
    // What the server has none of any more is a session like others.
    try await history.setRemote(nil, of: session.id)
    #expect(try await history.turn(asked.id)?.remote == nil)
    await history.close()
  }

  @Test func `blanks make no other answer`() async throws {
    let history = try History.inMemory()
    _ = try await take(remote(turn("a", "one?", "one\n\ntwo"), head: "a"), into: history)
    let taken = try await take(remote(turn("a", "one?", "one\ntwo "), head: "a"), into: history)
    #expect(taken.changed.isEmpty && taken.added == 0)
    await history.close()
  }

  @Test func `a title that the person gave stays`() async throws {
    let history = try History.inMemory()
    let whole = remote(turn("a", "one?", "one"), head: "a")
    let taken = try await take(whole, into: history)
    try await history.setTitle("Mine", of: taken.session)
    _ = try await take(whole, into: history)
    #expect(try await history.session(taken.session)?.title == "Mine")
    await history.close()
  }
}

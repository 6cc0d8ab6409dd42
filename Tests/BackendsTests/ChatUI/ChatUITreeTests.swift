import Chat
import Testing
import Wire

@testable import Backends

struct ChatUITreeTests {
  private func message(_ id: String, _ from: String, _ ancestors: [String], _ content: String = "") -> JSON {
    [
      "id": .string(id), "from": .string(from), "ancestors": .array(ancestors.map(JSON.string)),
      "content": .string(content), "updates": [["type": "finalAnswer"]],
    ]
  }

  /// A root, a question with two answers, and a question behind the second.
  private var forked: JSON {
    [
      "id": "c", "title": "Forked", "model": "m", "rootMessageId": "r", "updatedAt": "2025-10-19T10:00:00.000Z",
      "messages": [
        message("r", "system", []), message("q", "user", ["r"], "one?"), message("a", "assistant", ["r", "q"], "one"),
        message("b", "assistant", ["r", "q"], "uno"), message("q2", "user", ["r", "q", "b"], "two?"),
        message("a2", "assistant", ["r", "q", "b", "q2"], "two"),
      ],
    ]
  }

  @Test func `each answer is a turn, behind the answer that it goes on from`() throws {
    let session = RemoteSession(try #require(ChatUITree(forked)), now: 0)
    #expect(session.turns.map(\.name.answer) == ["a", "b", "a2"])
    #expect(session.turns.map(\.parent) == [nil, nil, "b"])
    #expect(session.turns.map(\.question) == ["one?", "one?", "two?"])
    #expect(session.head == "a2")
    #expect(session.updatedAt == 1_760_868_000_000)
  }

  @Test func `a message goes where it is meant to`() throws {
    let tree = try #require(ChatUITree(forked))
    func place(_ place: RemotePlace?) -> ChatUIPlace? {
      ChatUIPlace("three?", at: place, in: tree, root: tree.root, generation: "g")
    }
    #expect(place(.atStart)?.data["id"] == "r")
    #expect(place(.atEnd)?.data["id"] == "a2")
    #expect(place(nil)?.data["id"] == "a2")
    #expect(place(.after("a"))?.data["id"] == "a" && place(.after("a"))?.isBranch == false)
    #expect(place(.after("b"))?.isBranch == true)
    #expect(place(.after("gone")) == nil)
    let again = try #require(place(.again(answer: "b")))
    #expect(again.data["id"] == "b" && again.data["is_retry"] == true && again.data["inputs"] == nil)
    let instead = try #require(place(.instead(question: "q2")))
    #expect(instead.data["id"] == "q2" && instead.data["is_retry"] == true && instead.data["inputs"] == "three?")
  }

  @Test func `the names of a turn are found where it was put`() throws {
    let tree = try #require(ChatUITree(forked))
    #expect(tree.name(of: "two?", at: .after("b")) == RemoteName(question: "q2", answer: "a2"))
    #expect(tree.name(of: "one?", at: .atStart) == RemoteName(question: "q", answer: "b"))
    #expect(tree.name(of: "one?", at: .again(answer: "a")) == RemoteName(question: "q", answer: "b"))
    #expect(tree.name(of: "two?", at: .atEnd) == RemoteName(question: "q2", answer: "a2"))
  }

  @Test func `an old conversation is one line`() throws {
    let json: JSON = [
      "id": "c",
      "messages": [
        ["id": "1", "from": "user", "content": "hi"], ["id": "2", "from": "assistant", "content": "hello"],
        ["id": "3", "from": "user", "content": "bye"],
      ],
    ]
    let session = RemoteSession(try #require(ChatUITree(json)), now: 0)
    #expect(session.turns.map(\.text) == ["hello", ""])
    #expect(session.turns.map(\.parent) == [nil, "2"])
    #expect(session.turns[0].status == .complete)
  }

  @Test func `a tree that is bent into a circle ends`() throws {
    let json: JSON = ["id": "c", "messages": [message("a", "user", ["b"]), message("b", "assistant", ["a"])]]
    #expect(try #require(ChatUITree(json)).leaf != nil)
    #expect(ChatUITree(["id": "c"]) == nil)
  }

  @Test func `an answer without an end is being written`() throws {
    var json = forked
    var messages = json["messages"]?.array ?? []
    messages[5]["updates"] = [["type": "stream", "token": "", "len": 3]]
    json["messages"] = .array(messages)
    let session = RemoteSession(try #require(ChatUITree(json)), now: 0)
    #expect(session.isRunning && session.turns.last?.status == .running)
  }
}

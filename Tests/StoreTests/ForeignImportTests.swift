import Chat
import TestSupport
import Testing
import Wire

@testable import Store

/// What other programs write of their conversations.
@Suite struct ForeignImportTests {
  private struct Message {
    var id: String
    var parent: String?
    var role: String
    var content: JSON
    var more: [JSON.Member] = []
  }

  private static func words(_ text: JSON...) -> JSON { ["content_type": "text", "parts": .array(text)] }

  /// A conversation as ChatGPT exports it, with a blank root, as it has.
  private static func conversation(_ messages: [Message], _ more: [JSON.Member] = []) -> JSON {
    let root = Message(id: "root", parent: nil, role: "", content: .null)
    let mapping = ([root] + messages).map { message in
      let children = messages.filter { ($0.parent ?? "root") == message.id }.map { JSON.string($0.id) }
      let parent: JSON = message.id == "root" ? .null : .string(message.parent ?? "root")
      let said = JSON.object(
        [
          .init("author", ["role": .string(message.role)]), .init("create_time", 1_700_000_001.5),
          .init("content", message.content), .init("status", "finished_successfully"),
        ] + message.more)
      return JSON.Member(
        message.id,
        [
          "id": .string(message.id), "message": message.id == "root" ? .null : said, "parent": parent,
          "children": .array(children),
        ])
    }
    return .object(
      [
        .init("title", "Bees"), .init("create_time", 1_700_000_000), .init("update_time", 1_700_000_009.25),
        .init("conversation_id", "0f3a8c1e-1111-4222-8333-444455556666"), .init("mapping", .object(mapping)),
      ] + more)
  }

  private func taken(_ json: JSON, _ check: (History, Session) async throws -> Void) async throws {
    try await withHistory { history, _ in
      var file = try ImportedFile(json.bytes())
      let kept = try #require(try file.session())
      #expect(try await history.take(kept) == .added)
      #expect(try file.session() == nil)
      try await check(history, try #require(try await history.session(kept.session.id)))
    }
  }

  private static let both = [
    Message(
      id: "s", role: "system", content: words(""),
      more: [.init("metadata", ["is_visually_hidden_from_conversation": true])]),
    Message(id: "q1", parent: "s", role: "user", content: words("What do bees eat?")),
    Message(
      id: "a1", parent: "q1", role: "assistant", content: words("Nectar."),
      more: [.init("metadata", ["model_slug": "gpt-4o"])]),
    Message(
      id: "a2", parent: "q1", role: "assistant", content: words("Nectar and"),
      more: [.init("metadata", ["model_slug": "o3", "finish_details": ["type": "max_tokens"]])]),
    Message(id: "q2", parent: "a1", role: "user", content: words("And sleep?")),
    Message(id: "b2", parent: "q2", role: "assistant", content: words("They do.")),
    Message(id: "q3", parent: "a1", role: "user", content: words("And dream?")),
    Message(id: "b3", parent: "q3", role: "assistant", content: words("Who knows.")),
  ]

  @Test func `a conversation of ChatGPT keeps its branches and stands where it stood`() async throws {
    let json = JSON.array([Self.conversation(Self.both, [.init("current_node", "b2"), .init("is_archived", true)])])
    try await taken(json) { history, session in
      #expect((session.title, session.titleIsManual, session.isArchived) == ("Bees", false, true))
      #expect((session.createdAt, session.updatedAt) == (1_700_000_000_000, 1_700_000_009_250))
      #expect(session.id.text == "0f3a8c1e-1111-4222-8333-444455556666")
      let path = try await history.path(of: session.id)
      #expect(path.map(\.question) == ["What do bees eat?", "And sleep?"])
      #expect(path.map(\.answer?.text) == ["Nectar.", "They do."])
      #expect(path[0].answer?.model == "gpt-4o" && path[0].createdAt == 1_700_000_001_500)
      let beside = try await history.siblings(of: path[0].id)
      #expect(beside.map(\.question) == ["What do bees eat?", "What do bees eat?"])
      #expect(beside.map(\.answer?.text) == ["Nectar.", "Nectar and"])
      #expect(beside.map(\.answer?.status) == [.complete, .length])
      let later = try await history.siblings(of: path[1].id)
      #expect(later.map(\.question) == ["And sleep?", "And dream?"])
    }
  }

  @Test func `what was thought, done and shown for an answer is in it`() async throws {
    let messages = [
      Message(id: "c", role: "user", content: ["content_type": "user_editable_context", "user_profile": "I am me"]),
      Message(
        id: "q", parent: "c", role: "user",
        content: [
          "content_type": "multimodal_text",
          "parts": [["content_type": "image_asset_pointer", "asset_pointer": "file-service://x"], "How many?"],
        ]),
      Message(
        id: "t", parent: "q", role: "assistant",
        content: ["content_type": "thoughts", "thoughts": [["summary": "Counting", "content": "One by one."]]]),
      Message(
        id: "c1", parent: "t", role: "assistant",
        content: ["content_type": "code", "language": "python", "text": "1+1"],
        more: [.init("recipient", "python")]),
      Message(
        id: "r", parent: "c1", role: "tool", content: ["content_type": "execution_output", "text": "2"],
        more: [.init("recipient", "all")]),
      Message(id: "a", parent: "r", role: "assistant", content: Self.words("Two."), more: [.init("recipient", "all")]),
    ]
    try await taken(Self.conversation(messages)) { history, session in
      let path = try await history.path(of: session.id)
      let turn = try #require(path.first)
      #expect(path.count == 1 && turn.question == "[image]\n\nHow many?" && turn.answer?.text == "Two.")
      let step = try #require(turn.steps.first)
      #expect(turn.steps.count == 1 && step.reasoning == "Counting\n\nOne by one.")
      #expect(step.calls.map(\.tool) == ["python"] && step.calls[0].result?.text == "2")
      #expect(step.calls[0].call.arguments == .object(["input": "1+1"]))
      let bees = try await history.search(["bees"])
      #expect(bees.isEmpty)
      let two = try await history.search(["Two"])
      #expect(two.count == 1)
    }
  }

  /// A picture that a tool drew, and what the model said after it; nil for nothing at all.
  private static func picture(_ last: JSON?) -> [Message] {
    let drawn: [Message] = [
      Message(id: "q", role: "user", content: words("Draw a cat.")),
      Message(
        id: "c", parent: "q", role: "assistant", content: ["content_type": "code", "text": "{\"prompt\":\"cat\"}"],
        more: [.init("recipient", "dalle.text2im")]),
      Message(
        id: "r", parent: "c", role: "tool",
        content: ["content_type": "multimodal_text", "parts": [["content_type": "image_asset_pointer"]]]),
    ]
    guard let last else { return drawn }
    return drawn + [Message(id: "a", parent: "r", role: "assistant", content: last, more: [.init("end_turn", true)])]
  }

  @Test func `an answer that ends with a picture and no words is complete`() async throws {
    for (last, status) in [(Self.words("") as JSON?, AnswerStatus.complete), (nil, .interrupted)] {
      try await taken(Self.conversation(Self.picture(last))) { history, session in
        let path = try await history.path(of: session.id)
        #expect(path.map(\.answer?.status) == [status])
      }
    }
  }

  @Test(arguments: [
    ("See \u{E200}cite\u{E202}turn0search1\u{E201}.", "See ([roe](https://roe.example/a))."),
    ("\u{E200}entity\u{E202}[\"people\",\"Ada Roe\",0]\u{E201} built it.", "Ada Roe built it."),
    ("\u{E203}It stands.\u{E204}\u{E200}cite\u{E202}turn9view2\u{E201} Still.", "It stands. Still."),
    ("\u{E200}cite\u{E202}turn0news4\u{E201}", "([News](https://news.example/b))"),
    ("\u{E200}cite\u{E202}x. Words. \u{E200}cite\u{E202}y\u{E201}", "citex. Words. "),
    ("A mark that does not end: \u{E200}cite\u{E202}x", "A mark that does not end: citex"),
    ("A prompt's own sign: \u{E0A0}", "A prompt's own sign: \u{E0A0}"),
  ]) func `marks of ChatGPT's page become links and names`(text: String, shown: String) {
    let metadata: JSON = [
      "content_references": [
        ["matched_text": "\u{E200}cite\u{E202}turn0search1\u{E201}", "alt": "([roe](https://roe.example/a))"],
        [
          "matched_text": "\u{E200}cite\u{E202}turn0news4\u{E201}", "alt": .null,
          "items": [["title": "News", "url": "https://news.example/b"]],
        ],
        ["matched_text": " ", "type": "sources_footnote"],
      ]
    ]
    #expect(ChatGPTReferences.resolved(in: text, metadata) == shown)
  }

  @Test func `messages that go on from each other in a circle end`() async throws {
    let node: (String, String) -> JSON.Member = { id, other in
      .init(
        id,
        [
          "message": ["author": ["role": "user"], "content": Self.words("x")], "parent": .string(other),
          "children": [.string(other)],
        ])
    }
    let json: JSON = [
      "mapping": .object([
        node("a", "b"), node("b", "a"), .init("r", ["parent": .null, "children": ["a", "r", "gone"]]),
      ])
    ]
    try await taken(json) { history, session in
      let places = try await history.places(of: session.id)
      #expect(places.count == 2)
    }
  }

  @Test(arguments: [
    (#"[{"a":1,"b":{"mapping":{}}}]"#, ImportProblem.unknown), ("[1,2]", .unknown),
    ("[{\"mapping\":{}},\n{\"mapping\":", .broken(line: 2)),
    ("[{\"mapping\":{}},\n{\"title\":1}]", .noSession(line: 2)),
  ])
  func `a list of something else is no export`(_ text: String, _ problem: ImportProblem) {
    #expect(throws: problem) {
      var file = try ImportedFile(Array(text.utf8))
      while try file.session() != nil {}
    }
  }
}

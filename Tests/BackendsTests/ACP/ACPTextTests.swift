import Testing
import Wire

@testable import Backends
@testable import Chat

struct ACPTextTests {
  private func chunk(_ text: String, _ id: JSON? = nil) -> JSON {
    var update: JSON = ["content": ["text": .string(text), "type": "text"], "sessionUpdate": "agent_message_chunk"]
    if let id { update["messageId"] = id }
    return update
  }

  private func text(_ updates: [JSON]) -> String {
    var fold = ACPFold()
    return updates.flatMap { fold.events($0) }.reduce(into: "") { if case .text(let piece) = $1 { $0 += piece } }
  }

  @Test func `pieces of text come as they are`() {
    var fold = ACPFold()
    #expect(fold.events(chunk("Hello, ")) == [.text("Hello, ")])
    #expect(fold.events(chunk("")) == [])
    #expect(fold.events(chunk("world")) == [.text("world")])
  }

  @Test func `a new message begins a paragraph`() {
    var fold = ACPFold()
    #expect(fold.events(chunk("one", "m1")) == [.text("one")])
    #expect(fold.events(chunk(" more", "m1")) == [.text(" more")])
    #expect(fold.events(chunk("", "m2")) == [])
    #expect(fold.events(chunk("two", "m2")) == [.text("\n\n"), .text("two")])
  }

  @Test(arguments: [
    ("one\n\n", "one\n\ntwo"), ("one\n", "one\n\ntwo"), ("one\r\n\r\n", "one\r\n\r\ntwo"), ("\n\n", "\n\ntwo"),
    ("one \n\n\n", "one \n\n\ntwo"),
  ]) func `no line is left empty twice`(_ first: String, _ all: String) {
    #expect(text([chunk(first, "m1"), chunk("two", "m2")]) == all)
    // The same where the line ends come one by one.
    #expect(text(first.map { chunk(String($0), "m1") } + [chunk("two", "m2")]) == all)
  }

  @Test func `text without an id goes on`() {
    #expect(
      text([chunk("one", "m1"), chunk(" more"), chunk(" still", .null), chunk(" on", "m1")]) == "one more still on")
  }

  @Test func `the first message of a turn begins no paragraph`() {
    var fold = ACPFold()
    _ = fold.events(chunk("one", "m1"))
    _ = fold.endTurn(wasStopped: false, isBroken: false)
    #expect(fold.events(chunk("two", "m2")) == [.text("two")])
  }

  @Test func `what is not text is an activity of its own, and never the same one twice`() {
    var fold = ACPFold()
    let image = fold.call([
      "sessionUpdate": "agent_message_chunk", "content": ["type": "image", "data": "AAAA", "mimeType": "image/png"],
    ])
    #expect(
      image
        == Activity(
          id: "content-1", kind: "content", status: .done,
          content: [.block(.image(base64: "AAAA", mimeType: "image/png"))]))
    _ = fold.endTurn(wasStopped: false, isBroken: false)
    let odd = fold.call(["sessionUpdate": "agent_message_chunk", "content": ["type": "hologram"]])
    #expect(odd == Activity(id: "content-2", kind: "content", status: .done, content: [.block(.other("hologram"))]))
    let link = fold.call([
      "sessionUpdate": "agent_message_chunk", "content": ["type": "resource_link", "uri": "file:///w/a", "name": "a"],
    ])
    #expect(link?.content == [.block(.link(ToolResource(uri: "file:///w/a", name: "a")))])
  }

  @Test(
    arguments: [
      (.null, []),
      (
        true,
        [.activity(Activity(id: "content-1", kind: "content", status: .done, content: [.block(.other("unknown"))]))]
      ),
      (7, [.text("7")]), (["text": "untyped"], [.text("untyped")]),
      (["type": "resource", "resource": ["uri": "f", "text": "R"]], [.text("R")]),
      ("bare", [.text("bare")]),
      ([["type": "text", "text": "a"], ["type": "text", "text": "b"]], [.text("a"), .text("b")]),
      (["type": "text", "text": .null], []),
    ] as [(JSON, [ChatEvent])]) func `odd content harms nothing`(_ content: JSON, _ events: [ChatEvent])
  {
    var fold = ACPFold()
    #expect(fold.events(["sessionUpdate": "agent_message_chunk", "content": content]) == events)
  }

  @Test func `text beside the kind of a chunk is read`() {
    var fold = ACPFold()
    #expect(fold.events(["sessionUpdate": "agent_message_chunk", "text": "a"]) == [.text("a")])
    #expect(fold.events(["sessionUpdate": "agent_thought_chunk", "text": "hm"]) == [.reasoning("hm")])
  }

  @Test(arguments: ["agent_text_chunk", nil] as [String?])
  func `an unknown update with content is reported`(_ kind: String?) {
    var fold = ACPFold()
    var update: JSON = ["content": ["type": "text", "text": "a"]]
    update["sessionUpdate"] = kind.map { .string($0) }
    let events = fold.events(update)
    #expect(events.count == 1)
    #expect(events.allSatisfy { if case .notice(.unreadable) = $0 { true } else { false } })
  }

  @Test func `thoughts are kept apart, and empty ones left out`() {
    var fold = ACPFold()
    let thought: JSON = ["sessionUpdate": "agent_thought_chunk", "content": ["type": "text", "text": "hm"]]
    #expect(fold.events(thought) == [.reasoning("hm")])
    let empty: JSON = ["sessionUpdate": "agent_thought_chunk", "content": ["type": "text", "text": ""]]
    #expect(fold.events(empty) == [])
    #expect(fold.events(["sessionUpdate": "agent_thought_chunk"]) == [])
  }

  @Test func `what the person said is not said again`() {
    var fold = ACPFold()
    let echo: JSON = [
      "sessionUpdate": "user_message_chunk", "content": ["type": "text", "text": "hi"], "messageId": "u",
    ]
    #expect(fold.events(echo) == [])
  }

  @Test func `a title in the middle does not break the text`() {
    #expect(
      text([
        chunk("one ", "m1"), ["sessionUpdate": "session_info_update", "title": "t"], chunk("line", "m1"),
      ]) == "one line")
  }
}

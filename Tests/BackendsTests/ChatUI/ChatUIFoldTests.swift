import Chat
import Testing
import Wire

@testable import Backends

struct ChatUIFoldTests {
  private func events(_ updates: JSON...) -> [ChatEvent] {
    var fold = ChatUIFold()
    for update in updates { fold.add(update) }
    return fold.take()
  }

  private func stream(_ token: String) -> JSON { ["type": "stream", "token": .string(token)] }

  private func final(_ text: String, interrupted: Bool = false) -> JSON {
    ["type": "finalAnswer", "text": .string(text), "interrupted": .bool(interrupted)]
  }

  private func tool(_ subtype: String, _ more: JSON = [:]) -> JSON {
    var update: JSON = ["type": "tool", "subtype": .string(subtype), "uuid": "u"]
    for member in more.object ?? [] { update[member.key] = member.value }
    return update
  }

  private func text(_ events: [ChatEvent]) -> String {
    events.reduce(into: "") { whole, event in
      if case .text(let piece) = event { whole += piece }
    }
  }

  @Test func `tokens lose their padding`() {
    #expect(events(stream("Yes\0\0\0"), stream("\0"), stream(", it"), final("Yes, it")) == [.text("Yes, it")])
  }

  @Test func `thoughts come by either road`() {
    #expect(
      events(stream("<th"), stream("ink>hm</thi"), stream("nk>\n\nYes"), final("<think>hm</think>\n\nYes"))
        == [.reasoning("hm"), .text("Yes")])
    #expect(
      events(["type": "reasoning", "subtype": "stream", "token": "hm"], stream("Yes"), final("Yes"))
        == [.reasoning("hm"), .text("Yes")])
  }

  @Test func `a final text that goes on is handed out from there`() {
    #expect(text(events(stream("one "), final("one two"))) == "one two")
    #expect(text(events(final("all at once"))) == "all at once")
  }

  @Test func `a final text that is another one takes the place of what came`() {
    #expect(events(stream("wrong"), final("right")) == [.text("wrong"), .revised("right")])
  }

  @Test func `blanks at the end are no other text`() {
    #expect(events(stream("one "), final("one")) == [.text("one ")])
  }

  @Test func `a final text behind tools is joined to what came before them`() {
    let call: JSON = ["call": ["name": "weather", "parameters": ["city": "Bern"]]]
    let result: JSON = ["result": ["status": "success", "call": ["name": "weather"], "outputs": [["text": "sunny"]]]]
    let seen = events(
      stream("Let me look."), tool("call", call), tool("result", result), final("It is sunny."))
    var activity = Activity(
      id: "u", title: "weather", kind: "tool", status: .running, input: ["city": "Bern"])
    let begun = activity
    activity.status = .done
    activity.content = [.block(.text("sunny"))]
    #expect(seen == [.text("Let me look."), .activity(begun), .activity(activity), .text("It is sunny.")])
    // Or is the whole of it already.
    let whole = events(
      stream("Let me look."), tool("call", call), tool("result", result), stream("\n\nIt is."),
      final("Let me look.\n\nIt is."))
    #expect(text(whole) == "Let me look.It is.")
  }

  @Test func `what was stopped keeps what came, or what the server cut it to`() {
    var fold = ChatUIFold()
    for update in [stream("one two three"), final("", interrupted: true)] { fold.add(update) }
    #expect(fold.take() == [.text("one two three")])
    #expect(fold.wasInterrupted && fold.hasEnded)
    #expect(
      events(stream("one two three"), final("one two", interrupted: true)) == [
        .text("one two three"), .revised("one two"),
      ])
  }

  @Test func `an error says what went wrong and ends the answer`() {
    var fold = ChatUIFold()
    fold.add(["type": "status", "status": "error", "message": "pay first", "statusCode": 402])
    #expect(fold.failure == ChatUIFold.Failure(message: "pay first", status: 402))
    #expect(fold.hasEnded)
  }

  @Test func `what a look at the conversation shows is not handed out twice`() {
    var fold = ChatUIFold()
    fold.add(stream("one two three"))
    #expect(text(fold.take()) == "one two three")
    // It is written down there from time to time only.
    fold.see("one two", [:], isOver: false, wasInterrupted: false)
    #expect(fold.take() == [])
    for token in [" th", "ree", " four"] { fold.add(stream(token)) }
    #expect(text(fold.take()) == " four")
    fold.add(final("one two three four"))
    #expect(fold.take() == [])
  }

  @Test func `an answer that is gone on with begins behind what is kept of it`() {
    var fold = ChatUIFold(shown: ChatUIShown(text: "one "))
    fold.see("one two", [:], isOver: false, wasInterrupted: false)
    fold.add(stream(" three"))
    #expect(text(fold.take()) == "two three")
    fold.see("one two three", [:], isOver: true, wasInterrupted: false)
    #expect(fold.take() == [])
    #expect(fold.hasEnded)
  }

  @Test func `thoughts that are under way when it is listened to again stay thoughts`() {
    var fold = ChatUIFold()
    fold.see("<think>let me", [:], isOver: false, wasInterrupted: false)
    for token in [" see</think>", "\n\n42"] { fold.add(stream(token)) }
    #expect(text(fold.take()) == "42")
  }

  @Test func `thoughts are not handed out twice either`() {
    var fold = ChatUIFold(shown: ChatUIShown(thoughts: "First"))
    fold.see("", ["reasoning": "First this"], isOver: false, wasInterrupted: false)
    fold.add(["type": "reasoning", "subtype": "stream", "token": ", then that"])
    #expect(fold.take() == [.reasoning(" this"), .reasoning(", then that")])
  }

  @Test func `an answer that speaks of the tags of thoughts is none`() {
    let text = "The <think> tag marks thoughts, and </think> ends them."
    #expect(self.text(events(stream(text), final(text))) == text)
    #expect(ChatUIText(text).text == text)
    #expect(ChatUIText("<think>hm</think>\n\nYes <think>").text == "Yes <think>")
  }

  @Test func `behind what was done the model may think anew`() {
    let updates: [JSON] = [
      ["type": "stream", "token": "", "len": 12], ["type": "tool", "subtype": "call", "uuid": "u"],
      ["type": "stream", "token": "", "len": 30],
    ]
    let said = ChatUIText("Let me look.<think>so</think>It is sunny.", updates: updates)
    #expect(said.text == "Let me look.It is sunny.")
    #expect(said.thoughts == "so")
  }

  @Test func `what was said before a step is no part of what follows it`() {
    let messages = [
      Message(.user, "one?"), Message(.assistant, "yes"), Message(.user, "two?"), Message(.assistant, "Let me look."),
      Message(.tool, "sunny"), Message(.assistant, "It is", reasoning: "so"),
    ]
    var shown = ChatUIShown(behind: messages)
    #expect(shown.text == "Let me look.It is" && shown.thoughts == "so")
    #expect(shown.see(ChatUIText("Let me look.\n\nIt is sunny."), isOver: true) == [.text(" sunny.")])
    #expect(ChatUIShown(behind: [Message(.assistant, "yes"), Message(.user, "two?")]).text == "")
  }

  @Test func `a title loses the tags and keeps the words`() {
    #expect(events(["type": "title", "title": "<think>My</think> garden"]) == [.title("My garden")])
  }

  @Test func `a file is named by what it is fetched by, and nothing else`() {
    let good: JSON = ["type": "file", "name": "a.png", "sha": "0aF9", "mime": "image/png"]
    #expect(events(good).count == 1)
    #expect(events(["type": "file", "name": "a.png", "sha": "../../etc/passwd", "mime": "image/png"]) == [])
  }

  @Test func `what is unknown says nothing`() {
    #expect(events(["type": "from-the-future", "x": 1], ["type": "tool", "subtype": "eta", "eta": 3], [:]) == [])
  }

  @Test func `tokens are read in every shape, and what cannot be read is reported`() {
    #expect(events(["type": "stream", "token": 42], ["type": "stream", "token": ["text": "a"]]) == [.text("42a")])
    #expect(
      events(["type": "stream", "token": ["type": "image"]], ["answer": "a"]) == [
        .notice(.unreadable(#"{"type":"image"}"#)), .notice(.unreadable(#"{"answer":"a"}"#)),
      ])
  }

  @Test func `an error that is not an update ends the answer`() {
    var fold = ChatUIFold()
    fold.add(["detail": "worker died"])
    #expect(fold.failure == ChatUIFold.Failure(message: "worker died"))
    #expect(fold.hasEnded)
  }

  @Test func `questions of tools are forms or pages`() throws {
    var fold = ChatUIFold()
    fold.add([
      "type": "elicitation", "subtype": "request",
      "request": [
        "elicitationId": "e", "server": "notes", "mode": "form", "message": "Which?",
        "fields": [
          ["kind": "string", "name": "city", "required": true],
          ["kind": "select", "name": "table", "options": [["value": "in", "label": "Inside"]]],
          ["kind": "number", "name": "guests", "integer": true],
        ],
      ],
    ])
    let question = try #require(fold.takeQuestions().first)
    #expect(question.message == "notes: Which?")
    guard case .form(let fields) = question.subject else {
      Issue.record("no form")
      return
    }
    #expect(fields.map(\.name) == ["city", "table", "guests"] && fields[0].isRequired)
    #expect(fields[1].kind == .choice([FormField.Choice("in", title: "Inside")]))
    #expect(fields[2].kind == .number(from: nil, to: nil, isWhole: true))
    #expect(fold.takeQuestions().isEmpty)
  }
}

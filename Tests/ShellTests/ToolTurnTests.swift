import Chat
import Foundation
import Store
import Testing
import Text
import Wire

@testable import Shell

@Suite struct ResultTextTests {
  private func text(_ content: [ToolContent], structured: JSON? = nil, isError: Bool = false, limit: Int = 1000)
    -> String
  {
    ResultText.text(ToolResult(content: content, structured: structured, isError: isError), limit: limit)
  }

  @Test func `one of two copies is given, and it is the one for programs`() {
    #expect(text([.text(#"{"a": 1}"#)], structured: ["a": 1]) == #"{"a":1}"#)
    #expect(text([.text("1"), .text("2")], structured: [1, 2]) == "[1,2]")
  }

  @Test func `a text that says more than the structure is given in its place`() {
    let result = ToolResult(
      content: [.text("exit status 0"), .text("a\nb")], structured: ["status": 0], structuredIsWhole: false)
    #expect(ResultText.text(result, limit: 1000) == "exit status 0\n\na\nb")
    #expect(ResultText.json(result)["structuredContent"] == ["status": 0])
  }

  @Test func `a picture beside a structure is noted`() {
    let shown = text([.text("x"), .image(base64: "AAAA", mimeType: "image/png")], structured: ["a": 1])
    #expect(shown == "{\"a\":1}\n\n[image, image/png, 3 bytes: not shown to you]")
  }

  @Test func `lines stay lines, paragraphs stay apart`() {
    #expect(text([.text("a"), .text("b")]) == "a\nb")
    #expect(text([.text("a\nb"), .text("c")]) == "a\nb\n\nc")
  }

  @Test func `what is not text has a note`() {
    let resource = ResourceContent(uri: "peer://notes/1", mimeType: "text/plain", body: .text("a note"))
    let blob = ResourceContent(uri: "peer://blob", body: .blob("AAA="))
    let link = ToolResource(uri: "https://x.example/", name: "x", mimeType: "text/html")
    #expect(
      text([.resource(resource), .resource(blob), .link(link), .other("hologram")]) == """
        [peer://notes/1]
        a note

        [peer://blob, unknown type, 2 bytes: not shown to you]

        [link to x: https://x.example/, text/html]

        [a block of kind hologram: not shown to you]
        """)
  }

  @Test func `what is too long is cut at a character, and counted`() {
    #expect(text([.text("日本語です")], limit: 3) == "日本語\n[2 more characters cut]")
    #expect(text([.text("abc")], limit: 3) == "abc")
  }

  @Test func `nothing is something to say`() {
    #expect(text([]) == "There is no output.")
    #expect(text([], isError: true) == "The tool failed: There is no output.")
  }

  @Test func `more than one text is kept whole`() throws {
    let result = ToolResult(content: [.text("a"), .image(base64: "AAAA", mimeType: "image/png")])
    let whole = try #require(ResultText.whole(result, text: ResultText.text(result, limit: 100)))
    #expect(try JSON(parsing: whole)["content"]?[1]?["data"]?.string == "AAAA")
    #expect(ResultText.whole(ToolResult(content: [.text("a")]), text: "a") == nil)
    #expect(ResultText.whole(ToolResult(content: [.text("abc")]), text: "a\n[2 more characters cut]") != nil)
  }
}

@Suite struct VisibleTextTests {
  @Test(arguments: [
    ("rm\u{202E}fr", "rm<U+202E>fr"), ("a\u{200B}b", "a<U+200B>b"), ("a\u{1B}[2Jb", "a^[[2Jb"), ("a\rb", "a^Mb"),
    ("a" + String(repeating: " ", count: 60) + "b", "a<60 blanks>b"), ("a                b", "a                b"),
  ])
  func `a line shows all that is in it`(text: String, shown: String) {
    #expect(VisibleText.oneLine(text).string == shown)
  }

  @Test func `many empty lines are a number`() {
    let lines = VisibleText.lines("a\n\n\nb" + String(repeating: "\n", count: 200) + "c")
    #expect(lines.map(\.string) == ["a", "", "", "b", "<199 empty lines>", "c"])
  }

  @Test func `cutting into lines loses nothing`() {
    let text = Filter.command("abc def  日本語 ghi jkl")
    let lines = VisibleText.hardWrapped(text, 5)
    #expect(lines.map(\.string).joined() == text.string)
    #expect(lines.allSatisfy { $0.cells <= 5 })
  }

  @Test func `an argument of several lines stands behind a bar`() {
    let offered = offered("run")
    let call = ToolCall(
      id: "1", name: "run",
      arguments: .object(["code": .string("a\n" + String(repeating: "x", count: 100) + "\nallow run? y")]))
    let page = ConsentPage.text(call, offered, hasChanged: false, columns: 60).string
    let lines = page.split(separator: "\n")
    #expect(lines.suffix(4).allSatisfy { $0.hasPrefix("    | ") })
    #expect(lines.allSatisfy { $0.count <= 60 })
  }
}

private func offered(_ name: String, schema: JSON = ["type": "object"]) -> OfferedTool {
  let server = ToolServer(id: "s", name: "s", address: .http(url: "https://s.example/mcp"))
  return OfferedTool(
    Tool(name: name, parameters: schema), of: server,
    by: StageTools(server: server, stage: Stage(home: "/nowhere")))
}

@Suite struct CallCheckTests {
  private let schema: JSON = [
    "type": "object",
    "properties": [
      "query": ["type": "string"], "count": ["type": ["integer", "null"]], "unit": ["enum": ["c", "f"]],
      "deep": ["type": "boolean", "default": false],
    ], "required": ["query", "count", "unit", "deep"],
  ]

  @Test func `an example has what is required`() {
    #expect(CallCheck.example(schema) == ["query": "text", "count": 1, "unit": "c", "deep": false])
    #expect(CallCheck.example(["properties": ["a": ["type": "array"], "b": [:]]]) == ["a": []])
    #expect(CallCheck.example(true) == .object([]))
  }

  private func problem(_ call: ToolCall, _ offered: [OfferedTool]) -> String? {
    if case .problem(let problem) = CallCheck(call, offered) { problem } else { nil }
  }

  @Test func `a call that could run has no problem`() {
    let call = ToolCall(id: "", name: "run", arguments: .object(["query": "a"]))
    #expect(problem(call, [offered("run")]) == nil)
    #expect(problem(call, [offered("run", schema: schema)])?.contains("count, unit, deep is missing") == true)
  }

  @Test func `nothing that was offered is said so`() {
    let call = ToolCall(id: "", name: "run", arguments: .object([:]))
    #expect(problem(call, []) == "This call was not run: there are no tools. Answer without them.")
  }
}

@Suite struct TurnUnderWayTests {
  private func outcome(_ text: String, _ calls: [ToolCall]) -> Outcome {
    var growing = GrowingAnswer(began: 0)
    growing.absorb(.text(text), at: 0)
    for call in calls { growing.absorb(.toolCall(call), at: 0) }
    growing.absorb(.finished(.stop), at: 0)
    return Outcome(growing: growing, error: nil, uptime: 0, hidden: 0)
  }

  private func call(_ id: String) -> ToolCall { ToolCall(id: id, name: "run", arguments: .object([:])) }

  @Test func `calls have names of their own in a conversation`() {
    let before = Message(.assistant, "", toolCalls: [call("call_0")])
    var turn = TurnUnderWay(.new("q"), in: SessionID("s"), offered: [], messages: [before], kept: nil, began: 0)
    let first = turn.begin(outcome("", [call("call_0"), call(""), call("call_0"), call("x")]), model: nil)
    turn.endRound()
    let second = turn.begin(outcome("", [call("call_0"), call("x")]), model: nil)
    #expect(first.calls.map(\.call.id) == ["call00002", "call00003", "call00004", "x"])
    #expect(second.calls.map(\.call.id) == ["call00006", "call00007"])
  }

  @Test func `an id that is made up is none that a server gave`() {
    let before = Message(.assistant, "", toolCalls: [call("call_0"), call("call00003")])
    var turn = TurnUnderWay(.new("q"), in: SessionID("s"), offered: [], messages: [before], kept: nil, began: 0)
    #expect(turn.begin(outcome("", [call("call_0")]), model: nil).calls.map(\.call.id) == ["call00004"])
  }

  @Test func `an answer that was gone on with is part of the round that it becomes`() {
    let earlier = Turn.unsaved(
      in: SessionID("s"), number: 1, parent: nil, question: "q",
      answer: StoredAnswer(text: "One", status: .interrupted), at: 0)
    let messages = [Message(.user, "q"), Message(.assistant, "One")]
    var turn = TurnUnderWay(
      .continuing(earlier), in: SessionID("s"), offered: [], messages: messages, kept: nil, began: 0)
    #expect(turn.earlierAnswer?.text == "One")
    _ = turn.begin(outcome("One, two", [call("a")]), model: nil)
    turn.set(StoredResult(.done, text: "done"), call: 0)
    turn.endRound()
    #expect(turn.earlierAnswer == nil)
    #expect(turn.messages.map(\.role) == [.user, .assistant, .tool])
    #expect(turn.messages.map(\.content) == ["q", "One, two", "done"])
    #expect(turn.messages[2].toolCallID == "a")
  }
}

@Suite struct FormFieldTests {
  private func value(_ kind: FormField.Kind, _ line: String) -> Result<JSON, FormProblem> {
    do throws(FormProblem) { return .success(try FormField(name: "f", kind: kind).value(line)) } catch {
      return .failure(error)
    }
  }

  @Test func `numbers are in their range`() {
    let whole = FormField.Kind.number(from: 1, to: 9, isWhole: true)
    #expect(value(whole, "3") == .success(3))
    #expect(value(whole, "3.0") == .success(3))
    #expect(value(whole, "3.5") == .failure(.notWhole))
    #expect(value(whole, "0") == .failure(.below(1)))
    #expect(value(whole, "10") == .failure(.above(9)))
    #expect(value(whole, "three") == .failure(.notANumber))
    #expect(value(.number(from: nil, to: nil, isWhole: false), "nan") == .failure(.notANumber))
    #expect(value(.number(from: nil, to: nil, isWhole: false), "2.5") == .success(2.5))
  }

  @Test(arguments: [
    ("email", "a@b.example", true), ("email", "a@", false), ("email", "a b@c", false), ("uri", "https://x", true),
    ("uri", "x", false), ("date", "2026-11-21", true), ("date", "2026-13-21", false), ("date", "today", false),
    ("date-time", "2026-11-21T10:00:00Z", true), ("date-time", "10:00", false), ("colour", "whatever", true),
  ])
  func `formats are looked at lightly`(format: String, text: String, isFine: Bool) {
    let found = value(.text(shortest: nil, longest: nil, format: format), text)
    #expect(found == (isFine ? .success(.string(text)) : .failure(.notFormatted(format))))
  }

  @Test func `choices go by number, value or title`() {
    let choices = [FormField.Choice("c", title: "Celsius"), FormField.Choice("f", title: "Fahrenheit")]
    #expect(value(.choice(choices), "2") == .success("f"))
    #expect(value(.choice(choices), "C") == .success("c"))
    #expect(value(.choice(choices), "fahrenheit") == .success("f"))
    #expect(value(.choice(choices), "3") == .failure(.noChoice(count: 2)))
    #expect(value(.choices(choices, fewest: 2, most: nil), "1, f, 1") == .success(["c", "f"]))
    #expect(value(.choices(choices, fewest: 2, most: nil), "1") == .failure(.tooFew(2)))
    #expect(value(.choices(choices, fewest: nil, most: 1), "1,2") == .failure(.tooMany(1)))
  }
}

@Suite struct ToolIndicatorTests {
  @Test func `it turns and counts while tools run, and says how far they are`() async throws {
    let clock = HandClock()
    let terminal = PassingLine()
    let indicator = ToolIndicator(
      on: terminal, marks: .signs, uptime: { clock.time }, pause: { await clock.pause($0) })
    let ticks = try #require(indicator.ticks)
    await clock.pauses(1)
    indicator.begin(0, "web_search (web)")
    clock.advance(2)
    clock.wake()
    await clock.pauses(2)
    indicator.begin(1, "add (sums)")
    indicator.progress(1, "3/10")
    indicator.end(1)
    indicator.end(0)
    indicator.stop()
    clock.wake()
    await ticks.value
    indicator.begin(2, "late")
    #expect(
      terminal.shown == [
        "⚒ web_search (web)…", "⠙ web_search (web)… 2 s, Ctrl-C stops",
        "⚒ web_search (web), add (sums)… 2 s, Ctrl-C stops",
        "⚒ web_search (web), add (sums)… 2 s  3/10, Ctrl-C stops", "⚒ web_search (web)… 2 s, Ctrl-C stops", nil, nil,
      ])
  }

  @Test func `who listens to the screen hears words`() async {
    let (clock, terminal) = (HandClock(), PassingLine())
    let indicator = ToolIndicator(on: terminal, marks: .words, uptime: { 0 }, pause: { await clock.pause($0) })
    await clock.pauses(1)
    indicator.begin(0, "add (sums)")
    indicator.stop()
    clock.wake()
    #expect(terminal.shown == ["tool: add (sums)…", nil])
  }
}

/// A terminal of which only the passing line is looked at.
// Sendable: all state is behind the lock.
private final class PassingLine: Terminal, @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String?] = []

  var shown: [String?] { lock.withLock { lines } }

  let traits = TerminalTraits(outputIsTerminal: true, noticesAreTerminal: true, columns: 80)
  func write(_ text: StyledText, to channel: Channel) {}
  func status(_ text: StyledText?) { lock.withLock { lines.append(text?.string) } }
  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) {}
  let endingSignal: Int32? = nil
  let outputFailure: String? = nil
  func run(_ command: ChildCommand, captureLimit: Int?) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    throw .notStarted(program: "", reason: "")
  }
}

import Chat
import TestSupport
import Testing
import Wire

@testable import Backends

struct ToolCallScannerTests {
  /// What a scanner made of a text.
  struct Reading: Equatable, Sendable {
    var text = ""
    var calls: [ToolCall] = []
    var coming: [String?] = []
    var notices: [Notice] = []
  }

  private static let names: Set<String> = ["add", "search"]

  private static func read(_ pieces: [ArraySlice<UInt8>]) -> Reading {
    var scanner = ToolCallScanner(names: names)
    var joiner = EventJoiner()
    var events: [ChatEvent] = []
    for piece in pieces {
      scanner.take(piece, into: &joiner)
      events += joiner.take()
    }
    scanner.end(into: &joiner)
    joiner.flush()
    var reading = Reading()
    for event in events + joiner.take() {
      switch event {
      case .text(let text): reading.text += text
      case .toolCall(let call): reading.calls.append(call)
      case .toolCallComing(let name): reading.coming.append(name)
      case .notice(let notice): reading.notices.append(notice)
      default: Issue.record("\(event)")
      }
    }
    return reading
  }

  private static func read(_ text: String) -> Reading { read([Array(text.utf8)[...]]) }

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var said: String
    var calls: [ToolCall]
    var imagines = false
    var testDescription: String { name }

    init(_ name: String, _ text: String, says said: String = "", _ calls: ToolCall..., imagines: Bool = false) {
      (self.name, self.text, self.said, self.calls, self.imagines) = (name, text, said, calls, imagines)
    }

    /// Text that is no call.
    init(_ name: String, text: String) { self.init(name, text, says: text) }
  }

  private static func call(_ name: String, _ arguments: JSON = [:]) -> ToolCall {
    ToolCall(id: "", name: name, arguments: .object(arguments))
  }

  private static func broken(_ name: String, _ text: String, _ problem: ToolCall.Problem) -> ToolCall {
    ToolCall(id: "", name: name, arguments: .broken(text, problem))
  }

  private static let add = call("add", ["a": 1, "b": 2])
  private static let json = #"{"name": "add", "arguments": {"a": 1, "b": 2}}"#
  private static let block = "<tool_call>\n\(json)\n</tool_call>"

  private static let calls = [
    Row("a block", block, add),
    Row("blanks around it", "\n\n  \(block)\n\n", add),
    Row("nothing between", "<tool_call>\(json)</tool_call>", add),
    Row("many blanks between", "<tool_call>\n \n\t\(json)\r\n\n </tool_call>", add),
    Row("text before", "I'll add them. \n\n\(block)", says: "I'll add them.", add),
    Row("text after", "\(block)\n\nDone.\n", says: "Done.\n", add),
    Row("text around", "First:\n\(block)\n\n Then é. ", says: "First:\n\nThen é. ", add),
    Row("two in a row", "\(block)\n\(block)", add, add),
    Row("two without a blank", "\(block)\(block)", add, add),
    Row("text between two", "a\n\(block)\nb\n\(block)\nc", says: "a\n\nb\n\nc", add, add),
    Row("an array of calls", "<tool_call>[\(json), {\"name\":\"search\"}]</tool_call>", add, call("search")),
    Row("several objects", "<tool_call>\(json)\n\(json),{\"name\":\"search\"}</tool_call>", add, add, call("search")),
    Row(
      "arguments in a string", #"<tool_call>{"name":"add","arguments":"{\"a\":1,\"b\":2}"}</tool_call>"#, add),
    Row("parameters", #"<tool_call>{"name":"add","parameters":{"a":1,"b":2}}</tool_call>"#, add),
    Row("args", #"<tool_call>{"args":{"a":1,"b":2},"name":"add"}</tool_call>"#, add),
    Row("a function", #"<tool_call>{"function":{"name":"add","arguments":{"a":1,"b":2}}}</tool_call>"#, add),
    Row(
      "a function with its arguments beside",
      #"<tool_call>{"type":"function","function":{"name":"add"},"arguments":{"a":1,"b":2}}</tool_call>"#, add),
    Row("a function by its name", #"<tool_call>{"function":"add","arguments":{"a":1,"b":2}}</tool_call>"#, add),
    Row("no arguments", #"<tool_call>{"name":"search"}</tool_call>"#, call("search")),
    Row("null for arguments", #"<tool_call>{"name":"search","arguments":null}</tool_call>"#, call("search")),
    Row("empty text for arguments", #"<tool_call>{"name":"search","arguments":" "}</tool_call>"#, call("search")),
    Row("a name with blanks", #"<tool_call>{"name":" search "}</tool_call>"#, call("search")),
    Row("a tool that was not offered", #"<tool_call>{"name":"fly"}</tool_call>"#, call("fly")),
    Row("no end tag", "<tool_call>\n\(json)", add),
    Row("no end tag, blanks", "<tool_call>\n\(json)\n\n", add),
    Row("half an end tag", "<tool_call>\n\(json)\n</tool_ca", add),
    Row("no end tag, then text", "<tool_call>\n\(json)\nNow I wait.", says: "Now I wait.", add),
    Row("no end tag, then a tag of another kind", "<tool_call>\(json)<b>x</b>", says: "<b>x</b>", add),
    Row("a start tag for an end tag", "<tool_call>\n\(json)\n<tool_call>\n", add),
    Row("the next start tag for an end tag", "<tool_call>\n\(json)\n\(block)", add, add),
    Row("two end tags", "\(block)\n</tool_call>", add),
    Row("a bracket too many", "<tool_call>\(json)}\n</tool_call>", add),
    Row(
      "an end tag in a string", #"<tool_call>{"name":"search","arguments":{"q":"a </tool_call> b"}}</tool_call>"#,
      call("search", ["q": "a </tool_call> b"])),
    Row(
      "a start tag in a string", #"<tool_call>{"name":"search","arguments":{"q":"<tool_call>{"}}</tool_call>"#,
      call("search", ["q": "<tool_call>{"])),
    Row(
      "quotes and brackets in strings", #"<tool_call>{"name":"search","arguments":{"q":"\"}]{\\"}}</tool_call>"#,
      call("search", ["q": #""}]{\"#])),
    Row(
      "characters and escapes", #"<tool_call>{"name":"search","arguments":{"q":"é😀\u00e9\ud83d\ude00\n"}}</tool_call>"#,
      call("search", ["q": "é😀é😀\n"])),
    Row(
      "line breaks and tabs in a string",
      "<tool_call>{\"name\":\"search\",\"arguments\":{\"q\":\"a\nb\t\\\"\"}}</tool_call>",
      call("search", ["q": "a\nb\t\""])),
    Row("capital letters", "<TOOL_CALL>\(json)</Tool_Call>", add),
    Row("blanks in the tags", "< tool_call >\(json)</ tool_call >", add),
    Row("other dashes", "<tool-call>\(json)</toolcall>", add),
    Row("a fence in the block", "<tool_call>\n```json\n\(json)\n```\n</tool_call>", add),
    Row("a plain fence in the block", "<tool_call>```\n\(json)```</tool_call>ok", says: "ok", add),
    Row("a fence in the block, no end tag", "<tool_call>\n```json\n\(json)\n```\nNow", says: "Now", add),
    Row("a fence around", "```\n\(block)\n```", add),
    Row("a json fence around", "Like so:\n\n```json\n\(block)\n```\n\nOk", says: "Like so:\n\nOk", add),
    Row("an xml fence around", "```xml\n\(block)\n\(block)\n```\n", add, add),
    Row("a fence around that stays open", "```tool_call\n\(block)", add),
    Row("a fence around, no end tag", "```\n<tool_call>\n\(json)\n```", add),
    Row("a fence in a fence", "```\n<tool_call>\n```json\n\(json)\n```\n</tool_call>\n```\n", add),
    Row("code before, on the same line", "Use `add`: \(block)", says: "Use `add`:", add),
    Row("a fence before", "```\nx\n```\n\(block)", says: "```\nx\n```", add),
    Row(
      "an imagined result", "\(block)\n<tool_result>\n{\"result\": 3}\n</tool_result>\nIt is 3.", add, imagines: true),
    Row("an imagined result later", "\(block)\nSo: <Tool_Response>3", says: "So:", add, imagines: true),
    Row("an imagined result and another call", "\(block)<tool_result>3</tool_result>\(block)", add, imagines: true),
    Row("an imagined result in a fence", "```\n\(block)\n<tool_result>3</tool_result>\n```\nx", add, imagines: true),
    Row("a tag that was none before", "a <tool_call> b <i>\(block)", says: "a <tool_call> b <i>", add),
    Row("many angles", "<<<tool_call>\(json)</tool_call>", says: "<<", add),
  ]

  private static let brokenCalls = [
    Row(
      "not JSON", "<tool_call>{'name': 'add'}</tool_call>", broken("add", "{'name': 'add'}", .notJSON)),
    Row(
      "names without quotes", #"<tool_call>{name: "add"}</tool_call>x"#, says: "x",
      broken("add", #"{name: "add"}"#, .notJSON)),
    Row(
      "a bracket missing", #"<tool_call>{"name":"add","arguments":{"a":1}</tool_call>"#,
      broken("add", #"{"name":"add","arguments":{"a":1}"#, .unfinished)),
    Row(
      "cut off", #"<tool_call>{"name":"add","argu"#, broken("add", #"{"name":"add","argu"#, .unfinished)),
    Row("cut off at once", "<tool_call>\n{", broken("", "{", .unfinished)),
    Row(
      "a string without end", "<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":\"x}}</tool_call>\nthen",
      says: "then", broken("add", #"{"name":"add","arguments":{"a":"x}}"#, .unfinished)),
    Row(
      "a string without end before another call",
      "<tool_call>{\"name\":\"add\",\"arguments\":\"x}</tool_call>\(block)",
      broken("add", #"{"name":"add","arguments":"x}"#, .unfinished), add),
    Row(
      "no name", #"<tool_call>{"arguments":{}}</tool_call>"#, broken("", #"{"arguments":{}}"#, .noName)),
    Row(
      "arguments that are no object", #"<tool_call>{"name":"add","arguments":[1,2]}</tool_call>"#,
      broken("add", "[1,2]", .notAnObject)),
    Row(
      "text that is no object", #"<tool_call>{"name":"add","arguments":"1, 2"}</tool_call>"#,
      broken("add", "1, 2", .notJSON)),
    Row(
      "one good, one broken", #"<tool_call>{"name":"search"} {"name":"add",}</tool_call>"#, call("search"),
      broken("add", #"{"name":"add",}"#, .notJSON)),
  ]

  private static let texts = [
    Row("nothing", text: ""),
    Row("plain", text: "Hello, world.\n\n"),
    Row("blanks alone", text: " \n\t\n "),
    Row("angles", text: "a < b, c > d, <b>bold</b>, <<, <"),
    Row("a tag in backticks", text: "Write `<tool_call>` and `</tool_call>`."),
    Row("a block in backticks", text: "Write `<tool_call>\(json)</tool_call>` to call."),
    Row("a block in double backticks", text: "Write ``<tool_call>\(json)</tool_call>`` to call."),
    Row("prose", text: "The <tool_call> tag holds JSON such as {\"name\": 1}."),
    Row("a tag with nothing in it", text: "<tool_call></tool_call>"),
    Row("a tag at the end", text: "so: <tool_call>\n"),
    Row("half a tag", text: "so: <tool_ca"),
    Row("an end tag alone", text: "</tool_call> is the end"),
    Row("a result without a call", text: "<tool_result>{\"result\": 3}</tool_result>"),
    Row("a tag with more in it", text: "<tool_call id=\"1\">{}</tool_call>"),
    Row("an array of other things", text: "<tool_call>[1, 2]</tool_call>"),
    Row("an example in a fence", text: "```\n<tool_call>\n{\"name\": \"tool_name\"}\n</tool_call>\n```\nSo."),
    Row("a block and more in a fence", text: "```\n\(block)\n# calls add\n```\n"),
    Row("more and a block in a fence", text: "```md\nSay:\n\(block)\n```\n"),
    Row("a fence in a list", text: "- so\n  ```\n  x <tool_call>{}</tool_call>\n  ```\n"),
    Row("a longer fence", text: "````\n```\n\(block)\n```\n````\n"),
    Row("a fence that stays open", text: "```swift\nlet x = 1\n"),
    Row("the start of a fence", text: "``"),
    Row("a fence without a line", text: "```swift"),
    Row("code on a line of its own", text: "```x``` and <tool_call>"),
    Row("a fence with an example that stays open", text: "```\n<tool_call>\n{\"name\": \"fly\"}\n"),
    Row("characters", text: "é😀 <é> \u{FEFF}ü\u{2028}"),
  ]

  @Test(arguments: calls + brokenCalls + texts)
  func `each text is read the same, however it is cut`(row: Row) {
    let whole = ToolCallScannerTests.read(row.text)
    #expect(whole.text == row.said)
    #expect(whole.calls == row.calls)
    #expect(whole.notices == (row.imagines ? [.imaginedResult] : []))
    #expect(row.calls.isEmpty == whole.coming.isEmpty)
    let bytes = Array(row.text.utf8)
    #expect(ToolCallScannerTests.read(bytes.indices.map { bytes[$0...$0] }) == whole, "byte by byte")
    for cut in bytes.indices {
      let halves = ToolCallScannerTests.read([bytes[..<cut], bytes[cut...]])
      if halves != whole {
        Issue.record("cut at \(cut): \(halves)")
        break
      }
    }
  }

  @Test func `a call is told of when it begins, and again when its name is there`() {
    var scanner = ToolCallScanner(names: [])
    var joiner = EventJoiner()
    func events(_ text: String) -> [ChatEvent] {
      scanner.take(text.utf8, into: &joiner)
      return joiner.take()
    }
    #expect(events("So <tool_call>\n") == [.text("So")])
    #expect(events(" {") == [.toolCallComing(name: nil)])
    #expect(events(#""arguments":{"name":"x"},"na"#) == [])
    #expect(events(#"me":"add"#) == [])
    #expect(events("\"") == [.toolCallComing(name: "add")])
    #expect(events("}") == [])
    #expect(events("</tool_call>") == [.toolCall(ToolCallScannerTests.call("add", ["name": "x"]))])
  }

  @Test func `text without a tag is said as it comes, but for blanks at its end`() {
    var scanner = ToolCallScanner(names: [])
    var joiner = EventJoiner()
    for word in ["Hello", ", ", "world\n", "\n", "a"] { scanner.take(word.utf8, into: &joiner) }
    #expect(joiner.take() == [.text("Hello, world\n\na")])
    scanner.take(String(repeating: " ", count: 5000).utf8, into: &joiner)
    #expect(joiner.take() == [.text(String(repeating: " ", count: 5000))], "but not without end")
  }

  @Test func `what is held back is bounded`() {
    let tagged = "<tool_call>" + String(repeating: " ", count: 1000)
    var scanner = ToolCallScanner(names: ["add"])
    var joiner = EventJoiner()
    scanner.take(tagged.utf8, into: &joiner)
    #expect(joiner.take() == [.text("<tool_call>")], "a tag without a bracket")
    scanner.end(into: &joiner)
    #expect(joiner.take().count == 1)

    let endless = "```\n<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":\"" + String(repeating: "x", count: 70_000)
    scanner = ToolCallScanner(names: ["add"])
    scanner.take(endless.utf8, into: &joiner)
    #expect(joiner.take() == [.text(endless)], "a fence without end")

    let block = "<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":\"" + String(repeating: "x", count: 2 << 20)
    scanner = ToolCallScanner(names: ["add"])
    scanner.take(block.utf8, into: &joiner)
    let calls = joiner.take().filter { if case .toolCall = $0 { true } else { false } }
    #expect(calls.count == 1, "a block without end")
  }

  @Test func `random text without tags is unchanged, however it is cut`() {
    var random = SeededNumbers(seed: SeededNumbers.seed)
    let words = [
      "<", ">", "`", "```", "\n", " ", "tool_call", "<tool", "{", "}", "\"", "é", "😀", "a", "</", "json", "[", "\\",
      "_",
      "\r\n", "``", "- ",
    ]
    for _ in 0..<300 {
      let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in words.randomElement(using: &random)! }.joined()
      // Blanks within a tag, and signs behind its name, do not keep it from being one.
      guard !text.contains(/<[ \t]*tool_call[-_ \t]*>/) else { continue }
      let bytes = Array(text.utf8)
      var pieces: [ArraySlice<UInt8>] = []
      var place = 0
      while place < bytes.count {
        let end = min(bytes.count, place + Int.random(in: 1...9, using: &random))
        pieces.append(bytes[place..<end])
        place = end
      }
      let reading = ToolCallScannerTests.read(pieces)
      #expect(reading == Reading(text: text), "SCHEMA_SEED=\(SeededNumbers.seed)")
    }
  }

  @Test func `random text with calls in it gives the same, however it is cut`() {
    var random = SeededNumbers(seed: SeededNumbers.seed)
    let parts = [
      ToolCallScannerTests.block, "<tool_call>", "</tool_call>", ToolCallScannerTests.json, "```\n", "\n", " ", "text",
      "`", "{", "\"", "<tool_result>", "<", "}",
    ]
    for _ in 0..<200 {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
      let whole = ToolCallScannerTests.read(text)
      let bytes = Array(text.utf8)
      #expect(ToolCallScannerTests.read(bytes.indices.map { bytes[$0...$0] }) == whole, "\(text.debugDescription)")
    }
  }
}

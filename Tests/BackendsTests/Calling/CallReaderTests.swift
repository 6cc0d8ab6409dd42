import Chat
import Testing
import Wire

@testable import Backends

/// Calls in streams of every make.
struct CallReaderTests {
  private static let tools = [
    Tool(name: "add"), Tool(name: "search", parameters: ["properties": ["q": ["type": "string"]]]),
  ]

  private static func outcome(_ pieces: [[UInt8]]) -> Outcome {
    let question = ChatRequest(model: "m", messages: [], tools: tools)
    var stream = OpenAIStream(address: "gpu:8080", calls: CallReader(question))
    var outcome = Outcome([])
    do throws(BackendError) {
      for piece in pieces {
        try stream.feed(piece)
        outcome.events += stream.take()
      }
      try stream.end()
    } catch {
      outcome.error = error
    }
    outcome.events += stream.take()
    return outcome
  }

  private static func call(_ id: String, _ name: String, _ arguments: JSON = [:]) -> ChatEvent {
    .toolCall(ToolCall(id: id, name: name, arguments: .object(arguments)))
  }

  private static func broken(_ id: String, _ name: String, _ text: String, _ problem: ToolCall.Problem) -> ChatEvent {
    .toolCall(ToolCall(id: id, name: name, arguments: .broken(text, problem)))
  }

  private static func calls(_ pieces: String...) -> String {
    chunk("{\"tool_calls\":[\(pieces.joined(separator: ","))]}")
  }

  private static let end = chunk("{}", finish: "tool_calls")
  private static let block = #"<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":1}}</tool_call>"#

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var body: String
    var events: [ChatEvent]
    var testDescription: String { name }

    init(_ name: String, _ body: String, _ events: ChatEvent...) {
      (self.name, self.body, self.events) = (name, body, events)
    }
  }

  private static let rows = [
    Row(
      "Qwen3-Coder's form, with its tag",
      sse(
        chunk(content: #"Well.\n<tool_call>\n<function=add>\n<parameter=a>\n1\n</param"#),
        chunk(content: #"eter>\n<parameter=b>\n{\"c\": [2]}\n</parameter>\n</function>\n</tool_call>"#),
        chunk("{}", finish: "stop"), "[DONE]"),
      .text("Well."), .toolCallComing(name: "add"), call("", "add", ["a": 1, "b": ["c": [2]]]), .finished(.stop)),
    Row(
      "Qwen3-Coder's form, without its tag, two calls",
      sse(
        chunk(content: #"<function=search>\n<parameter=q>\n1\n</parameter>\n</function>\n</tool_call>\n"#),
        chunk(content: #"<function=add>{\"a\": 1}</function>"#), chunk("{}", finish: "stop"), "[DONE]"),
      .toolCallComing(name: "search"), call("", "search", ["q": "1"]), .toolCallComing(name: "add"),
      call("", "add", ["a": 1]), .finished(.stop)),
    Row(
      "a value in Qwen3-Coder's form that breaks off",
      sse(chunk(content: #"<tool_call>\n<function=add>\n<parameter=a>\n1"#), chunk("{}", finish: "stop"), "[DONE]"),
      .toolCallComing(name: "add"), broken("", "add", "\n<function=add>\n<parameter=a>\n1", .unfinished),
      .finished(.stop)),
    Row(
      "GLM's form",
      sse(
        chunk(content: #"<tool_call>search\n<arg_key>q</arg_key>\n<arg_value>1</arg_value>\n<arg_key>n</arg_key>"#),
        chunk(content: #"\n<arg_value>true</arg_value>\n</tool_call>"#), chunk("{}", finish: "stop"), "[DONE]"),
      .toolCallComing(name: "search"), call("", "search", ["q": "1", "n": true]), .finished(.stop)),
    Row(
      "GLM's form without arguments", sse(chunk(content: #"<tool_call>add\n</tool_call>"#), "[DONE]"),
      .toolCallComing(name: "add"), call("", "add"), .finished(.stop)),
    Row(
      "Llama's form, alone",
      sse(chunk(content: #"{\"name\": \"add\","#), chunk(content: #" \"parameters\": {\"a\": 1}}"#), "[DONE]"),
      .toolCallComing(name: "add"), call("", "add", ["a": 1]), .finished(.stop)),
    Row(
      "Llama's form behind its tag",
      sse(chunk(content: #"<|python_tag|>{\"name\": \"add\", \"parameters\": {}}"#), "[DONE]"),
      .toolCallComing(name: "add"), call("", "add"), .finished(.stop)),
    Row(
      "JSON that is an answer", sse(chunk(content: #"{\"name\": \"Bob\"}"#), "[DONE]"),
      .text(#"{"name": "Bob"}"#), .finished(.stop)),
    Row(
      "a call in JSON with words behind it", sse(chunk(content: #"{\"name\": \"add\"} adds."#), "[DONE]"),
      .toolCallComing(name: "add"), .text(#"{"name": "add"} adds."#), .finished(.stop)),
    Row(
      "a form that nobody knows", sse(chunk(content: #"[TOOL_CALLS]add[ARGS]{\"a\": 1}"#), "[DONE]"),
      .text(#"[TOOL_CALLS]add[ARGS]{"a": 1}"#), .notice(.callNotUnderstood), .finished(.stop)),
    Row(
      "prose about tags", sse(chunk(content: "Use `<tool_call>add` or <function=other> here."), "[DONE]"),
      .text("Use `<tool_call>add` or <function=other> here."), .finished(.stop)),
    Row(
      "OpenAI: an index, pieces of arguments",
      sse(
        chunk(#"{"role":"assistant","content":null}"#),
        calls(#"{"index":0,"id":"c","type":"function","function":{"name":"add","arguments":""}}"#),
        calls(#"{"index":0,"function":{"arguments":"{\"a"}}"#), calls(#"{"index":0,"function":{"arguments":"\":1}"}}"#),
        end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "two at once, their pieces mixed",
      sse(
        calls(
          #"{"index":0,"id":"c","function":{"name":"add","arguments":"{"}}"#,
          #"{"index":1,"id":"d","function":{"name":"search","arguments":"{\"q"}}"#),
        calls(#"{"index":1,"function":{"arguments":"\":2}"}}"#, #"{"index":0,"function":{"arguments":"}"}}"#), end,
        "[DONE]"),
      .toolCallComing(name: "add"), .toolCallComing(name: "search"), call("c", "add"), call("d", "search", ["q": 2]),
      .finished(.stop)),
    Row(
      "text before, thoughts too",
      sse(
        chunk(#"{"reasoning_content":"<tool_call>{}</tool_call>"}"#), chunk(content: "I'll add.\\n\\n"),
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{}"}}"#), end, "[DONE]"),
      .reasoning("<tool_call>{}</tool_call>"), .text("I'll add."), .toolCallComing(name: "add"),
      .toolCall(
        ToolCall(
          id: "c", name: "add", arguments: .object([:]),
          sentBackBeside: ["reasoning_content": "<tool_call>{}</tool_call>"])), .finished(.stop)),
    Row(
      "fields that are not known come back with the calls",
      sse(
        chunk(#"{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"h"}],"trace":null}"#),
        chunk(#"{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"m","signature":"s"}]}"#),
        calls(
          #"{"index":0,"id":"c","function":{"name":"add","arguments":"{}","x":1},"extra_content":{"google":{"thought":"t"}}}"#,
          #"{"index":1,"id":"d","function":{"name":"add","arguments":"{}"}}"#), end, "[DONE]"),
      .reasoning("hm"), .toolCallComing(name: "add"), .toolCallComing(name: "add"),
      .toolCall(
        ToolCall(
          id: "c", name: "add", arguments: .object([:]),
          sentBack: ["extra_content": ["google": ["thought": "t"]], "function": ["x": 1]],
          sentBackBeside: [
            "reasoning_details": [["type": "reasoning.text", "index": 0, "text": "hm", "signature": "s"]]
          ])), call("d", "add"), .finished(.stop)),
    Row(
      "no id and one index for calls that are whole",
      sse(
        calls(#"{"index":0,"function":{"name":"add","arguments":"{\"a\":1}"}}"#),
        calls(#"{"index":0,"function":{"name":"add","arguments":"{\"a\":2}"}}"#),
        calls(#"{"index":0,"function":{"name":"search","arguments":""}}"#),
        calls(#"{"index":0,"function":{"arguments":"{}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), .toolCallComing(name: "add"), .toolCallComing(name: "search"),
      call("", "add", ["a": 1]), call("", "add", ["a": 2]), call("", "search"), .finished(.stop)),
    Row(
      "a whole call that is said again",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\""}}"#),
        calls(#"{"index":0,"function":{"arguments":":1}"}}"#),
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\": 1}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "calls that are joined in one text",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\":1}{\"a\":1} {\"a\""}}"#),
        calls(#"{"index":0,"function":{"arguments":":2}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1]), call("", "add", ["a": 2]), .finished(.stop)),
    Row(
      "arguments that repeat what came before",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\":1"}}"#),
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\":1,\"b\":2}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1, "b": 2]), .finished(.stop)),
    Row(
      "numbers that are too large",
      sse(
        calls(
          #"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\":1e400,\"b\":18446744073709551616}"}}"#),
        end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": .exact("1e400"), "b": .exact("18446744073709551616")]),
      .finished(.stop)),
    Row(
      "half characters in arguments",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\":\"\ud83c"}}"#),
        calls(#"{"index":0,"function":{"arguments":"\udf89\"}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": "🎉"]), .finished(.stop)),
    Row(
      "blank text beside a call",
      sse(
        chunk(content: "\\n\\n"), calls(#"{"id":"c","function":{"name":"add"}}"#), chunk(content: " "), end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add"), .finished(.stop)),
    Row(
      "no index, whole, each with an id",
      sse(
        calls(#"{"id":"c","function":{"name":"add","arguments":"{\"a\":1}"}}"#),
        calls(#"{"id":"d","function":{"name":"add","arguments":"{\"a\":1}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), .toolCallComing(name: "add"), call("c", "add", ["a": 1]),
      call("d", "add", ["a": 1]), .finished(.stop)),
    Row(
      "no index, no id, an object for arguments",
      sse(
        calls(#"{"function":{"name":"add","arguments":{"a":1}}}"#),
        calls(#"{"function":{"name":"add","arguments":{}}}"#),
        calls(#"{"function":{"name":"search"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), .toolCallComing(name: "add"), .toolCallComing(name: "search"),
      call("", "add", ["a": 1]), call("", "add"), call("", "search"), .finished(.stop)),
    Row(
      "no index: the name with each piece",
      sse(
        calls(#"{"id":"c","function":{"name":"add","arguments":"{\"a"}}"#),
        calls(#"{"id":"c","function":{"name":"add","arguments":"\":"}}"#), calls(#"{"function":{"arguments":"1}"}}"#),
        end,
        "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "no id, the name with each piece",
      sse(
        calls(#"{"function":{"name":"add","arguments":"{\"a"}}"#),
        calls(#"{"function":{"name":"add","arguments":"\":1}"}}"#),
        end, "[DONE]"),
      .toolCallComing(name: "add"), call("", "add", ["a": 1]), .finished(.stop)),
    Row(
      "the same index for all",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{}"}}"#),
        calls(#"{"index":0,"id":"d","function":{"name":"search","arguments":"{}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), .toolCallComing(name: "search"), call("c", "add"), call("d", "search"),
      .finished(.stop)),
    Row(
      "another id with each piece",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\""}}"#),
        calls(#"{"index":0,"id":"d","function":{"arguments":":1}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "the same id for two",
      sse(
        calls(
          #"{"index":0,"id":"c","function":{"name":"add","arguments":"{}"}}"#,
          #"{"index":1,"id":"c","function":{"name":"add","arguments":"{}"}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), .toolCallComing(name: "add"), call("c", "add"), call("c", "add"),
      .finished(.stop)),
    Row(
      "the name after the id",
      sse(
        calls(#"{"index":0,"id":"c","type":"function"}"#), calls(#"{"index":0,"function":{"name":"add"}}"#), end,
        "[DONE]"),
      .toolCallComing(name: nil), .toolCallComing(name: "add"), call("c", "add"), .finished(.stop)),
    Row(
      "one call of older servers",
      sse(
        chunk(#"{"function_call":{"name":"add","arguments":"{\"a\""}}"#),
        chunk(#"{"function_call":{"arguments":":1}"}}"#),
        chunk("{}", finish: "function_call"), "[DONE]"),
      .toolCallComing(name: "add"), call("", "add", ["a": 1]), .finished(.stop)),
    Row(
      "one object instead of a stream",
      #"""
      {"choices":[{"index":0,"message":{"role":"assistant","content":"","tool_calls":[
       {"id":"c","type":"function","function":{"name":"add","arguments":"{\"a\": 1}"}},
       {"id":"d","type":"function","function":{"name":"search","arguments":""}}]},
       "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1}}
      """#,
      .toolCallComing(name: "add"), .toolCallComing(name: "search"), call("c", "add", ["a": 1]), call("d", "search"),
      .usage(Usage(promptTokens: 1)), .finished(.stop)),
    Row(
      "a name alone, flat", sse(calls(#"{"name":"add","arguments":"null"}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), call("", "add"), .finished(.stop)),
    Row(
      "arguments written twice as text",
      sse(calls(#"{"id":"c","function":{"name":"add","arguments":"\"{\\\"a\\\":1}\""}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "arguments cut off by the limit",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"{\"a\":"}}"#), chunk("{}", finish: "length"),
        "[DONE]"),
      .toolCallComing(name: "add"), broken("c", "add", "{\"a\":", .unfinished), .finished(.length)),
    Row(
      "arguments of another kind",
      sse(
        calls(#"{"id":"c","function":{"name":"add","arguments":"[1]"}}"#),
        calls(#"{"id":"d","function":{"arguments":"{}"}}"#), end),
      .toolCallComing(name: "add"), .toolCallComing(name: nil), broken("c", "add", "[1]", .notAnObject),
      broken("d", "", "{}", .noName), .finished(.stop)),
    Row(
      "an empty list, and nonsense", sse(chunk(#"{"tool_calls":[],"content":"a"}"#), calls("7", "null"), end),
      .text("a"), .notice(.unreadable(calls("7", "null"))), .notice(.callNotUnderstood),
      .finished(.other("tool_calls"))),
    Row(
      "one call without its list",
      sse(chunk(#"{"tool_calls":{"id":"c","function":{"name":"add","arguments":"{\"a\":1}"}}}"#), end, "[DONE]"),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "calls in a map",
      sse(
        chunk(#"{"tool_calls":{"0":{"index":0,"name":"add","args":{"a":1}},"1":{"index":1,"name":"search"}}}"#), end),
      .toolCallComing(name: "add"), .toolCallComing(name: "search"), call("", "add", ["a": 1]), call("", "search"),
      .finished(.stop)),
    Row(
      "a call as a part of the content",
      sse(
        chunk(
          #"{"content":[{"type":"text","text":"So:"},{"type":"tool_use","id":"c","name":"add","input":{"a":1}}]}"#),
        end, "[DONE]"),
      .text("So:"), .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "input in place of arguments", sse(calls(#"{"index":0,"id":"c","name":"add","input":{"a":1}}"#), end),
      .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "a name in pieces",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"ad","arguments":""}}"#),
        calls(#"{"index":0,"function":{"name":"d","arguments":"{\"a\":1}"}}"#), end),
      .toolCallComing(name: "ad"), .toolCallComing(name: "add"), call("c", "add", ["a": 1]), .finished(.stop)),
    Row(
      "a name that grows",
      sse(
        calls(#"{"index":0,"id":"c","function":{"name":"se"}}"#),
        calls(#"{"index":0,"function":{"name":"search","arguments":"{}"}}"#), end),
      .toolCallComing(name: "se"), .toolCallComing(name: "search"), call("c", "search"), .finished(.stop)),
    Row(
      "two members of one name",
      sse(calls(#"{"id":"c","function":{"name":"add","arguments":"{\"a\":1,\"a\":2}"}}"#), end),
      .toolCallComing(name: "add"), broken("c", "add", #"{"a":1,"a":2}"#, .repeatedName), .finished(.stop)),
    Row(
      "two members of one name, deeper, as a value",
      sse(calls(#"{"id":"c","function":{"name":"add","arguments":{"a":[{"b":1,"b":1}]}}}"#), end),
      .toolCallComing(name: "add"), broken("c", "add", #"{"a":[{"b":1,"b":1}]}"#, .repeatedName), .finished(.stop)),
    Row(
      "a finish reason of calls, and no call", sse(chunk(content: "a"), end, "[DONE]"), .text("a"),
      .notice(.callNotUnderstood), .finished(.other("tool_calls"))),
    Row(
      "a block in the text", sse(chunk(content: "So:\\n<tool"), chunk(content: block.dropFirstFive), end, "[DONE]"),
      .text("So:"), .toolCallComing(name: nil), .toolCallComing(name: "add"), call("", "add", ["a": 1]),
      .finished(.stop)),
    Row(
      "a block behind thoughts in tags",
      sse(chunk(content: "<think>\(block)</think>\\n\\n"), chunk(content: block), chunk("{}", finish: "stop")),
      .reasoning(#"<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>"#), .toolCallComing(name: nil),
      .toolCallComing(name: "add"), call("", "add", ["a": 1]), .finished(.stop)),
    Row(
      "a call that the server left in the text as well",
      sse(
        chunk(content: block),
        calls(
          #"{"id":"c","function":{"name":"add","arguments":"{\"a\":1}"}}"#, #"{"id":"d","function":{"name":"add"}}"#),
        end, "[DONE]"),
      .toolCallComing(name: nil), .toolCallComing(name: "add"), call("", "add", ["a": 1]),
      .toolCallComing(name: "add"), .toolCallComing(name: "add"), call("d", "add"), .finished(.stop)),
    Row(
      "an imagined result", sse(chunk(content: block + "\\n<tool_result>3"), chunk(content: "</tool_result>"), end),
      .toolCallComing(name: nil), .toolCallComing(name: "add"), call("", "add", ["a": 1]),
      .notice(.imaginedResult), .finished(.stop)),
    Row(
      "a block that is cut off", sse(chunk(content: #"<tool_call>{\"name\":\"add\","#)),
      .toolCallComing(name: nil), .toolCallComing(name: "add"),
      broken("", "add", #"{"name":"add","#, .unfinished)),
    Row(
      "blanks at the end", sse(chunk(content: "a \\n"), chunk("{}", finish: "stop"), "[DONE]"), .text("a \n"),
      .finished(.stop)),
  ]

  @Test func `arguments with a hole in them are not carried out`() {
    // Without its second half this can be read.
    let half = String(repeating: "x", count: 600_000)
    let pieces = [#"{\"a\":\""#, half, half, #"\"}"#].map { piece in
      sse(Self.calls(#"{"index":0,"id":"c","function":{"name":"add","arguments":"\#(piece)"}}"#))
    }
    let outcome = Self.outcome([Array((pieces.joined() + sse(Self.end)).utf8)])
    #expect(
      outcome.events.dropFirst()
        == [.toolCallComing(name: "add"), Self.broken("c", "add", #"{"a":""# + half, .unfinished), .finished(.stop)])
  }

  @Test(arguments: rows)
  func `each make of call is read, however the stream is cut`(row: Row) {
    let expected = Outcome([.started(model: nil)] + row.events)
    let bytes = Array(row.body.utf8)
    #expect(CallReaderTests.outcome([bytes]).joined == expected)
    #expect(CallReaderTests.outcome(bytes.map { [$0] }).joined == expected, "byte by byte")
    for cut in 0...bytes.count {
      let halves = CallReaderTests.outcome([Array(bytes[..<cut]), Array(bytes[cut...])]).joined
      if halves != expected {
        Issue.record("cut at \(cut): \(halves)")
        break
      }
    }
  }

  @Test func `what came before an error is said`() {
    let body = sse(chunk(content: "a \\n<tool_"), #"{"error":{"message":"no"}}"#)
    let outcome = CallReaderTests.outcome([Array(body.utf8)])
    #expect(outcome.text == "a \n<tool_")
    #expect(outcome.error == .failed(message: "no"))
  }

  @Test func `without tools nothing is read`() {
    #expect(CallReader(ChatRequest(model: "m", messages: [Message(.user, "Hi")])) == nil)
  }
}

extension String {
  /// Without `<tool`.
  fileprivate var dropFirstFive: String { String(dropFirst(5)) }
}

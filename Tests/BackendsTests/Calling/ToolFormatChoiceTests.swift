import Chat
import Testing
import Wire

@testable import Backends

struct ToolFormatChoiceTests {
  private static let tool = Tool(name: "add")
  private static let done = ScriptedHTTP.Reply.response(200, [.text(sse(chunk(content: "ok"), "[DONE]"))])

  private static func question(
    _ model: String? = "m", tools: [Tool] = [tool], _ format: ToolFormat = .auto, used: Bool = false
  ) -> ChatRequest {
    var messages = [Message(.user, "Hi")]
    if used {
      messages.append(Message(.assistant, "", toolCalls: [ToolCall(id: "c", name: "add", arguments: .object([:]))]))
      messages.append(Message(.tool, "3", toolName: "add", toolCallID: "c"))
    }
    return ChatRequest(model: model, messages: messages, tools: tools, toolFormat: format)
  }

  /// How each request was written.
  private func formats(_ http: ScriptedHTTP, _ method: String? = nil) throws -> [String] {
    try http.requests.filter { method == nil || $0.method == method }.map { request in
      let body = try JSON(parsing: request.body ?? [])
      let messages = body["messages"]?.array ?? []
      let native = body["tools"] != nil || messages.contains { $0["role"] == "tool" }
      let text = messages.contains { message in
        ["<tool>", "<tool_result>"].contains { message["content"]?.string?.contains($0) ?? false }
      }
      return native ? text ? "both" : "native" : text ? "text" : "none"
    }
  }

  private static let refusals: [(Int, String)] = [
    (500, #"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#),
    (400, #"{"error":{"code":400,"message":"Unsupported param: tools","type":"invalid_request_error"}}"#),
    (
      400,
      #"{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}"#
    ),
    (400, #"{"error":{"message":"registry.ollama.ai/library/smollm:latest does not support tools"}}"#),
    (
      400,
      #"{"error":{"message":"litellm.UnsupportedParamsError: x does not support parameters: ['tools'], for model=y"}}"#
    ),
    (422, #"{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]}"#),
    (400, #"{"error":{"message":"Unknown parameter","param":"tools"}}"#),
    (501, "function calling is not implemented"),
    (404, #"{"error":{"message":"No endpoints found that support tool use.","code":404}}"#),
    (500, #"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}"#),
  ]

  @Test(arguments: refusals)
  func `a server that refuses tools is told of them in words from then on`(refusal: (Int, String)) async throws {
    let http = ScriptedHTTP([
      .response(refusal.0, [.text(refusal.1)]), ToolFormatChoiceTests.done, ToolFormatChoiceTests.done,
      ToolFormatChoiceTests.done,
    ])
    let backend = OpenAIBackend(http)
    let first = await backend.outcome(ToolFormatChoiceTests.question())
    #expect(first.events == [.notice(.toolsInText), .started(model: nil), .text("ok"), .finished(.stop)])
    #expect(await backend.outcome(ToolFormatChoiceTests.question()).events.count == 3, "said once")
    _ = await backend.outcome(ToolFormatChoiceTests.question("other"))
    #expect(try formats(http) == ["native", "text", "text", "native"], "for that model alone")
  }

  @Test(arguments: [
    (400, #"{"error":{"message":"bad temperature"}}"#), (500, "out of memory"), (404, #"{"error":"no tool model"}"#),
    (
      400,
      #"{"error":{"message":"This model's maximum context length is 9 tokens. However, your messages resulted in 12 tokens (2 in the messages, 10 in the functions)."}}"#
    ),
  ])
  func `other refusals are errors`(refusal: (Int, String)) async throws {
    let http = ScriptedHTTP([.response(refusal.0, [.text(refusal.1)])])
    #expect(await OpenAIBackend(http).outcome(ToolFormatChoiceTests.question()).error != nil)
    #expect(try formats(http) == ["native"])
  }

  @Test func `what was refused in both ways is not remembered`() async throws {
    let no = ScriptedHTTP.Reply.response(400, [.text("bad tools")])
    let http = ScriptedHTTP([no, no, ToolFormatChoiceTests.done])
    let backend = OpenAIBackend(http)
    let outcome = await backend.outcome(ToolFormatChoiceTests.question())
    #expect(outcome == Outcome([], .refused(address: "gpu:8080", status: 400, message: "bad tools")))
    _ = await backend.outcome(ToolFormatChoiceTests.question())
    #expect(try formats(http) == ["native", "text", "native"])
  }

  @Test func `a format that the person chose stays`() async throws {
    let http = ScriptedHTTP([ToolFormatChoiceTests.done, .response(400, [.text("no tools")])])
    let backend = OpenAIBackend(http)
    #expect(await backend.outcome(ToolFormatChoiceTests.question(.text)).error == nil)
    #expect(await backend.outcome(ToolFormatChoiceTests.question(.native)).error != nil)
    #expect(try formats(http) == ["text", "native"])
  }

  @Test func `without tools, what was called before is written as the model is known to take it`() async throws {
    let http = ScriptedHTTP([
      ToolFormatChoiceTests.done, ToolFormatChoiceTests.done, ToolFormatChoiceTests.done, ToolFormatChoiceTests.done,
    ])
    let backend = OpenAIBackend(http)
    _ = await backend.outcome(ToolFormatChoiceTests.question(tools: [], used: true))
    _ = await backend.outcome(ToolFormatChoiceTests.question())
    _ = await backend.outcome(ToolFormatChoiceTests.question(tools: [], used: true))
    _ = await backend.outcome(ToolFormatChoiceTests.question(tools: []))
    #expect(try formats(http) == ["text", "native", "native", "none"])
  }

  @Test(arguments: [(false, ["native", "text", "text"]), (true, ["native", "native"]), (nil, ["native", "native"])])
  func `llama.cpp tells whether its model sees tools`(row: (Bool?, [String])) async throws {
    let props = row.0.map {
      ScriptedHTTP.Reply.response(200, [.text(#"{"chat_template_caps":{"supports_tools":\#($0)}}"#)])
    }
    let llama = ScriptedHTTP.Reply.response(
      200, headers: [(name: "Server", value: "llama.cpp")], [.text(sse(chunk(content: "ok"), "[DONE]"))])
    let again = row.0 == false ? [llama] : []
    let http = ScriptedHTTP([llama, props ?? .response(404, [])] + again + [llama])
    let backend = OpenAIBackend(http)
    let first = await backend.outcome(ToolFormatChoiceTests.question())
    #expect(first.events.contains(.notice(.toolsInText)) == (row.0 == false))
    #expect(first.text == "ok")
    _ = await backend.outcome(ToolFormatChoiceTests.question())
    #expect(http.requests[1].url == "http://gpu:8080/props")
    #expect(http.isPlayed, "asked once")
    #expect(try formats(http, "POST") == row.1)
  }

  @Test func `a request without tools has nothing of them`() async throws {
    let http = ScriptedHTTP([ToolFormatChoiceTests.done])
    _ = await OpenAIBackend(http).outcome(.hello)
    let body = String(decoding: http.requests[0].body ?? [], as: UTF8.self)
    #expect(
      body
        == #"{"model":"m","messages":[{"role":"user","content":"Hello"}],"stream":true,"stream_options":{"include_usage":true}}"#
    )
  }
}

extension ToolFormatChoiceTests {
  private static func question(_ format: ToolFormat) -> ChatRequest { question("m", format) }
}

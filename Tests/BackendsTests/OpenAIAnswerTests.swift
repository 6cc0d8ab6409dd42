import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

/// How a question is asked until there is an answer: again after a while, in another way, or not at all.
@Suite struct OpenAIAnswerTests {
  private static let hello = ScriptedHTTP.Reply.response(200, [.text(sse(chunk(content: "Hello"), "[DONE]"))])

  private static func busy(_ status: Int, after seconds: Int? = nil) -> ScriptedHTTP.Reply {
    let headers = seconds.map { [(name: "Retry-After", value: "\($0)")] } ?? []
    return .response(status, headers: headers, [.text(#"{"error":{"message":"busy"}}"#)])
  }

  @Test(arguments: [429, 503, 529]) func `a server that is busy is asked three times more, each time later`(
    status: Int
  ) async {
    let time = TestTime()
    let http = ScriptedHTTP([Self.busy(status), Self.busy(status), Self.busy(status), Self.hello])
    let outcome = await OpenAIBackend(http, time: time).outcome()
    #expect(outcome.text == "Hello")
    #expect(http.isPlayed)
    #expect(time.now == 1 + 2 + 4)
  }

  @Test func `what a busy server wishes is waited for, and counted down`() async {
    let time = TestTime()
    let outcome = await OpenAIBackend(ScriptedHTTP([Self.busy(429, after: 3), Self.hello]), time: time).outcome()
    let waits = outcome.events.compactMap { event -> Int? in
      if case .notice(.waiting(.rateLimited, let seconds)) = event { seconds } else { nil }
    }
    #expect(waits == [3, 2, 1])
    #expect(time.now == 3)
    #expect(outcome.text == "Hello")
  }

  @Test func `a wish beyond patience is refused at once, with the wish`() async {
    let time = TestTime()
    let http = ScriptedHTTP([Self.busy(429, after: 7200)])
    let outcome = await OpenAIBackend(http, time: time).outcome()
    #expect(outcome.error == .rateLimited(address: "gpu:8080", message: "busy", retryAfter: 7200))
    #expect(time.now == 0)
  }

  @Test func `a server that stays busy is given up`() async {
    let http = ScriptedHTTP(Array(repeating: Self.busy(503), count: 4))
    let outcome = await OpenAIBackend(http).outcome()
    #expect(outcome.error == .refused(address: "gpu:8080", status: 503, message: "busy"))
    #expect(http.isPlayed)
  }

  @Test func `a wait that is longer than the first token may take is not begun`() async {
    var question = ChatRequest.hello
    question.timeouts.firstToken = 2
    let time = TestTime()
    let outcome = await OpenAIBackend(ScriptedHTTP([Self.busy(429, after: 5)]), time: time).outcome(question)
    #expect(outcome.error == .rateLimited(address: "gpu:8080", message: "busy", retryAfter: 5))
    #expect(time.now == 0)
  }

  @Test func `a model that loads is waited for until it is there`() async {
    let loading = ScriptedHTTP.Reply.error(503, #"{"error":{"message":"Loading model"}}"#)
    let time = TestTime()
    let http = ScriptedHTTP(Array(repeating: loading, count: 5) + [Self.hello])
    let outcome = await OpenAIBackend(http, time: time).outcome()
    #expect(outcome.text == "Hello")
    #expect(time.now == 10)
  }

  @Test(arguments: [401, 404, 500]) func `what waiting does not cure is asked once`(status: Int) async {
    let http = ScriptedHTTP([.error(status, #"{"error":{"message":"no"}}"#)])
    let outcome = await OpenAIBackend(http).outcome()
    #expect(outcome.error != nil)
    #expect(http.requests.count == 1)
  }

  @Test func `once a word has come nothing is asked again`() async {
    let http = ScriptedHTTP([.response(200, [.text(sse(chunk(content: "One"))), .failure(.closedEarly("gone"))])])
    #expect(await OpenAIBackend(http).outcome().text == "One")
    #expect(http.requests.count == 1)
  }

  @Test func `a parameter that is refused is left out, then and later`() async throws {
    var question = ChatRequest.hello
    question.sampling.maxTokens = 20
    let refusal = ScriptedHTTP.Reply.error(
      400, #"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}"#)
    let http = ScriptedHTTP([refusal, Self.hello, Self.hello])
    let backend = OpenAIBackend(http)
    #expect(await backend.outcome(question).text == "Hello")
    #expect(await backend.outcome(question).text == "Hello")
    let bodies = try http.requests.map { try JSON(parsing: $0.body ?? []) }
    #expect(bodies.map { $0["max_tokens"]?.int } == [20, nil, nil])
    #expect(bodies.map { $0["max_completion_tokens"]?.int } == [nil, 20, 20])
  }

  /// Bodies as servers and templates write them: vLLM and SGLang, TGI, llama.cpp, LM Studio, OpenAI, Google, Bedrock
  /// behind LiteLLM, and a check by pydantic.
  @Test(arguments: [
    (
      400, #"{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}"#
    ),
    (422, #"{"error":"Template error: invalid operation: System role not supported","error_type":"template_error"}"#),
    (500, #"{"error":{"code":500,"message":"System role not supported","type":"server_error"}}"#),
    (
      400,
      #"{"error":"Error rendering prompt with jinja template: \"Only user and assistant roles are supported!\"."}"#
    ),
    (
      400,
      #"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/...","code":400}}"#
    ),
    (
      400,
      #"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","#
        + #""type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}}"#
    ),
    (
      400,
      #"[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-27b-it","#
        + #""status":"INVALID_ARGUMENT"}}]"#
    ),
    (
      400,
      #"{"error":{"message":"litellm.BadRequestError: BedrockException - This model doesn't support system messages.","#
        + #""type":null,"param":null,"code":"400"}}"#
    ),
    (422, #"{"detail":[{"loc":["body","messages",0,"role"],"msg":"Input should be 'user' or 'assistant'"}]}"#),
  ])
  func `a system prompt that the model refuses is moved to the first question, then and later`(
    status: Int, body: String
  ) async throws {
    var question = ChatRequest.hello
    question.messages.insert(Message(.system, "Be brief."), at: 0)
    let http = ScriptedHTTP([.error(status, body), Self.hello, Self.hello])
    let backend = OpenAIBackend(http)
    let outcomes = [await backend.outcome(question), await backend.outcome(question)]
    #expect(outcomes.map(\.text) == ["Hello", "Hello"])
    #expect(outcomes.map { $0.events.contains(.notice(.systemPromptMoved)) } == [true, false])
    let sent = try http.requests.map { try JSON(parsing: $0.body ?? [])["messages"]?.array ?? [] }
    #expect(sent.map { $0.first?["role"]?.string } == ["system", "user", "user"])
    #expect(sent.map { $0.last?["content"]?.string } == ["Hello", "Be brief.\n\nHello", "Be brief.\n\nHello"])
  }

  /// Faults of the server, Mistral's check of the last message, and roles of messages other than the first.
  @Test(arguments: [
    (500, #"{"error":{"message":"An unexpected system error occurred while processing your message"}}"#),
    (400, #"{"error":{"message":"An unexpected system error occurred while processing your message"}}"#),
    (500, #"{"error":{"message":"system messages are not available"}}"#),
    (501, #"{"error":{"message":"the system does not support this prompt"}}"#),
    (404, #"{"error":{"message":"user and assistant have no role here"}}"#),
    (400, #"{"error":{"message":"Invalid value","param":"messages[3].role"}}"#),
    (422, #"{"detail":[{"loc":["body","messages",2,"role"],"msg":"Input should be 'user' or 'assistant'"}]}"#),
    (
      400,
      #"{"message":"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"}"#
    ),
    (400, #"{"error":{"message":"the system prompt has invalid characters"}}"#),
    (429, #"{"error":{"message":"System role not supported by your budget"}}"#),
  ])
  func `another refusal does not move the system prompt`(status: Int, body: String) {
    #expect(!ErrorBody(Array(body.utf8)).refusesSystemRole(status: status))
  }

  @Test func `the system role is refused before tools, which then stay native`() async throws {
    var question = ChatRequest.hello
    question.messages.insert(Message(.system, "Be brief."), at: 0)
    question.tools = [Tool(name: "add")]
    let refusal = #"{"error":"Error rendering prompt with jinja template: \"System role not supported\"."}"#
    let http = ScriptedHTTP([.error(400, refusal), Self.hello])
    let backend = OpenAIBackend(http)
    let outcome = await backend.outcome(question)
    #expect(outcome.events.first == .notice(.systemPromptMoved))
    #expect(!outcome.events.contains(.notice(.toolsInText)))
    #expect(backend.dialect.current.toolFormats == ["m": .native])
    #expect(try JSON(parsing: http.requests.last?.body ?? [])["tools"] != nil)
  }

  @Test func `turns of roles that tools break put tools in words first`() async throws {
    let call = ToolCall(id: "c", name: "add", arguments: .object([:]))
    let question = ChatRequest(
      model: "m",
      messages: [
        Message(.system, "Be brief."), Message(.user, "Add"), Message(.assistant, "", toolCalls: [call]),
        Message(.tool, "3", toolName: "add", toolCallID: "c"),
      ], tools: [Tool(name: "add")])
    let refusal = #"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}"#
    let backend = OpenAIBackend(ScriptedHTTP([.error(400, refusal), Self.hello]))
    #expect(await backend.outcome(question).events.first == .notice(.toolsInText))
    #expect(backend.dialect.current.refusedParts.isEmpty)
  }

  @Test func `what a server refuses within a stream all the same is not learnt`() async {
    var question = ChatRequest.hello
    question.messages.insert(Message(.system, "Be brief."), at: 0)
    question.tools = [Tool(name: "add")]
    let refusals = ["System role not supported", "no room"].map {
      ScriptedHTTP.Reply.response(200, [.text("data: {\"error\":{\"message\":\"\($0)\"}}\n\n")])
    }
    let backend = OpenAIBackend(ScriptedHTTP(refusals))
    let outcome = await backend.outcome(question)
    #expect(outcome == Outcome([], .failed(message: "no room")))
    #expect(backend.dialect.current == OpenAIChat())
  }

  @Test func `an answer that is asked for again starts once`() async {
    var question = ChatRequest.hello
    question.messages.insert(Message(.system, "Be brief."), at: 0)
    let role = sse(chunk(#"{"role":"assistant"}"#))
    let refusal = "data: {\"error\":{\"message\":\"System role not supported\"}}\n\n"
    let http = ScriptedHTTP([.response(200, [.text(role), .text(refusal)]), Self.hello])
    let events = await OpenAIBackend(http).outcome(question).events
    #expect(events == [.started(model: nil), .notice(.systemPromptMoved), .text("Hello"), .finished(.stop)])
  }

  @Test func `what answers side by side learn is kept of both`() {
    let dialect = LearnedDialect()
    let both: [(Adaptation, String)] = [(.moveSystemPrompt, "a"), (.leaveOutTemperature, "b"), (.sendWhole, "a")]
    for (adaptation, model) in both { dialect.update { $0.apply(adaptation, for: model) } }
    #expect(dialect.current.refusedParts.keys.sorted() == ["a", "b"])
    #expect(!dialect.current.streams)
  }

  @Test func `a refusal inside a stream is answered like one with a status`() async throws {
    var question = ChatRequest.hello
    question.messages.insert(Message(.system, "Be brief."), at: 0)
    let refusal =
      #"{"error":{"message":"Error rendering prompt with jinja template: \"System role not supported\"."}}"#
    let http = ScriptedHTTP([.response(200, [.text("event: error\ndata: \(refusal)\n\n")]), Self.hello])
    #expect(await OpenAIBackend(http).outcome(question).text == "Hello")
    let body = try JSON(parsing: http.requests.last?.body ?? [])
    #expect(body["messages"]?[0]?["content"] == "Be brief.\n\nHello")
  }

  @Test func `a refusal as the error of a choice is answered like one of the stream`() async {
    var question = ChatRequest.hello
    question.messages.insert(Message(.system, "Be brief."), at: 0)
    let refusal = sse(#"{"choices":[{"delta":{},"error":{"message":"System role not supported"}}]}"#)
    let http = ScriptedHTTP([.response(200, [.text(refusal)]), Self.hello])
    #expect(await OpenAIBackend(http).outcome(question).text == "Hello")
  }

  @Test func `a moved system prompt stands before the words and images of the first question`() {
    let image: JSON = ["type": "image_url"]
    let messages: [JSON] = [
      ["role": "system", "content": "Be brief."], ["role": "user", "content": [image]],
      ["role": "assistant", "content": "A cat."], ["role": "user", "content": "Why?"],
    ]
    let moved = SystemPrompt.movedToFirstQuestion(of: messages)
    #expect(moved.map { $0["role"]?.string } == ["user", "assistant", "user"])
    #expect(moved[0]["content"] == [["type": "text", "text": "Be brief."], image])
    #expect(moved[2]["content"] == "Why?")
  }

  /// Bodies of OpenAI, Moonshot, LiteLLM and Anthropic behind it.
  @Test(arguments: [
    #"{"error":{"message":"Unsupported value: 'temperature' does not support 0.7 with this model.","param":"temperature"}}"#,
    #"{"error":{"message":"invalid temperature: only 1 is allowed for this model","type":"invalid_request_error"}}"#,
    #"{"error":{"message":"litellm.UnsupportedParamsError: openai does not support parameters: ['temperature']"}}"#,
    #"{"error":{"message":"`temperature` and `top_p` cannot both be specified for this model."}}"#,
  ])
  func `our default temperature is left out where it is refused, and one of the user is sent`(
    refusal: String
  ) async throws {
    var question = ChatRequest.hello
    question.sampling = Sampling(temperature: 0.7, topP: 0.9)
    let http = ScriptedHTTP([.error(400, refusal), Self.hello, Self.hello, Self.hello])
    let backend = OpenAIBackend(http)
    var told: [Bool] = []
    for temperature in [0.7, 0.7, 1] {
      question.sampling.temperature = temperature
      question.hasDefaultTemperature = temperature == 0.7
      let outcome = await backend.outcome(question)
      #expect(outcome.text == "Hello")
      told.append(outcome.events.contains(.notice(.settingLeftOut(key: "temperature", value: 0.7))))
    }
    #expect(told == [true, false, false])
    let bodies = try http.requests.map { try JSON(parsing: $0.body ?? []) }
    #expect(bodies.map { $0["temperature"]?.double } == [0.7, nil, nil, 1])
    #expect(bodies.allSatisfy { $0["top_p"]?.double == 0.9 })
  }

  @Test(arguments: ["temperature must be between 0 and 1", "top_p: Extra inputs are not permitted"])
  func `a value that the user set is not left out`(message: String) async {
    var question = ChatRequest.hello
    question.sampling = Sampling(temperature: 2, topP: 0.9)
    let http = ScriptedHTTP([.error(400, "{\"error\":{\"message\":\"\(message)\"}}")])
    let outcome = await OpenAIBackend(http).outcome(question)
    #expect(outcome == Outcome([], .refused(address: "gpu:8080", status: 400, message: message)))
  }

  @Test func `each refused part is left out, and one that is refused for another reason is not`() async throws {
    var question = ChatRequest.hello
    question.sampling = Sampling(temperature: 0.7)
    question.hasDefaultTemperature = true
    question.messages.insert(Message(.system, "Be brief."), at: 0)
    let refusals = [
      #"{"detail":"temperature: Extra inputs are not permitted"}"#, #"{"error":"System role not supported"}"#,
    ]
    let http = ScriptedHTTP(refusals.map { .error(422, $0) } + [.error(400, #"{"error":"no room"}"#)])
    let backend = OpenAIBackend(ScriptedHTTP(refusals.map { .error(422, $0) } + [Self.hello]))
    let outcome = await backend.outcome(question)
    #expect(
      outcome.events.prefix(2)
        == [.notice(.settingLeftOut(key: "temperature", value: 0.7)), .notice(.systemPromptMoved)])
    #expect(backend.dialect.current.refusedParts["m"] == RefusedParts(systemRole: true, defaultTemperature: true))
    // What the server takes in no form is not learnt, and not told.
    let other = OpenAIBackend(http)
    #expect(await other.outcome(question).events.isEmpty)
    #expect(other.dialect.current.refusedParts.isEmpty)
  }

  @Test func `fields that a server does not take back are left out, then and later`() async throws {
    var question = ChatRequest.hello
    let call = ToolCall(
      id: "c", name: "add", arguments: .object([:]), sentBack: ["x": 1], sentBackBeside: ["reasoning": "hm"])
    question.toolFormat = .native
    question.messages += [Message(.assistant, "", toolCalls: [call]), Message(.tool, "3", toolCallID: "c")]
    let refusal = ScriptedHTTP.Reply.error(422, #"{"detail":[{"loc":["body","reasoning"],"msg":"extra field"}]}"#)
    let http = ScriptedHTTP([refusal, Self.hello, Self.hello])
    let backend = OpenAIBackend(http)
    #expect(await backend.outcome(question).text == "Hello")
    #expect(await backend.outcome(question).text == "Hello")
    let messages = try http.requests.map { try JSON(parsing: $0.body ?? [])["messages"]?.array?.dropLast().last }
    #expect(messages.map { $0?["reasoning"]?.string } == ["hm", nil, nil])
    #expect(messages.map { $0?["tool_calls"]?[0]?["x"]?.int } == [1, nil, nil])
  }

  @Test func `nothing is read behind the end mark but what ends the body`() async {
    let http = ScriptedHTTP([.response(200, [.text(sse(chunk(content: "a"), "[DONE]", chunk(content: "b")))])])
    let outcome = await OpenAIBackend(http).outcome()
    #expect(outcome.text == "a")
    #expect(http.bodies.map(\.isCancelled) == [true])
  }

  @Test func `a first token that is late is told with the time that was over`() async {
    var question = ChatRequest.hello
    question.timeouts.firstToken = 7
    let http = ScriptedHTTP([.failure(.headersTimeout)])
    let outcome = await OpenAIBackend(http).outcome(question)
    #expect(outcome.error == .timedOut(address: "gpu:8080", .firstToken, seconds: 7))
    #expect(http.requests.first?.headersTimeout == 7)
  }

  @Test func `behind the reason why it ended an answer is not waited for`() async {
    let end = ScriptedBody.Piece.text(sse(chunk(content: "Hello"), chunk("{}", finish: "stop")))
    let http = ScriptedHTTP([.response(200, [end, .failure(.readTimeout)])])
    let outcome = await OpenAIBackend(http).outcome()
    #expect(outcome.error == nil)
    #expect(outcome.events.last == .finished(.stop))
    let last = http.bodies.first?.patience.last ?? nil
    #expect(last.map { $0 < 60 } == true)
  }
}

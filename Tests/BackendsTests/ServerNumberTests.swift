import Chat
import Testing
import Transport
import Wire

@testable import Backends

struct ServerNumberTests {
  private static let limit = 1_000_000_000_000
  private static let hugeTimings =
    #"{"choices":[],"timings":{"prompt_n":9223372036854775807,"cache_n":9223372036854775807,"predicted_n":1e400}}"#
  private static let rows: [(String, Usage)] = [
    (hugeTimings, Usage(promptTokens: limit, completionTokens: limit)),
    (
      #"{"choices":[],"usage":{"prompt_tokens":-5,"completion_tokens":-9223372036854775808,"cost":1e999}}"#,
      Usage(promptTokens: 0, completionTokens: 0)
    ),
    (
      #"{"choices":[],"usage":{"prompt_tokens":12.0,"completion_tokens":123456789012345678901234567890}}"#,
      Usage(promptTokens: 12, completionTokens: limit)
    ),
    (
      #"{"choices":[],"timings":{"prompt_n":3,"cache_n":-9223372036854775808,"predicted_n":4}}"#,
      Usage(promptTokens: 3, completionTokens: 4)
    ),
  ]

  @Test(arguments: rows)
  func `counts of tokens are brought into range`(usage: String, expected: Usage) async {
    let http = ScriptedHTTP([.response(200, [.text(sse(chunk(content: "a"), usage, "[DONE]"))])])
    let events = await OpenAIBackend(http).outcome().events
    #expect(events.contains(.usage(expected)), "\(events)")
  }

  @Test(arguments: [
    ("9223372036854775807", limit), ("1e30", limit), ("4096", 4096), ("0", nil), ("-1e30", nil), ("2.5", nil),
  ])
  func `a context window is brought into range`(written: String, expected: Int?) {
    let list = OpenAIModelList(try? JSON(parsing: Array(#"{"data":[{"id":"m","max_model_len":\#(written)}]}"#.utf8)))
    #expect(list?.models == [Model(id: "m", contextWindow: expected)])
  }

  @Test(
    arguments: [
      ("retry-after", "nan", nil), ("retry-after", "inf", nil), ("retry-after", "-1e308", 0),
      ("retry-after", "1e308", 1_000_000_000), ("retry-after", "1.2", 2), ("retry-after-ms", "1e308", 1_000_000_000),
      ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", 1_000_000_000),
      ("retry-after", "Fri, 31 Dec 99999999999999999999 23:59:59 GMT", nil),
      ("x-ratelimit-reset", "nan", nil), ("x-ratelimit-reset", "-5", 0), ("x-ratelimit-reset", "1e308", 1_000_000_000),
      ("x-ratelimit-reset-tokens", "6m0s", 360),
      ("x-ratelimit-reset-tokens", String(repeating: "9", count: 400) + "d", nil),
    ] as [(String, String, Int?)])
  func `a wait is brought into range`(header: String, value: String, expected: Int?) {
    let body = ScriptedBody([], whenSilent: {})
    let response = HTTPResponse(status: 429, headers: [(name: header, value: value)], body: body)
    #expect(RetryAfter.seconds(of: response, now: 0) == expected)
  }

  @Test func `a reset that is no number does not hide another`() {
    let headers = [(name: "x-ratelimit-reset-requests", value: "nan"), (name: "x-ratelimit-reset-tokens", value: "7s")]
    let response = HTTPResponse(status: 429, headers: headers, body: ScriptedBody([], whenSilent: {}))
    #expect(RetryAfter.seconds(of: response, now: 0) == 7)
  }

  @Test func `an endless patience does not break the wait for a model that loads`() async {
    let http = ScriptedHTTP([
      .response(503, [.text(#"{"error":{"message":"Loading model"}}"#)]),
      .response(200, [.text(sse(chunk(content: "a"), "[DONE]"))]),
    ])
    var question = ChatRequest.hello
    question.timeouts.firstToken = .greatestFiniteMagnitude
    #expect(await OpenAIBackend(http).outcome(question).text == "a")
  }
}

struct ContextErrorTests {
  private static let rows: [(String, Int?, Int?)] = [
    (
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, "
        + "2000 in the completion). Please reduce the length of the messages or completion.", 5000, 4096
    ),
    (
      "This model's maximum context length is 4096 tokens. However, you requested 2048 output tokens and your prompt "
        + "contains 3000 input tokens, for a total of 5048 tokens.", 5048, 4096
    ),
    (
      "This model's maximum context length is 4097 tokens. However, your messages resulted in 6000 tokens.", 6000, 4097
    ),
    ("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", 5000, 4096),
    ("Requested tokens (5000) exceed context window of 4096", 5000, 4096),
    (
      "'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 3000 "
        + "input tokens (2000 > 4096 - 3000).", nil, 4096
    ),
    (
      "maximum context length is 4096 tokens. However, you requested 99999999999999999999 tokens", 1_000_000_000_000,
      4096
    ),
    ("the request exceeds the available context size", nil, nil),
    // vLLM: its own words (issue 20409), newer ones, and those of its older and multimodal checks.
    (
      "This model's maximum context length is 16384 tokens. However, your request has 19427 input tokens. Please reduce "
        + "the length of the input messages. (parameter=input_tokens, value=19427)", 19427, 16384
    ),
    (
      "The decoder prompt (length 5321) is longer than the maximum model length of 4096. Make sure that "
        + "`max_model_len` is no smaller than the number of text tokens.", 5321, 4096
    ),
    (
      "The prompt (total length 5321) is too long to fit into the model (context length 4096). Make sure that "
        + "`max_model_len` is no smaller than the number of text tokens plus multimodal tokens.", 5321, 4096
    ),
    ("max_tokens must be at least 1, got -186.", nil, nil),
    // LiteLLM: around another server's words, and its router's check before the call.
    (
      "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This "
        + "model's maximum context length is 16384 tokens. However, your request has 19427 input tokens. Please reduce "
        + "the length of the input messages.. Received Model Group=m Available Model Group Fallbacks=None", 19427, 16384
    ),
    (
      "litellm.ContextWindowExceededError: litellm._pre_call_checks: Context Window exceeded for given call. No models "
        + "have context window large enough for this call. Model=m, Max Input Tokens=4096, Got=5321", 5321, 4096
    ),
    // Ollama, for a request and for its runner.
    ("the input length exceeds the context length", nil, nil),
    ("prompt too long; exceeded max context length by 4 tokens", nil, nil),
    // TGI: meta-llama/llama 1103 and chat-ui 1149.
    ("Input validation error: `inputs` must have less than 4096 tokens. Given: 4545", 4545, 4096),
    (
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3474 `inputs` tokens and 60 "
        + "`max_new_tokens`", 3474, 2048
    ),
    // LM Studio: lmstudio-bug-tracker 546, 2256 and 1024.
    (
      "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context "
        + "length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or "
        + "provide a shorter input", 111_490, 32768
    ),
    (
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9012>= n_ctx: "
        + "8192). Try to load the model with a larger context length, or provide a shorter input.", 9012, 8192
    ),
    (
      "Reached context length of 32000 tokens with model (arch: gpt-oss) that does not currently support mid-generation "
        + "context overflow. Try reloading with a larger context length or shortening the prompt/chat.", nil, 32000
    ),
    // SGLang, TabbyAPI and Anthropic, Mistral, OpenRouter, Google, xAI.
    ("The input (5321 tokens) is longer than the model's context length (4096 tokens).", 5321, 4096),
    (
      "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5321 "
        + "tokens: 4321 tokens from the input messages and 1000 tokens for the completion.", 5321, 4096
    ),
    ("prompt is too long: 202095 tokens > 200000 maximum", 202_095, 200_000),
    ("prompt is too long: 202,095 tokens > 200,000 maximum", 202_095, 200_000),
    ("prompt is too long: 5000,123 tokens > 4096, at most", 5000, 4096),
    (
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 40000,
      32768
    ),
    (
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text "
        + "input). Please reduce the length of either one", 42832, 32768
    ),
    ("The input token count (314175) exceeds the maximum number of tokens allowed (131072).", 314_175, 131_072),
    (
      "This model's maximum prompt length is 131072 but the request contains 150000 tokens.", 150_000, 131_072
    ),
  ]

  @Test(arguments: rows)
  func `the sizes are read from the words`(message: String, prompt: Int?, context: Int?) {
    #expect(
      ErrorBody(Array(message.utf8)).contextError
        == .contextExceeded(message: message, promptTokens: prompt, contextTokens: context))
  }

  @Test(
    arguments: [
      (5000, 4096, 5000, 4096), (4096, 4096, nil, 4096), (Int.min, Int.max, nil, 1_000_000_000_000),
    ] as [(Int, Int, Int?, Int?)])
  func `the sizes that llama.cpp counts are told when the prompt is the larger`(
    prompt: Int, window: Int, promptTokens: Int?, contextTokens: Int?
  ) {
    let body = """
      {"error":{"type":"exceed_context_size_error","message":"too long","n_prompt_tokens":\(prompt),"n_ctx":\(window)}}
      """
    #expect(
      ErrorBody(Array(body.utf8)).contextError
        == .contextExceeded(message: "too long", promptTokens: promptTokens, contextTokens: contextTokens))
  }
}

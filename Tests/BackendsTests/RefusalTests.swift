import Chat
import Testing

@testable import Backends

/// What servers say when they refuse, and what is made of it. Each body is as its server or gateway sends it.
@Suite struct RefusalTests {
  private static func error(_ status: Int, _ body: String) async -> BackendError? {
    let http = ScriptedHTTP([.error(status, body)])
    return await OpenAIBackend(http).outcome().error
  }

  /// Open WebUI (a pending user, a route that is switched off, keys that are switched off), LiteLLM (models and routes
  /// of a virtual key), OpenAI, Groq, Anthropic.
  @Test(arguments: [
    (401, #"{"detail":"You do not have permission to access this resource. Please contact your administrator."}"#),
    (403, #"{"detail":"Direct API passthrough is disabled. Set ENABLE_OPENAI_API_PASSTHROUGH=True to enable."}"#),
    (403, #"{"detail":"Use of API key is not enabled in the environment."}"#),
    (
      401,
      #"{"error":{"message":"key not allowed to access model. This key can only access models=['a']. Tried to access b","#
        + #""type":"key_model_access_denied","param":"model","code":"401"}}"#
    ),
    (
      403,
      #"{"error":{"message":"Virtual key is not allowed to call this route. Only allowed to call routes: ['/chat']","#
        + #""type":"auth_error","param":"None","code":"403"}}"#
    ),
    (403, #"{"error":{"message":"Project `p` does not have access to model `gpt-4`","code":"model_not_found"}}"#),
    (403, #"{"error":{"message":"The model `m` is blocked at the organization level","type":"permissions_error"}}"#),
    (403, #"{"type":"error","error":{"type":"permission_error","message":"Your account is suspended"}}"#),
    (403, #"{"detail":"not in this workroom"}"#),
    (
      403,
      #"{"error":{"message":"You have insufficient permissions for this operation. Missing scopes: model.request. "#
        + #"Check that, if you're using a restricted API key, it has the necessary scopes.","#
        + #""type":"insufficient_permissions"}}"#
    ),
    (
      403,
      #"{"error":"This authentication method does not have sufficient permissions to call Inference Providers"}"#
    ),
    (403, #"{"error":{"message":"your key needs access to this model"}}"#),
    (401, #"{"error":{"message":"your key needs access to this model"}}"#),
    (403, #"{"error":{"message":"Token missing required scope: chat"}}"#),
    (403, #"{"error":{"message":"Provide a key with more permissions"}}"#),
    (403, #"{"error":{"message":"Unknown model for this tokenizer; the keyboard must be provided"}}"#),
  ])
  func `a refusal of what a known user may do is not a missing key`(status: Int, body: String) async {
    switch await Self.error(status, body) {
    case .refused("gpu:8080", status, let message), .modelNotFound(_, let message):
      #expect(!message.isEmpty)
    case let other: Issue.record("\(String(describing: other))")
    }
  }

  /// LiteLLM without a database, and with one; FastAPI, Open WebUI, OpenAI, an API gateway, a bare page of a proxy.
  @Test(arguments: [
    (400, #"{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}"#),
    (
      401,
      #"{"error":{"message":"Authentication Error, Invalid proxy server token passed.","type":"auth_error","code":"401"}}"#
    ),
    (403, #"{"detail":"Not authenticated"}"#),
    (401, #"{"detail":"Your session has expired or the token is invalid. Please sign in again."}"#),
    (401, #"{"error":{"message":"Incorrect API key provided: sk-x.","code":"invalid_api_key"}}"#),
    (403, #"{"message":"Missing Authentication Token"}"#),
    (403, #"{"error":{"message":"Permission denied: invalid API key"}}"#),
    (401, #"{"error":{"message":"API key is disabled"}}"#),
    (401, #"{"error":{"message":"This key has been deactivated"}}"#),
    (401, #"{"error":{"message":"The api key was blocked"}}"#),
    (403, #"{"detail":"Authentication credentials were not provided."}"#),
    (403, #"{"error":"No auth credentials found"}"#),
    (403, #"{"error":"You need to provide your API key in an Authorization header"}"#),
    (401, #"{"error":{"type":"authentication_error","message":"invalid x-api-key"}}"#),
    (
      403,
      #"{"error":{"message":"litellm.AuthenticationError: OpenAI - {\"error\":{\"message\":\"not today\"}}"}}"#
    ),
    (403, "<html><title>403 Forbidden</title></html>"),
    (403, ""),
  ])
  func `a refusal of the key asks for one, with the server's words`(status: Int, body: String) async {
    guard case .unauthorized("gpu:8080", let message) = await Self.error(status, body) else {
      Issue.record("another error")
      return
    }
    #expect(message.isEmpty == body.isEmpty)
  }

  @Test func `a key that LiteLLM without a database refuses is a wrong key`() async throws {
    let body = #"{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}"#
    let server = Server(name: "s", kind: "openai", url: "https://gpu/v1")
    let endpoint = Endpoint(server, ScriptedHTTP([.error(400, body)]), nil, Timeouts())
    await #expect(throws: BackendError.signInRefused(address: "gpu", .wrongToken)) {
      try await KeyAccount(endpoint).signIn(token: Secret("sk-wrong"))
    }
  }

  @Test(arguments: [
    (403, #"{"error":{"message":"Missing scopes: api.model.read","type":"insufficient_permissions"}}"#, true),
    (429, #"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#, true),
    (403, #"{"error":{"message":"invalid API key"}}"#, false),
    (403, "<html><title>Blocked by the firewall</title></html>", false),
    (500, #"{"error":{"message":"try again"}}"#, false),
  ])
  func `a key that may not list models can sign in`(status: Int, body: String, isTaken: Bool) async {
    let server = Server(name: "s", kind: "openai", url: "https://gpu/v1")
    let endpoint = Endpoint(server, ScriptedHTTP([.error(status, body)]), nil, Timeouts())
    let signedIn = try? await KeyAccount(endpoint).signIn(token: Secret("sk-listless"))  // only whether it is
    #expect((signedIn != nil) == isTaken)
  }

  /// LiteLLM without a database, Open WebUI, LiteLLM and OpenAI.
  @Test(arguments: [
    (400, #"{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}"#),
    (403, #"{"detail":"Direct API passthrough is disabled."}"#),
    (
      400,
      #"{"error":{"message":"Budget has been exceeded! Current cost: 2.0, Max budget: 1.0","type":"budget_exceeded"}}"#
    ),
    (429, #"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#),
  ])
  func `a server that refuses its list is found all the same`(status: Int, body: String) async throws {
    let http = RoutedHTTP(["http://gpu/v1/models": [.error(status, body)]])
    let found = try await Backends.probe("http://gpu/v1", kind: "openai", http: http)
    #expect(found == FoundServer(kind: "openai", url: "http://gpu/v1", models: nil))
  }

  /// OpenAI, LiteLLM, and a reseller; the others are limits that pass: of Gemini, DashScope and others.
  @Test(arguments: [
    (
      #"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
      1
    ),
    (
      #"{"error":{"message":"Budget has been exceeded! Current cost: 2.0, Max budget: 1.0","type":"budget_exceeded"}}"#,
      1
    ),
    (#"{"error":{"message":"ExceededBudget: User=u over budget. Spend=2.0, Budget=1.0"}}"#, 1),
    (#"{"error":{"message":"Insufficient credits. Add more at the account page"}}"#, 1),
    (#"{"error":{"message":"Rate limit reached for requests per minute"}}"#, 4),
    (#"{"error":{"message":"Quota exceeded for requests per minute. Please retry in 2 s."}}"#, 4),
    (#"{"error":{"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}"#, 4),
    (
      #"{"error":{"message":"Requests rate limit exceeded, please try again later.","code":"Throttling.RateQuota"}}"#,
      4
    ),
    (#"{"error":{"message":"Insufficient capacity for this model right now"}}"#, 4),
    (#"{"error":{"message":"Limit of 6 per minute","code":"quota_exceeded"}}"#, 4),
    (#"{"error":{"message":"Quota exceeded: input token count per minute"}}"#, 4),
    (#"{"error":{"message":"Quota exceeded: input token count is 90000 per minute","code":429}}"#, 4),
  ])
  func `an exhausted budget is not asked again`(body: String, requests: Int) async {
    let http = ScriptedHTTP(Array(repeating: .error(429, body), count: requests))
    let outcome = await OpenAIBackend(http).outcome()
    #expect(http.isPlayed)
    let message = ErrorBody(Array(body.utf8)).message
    #expect(
      outcome.error
        == (requests == 1
          ? .refused(address: "gpu:8080", status: 429, message: message)
          : .rateLimited(address: "gpu:8080", message: message, retryAfter: nil)))
  }

  @Test func `a budget is waited for as long as the server says`() async {
    let spent = #"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#
    let http = ScriptedHTTP([
      .response(429, headers: [(name: "Retry-After", value: "3")], [.text(spent)]),
      .response(200, [.text(sse(chunk(content: "Hello"), "[DONE]"))]),
    ])
    #expect(await OpenAIBackend(http).outcome().text == "Hello")
  }

  /// OpenRouter (JSON and text), LiteLLM (JSON and a dictionary of Python in its words), Azure, FastAPI.
  @Test(arguments: [
    (#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"the cause\"}}"}}}"#),
    (#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"the cause"}}}"#),
    (#"{"error":{"message":"Provider returned error","metadata":{"raw":{"error":{"message":"the cause"}}}}}"#),
    (#"{"error":{"message":"litellm.BadRequestError: OpenAIException - {\"error\":{\"message\":\"the cause\"}}","code":"400"}}"#),
    (#"{"error":{"message":"Error code: 400 - {'error': {'message': 'the cause', 'type': None, 'code': 400}}"}}"#),
    (#"{"error":{"message":"Error code: 400 - {'object': 'error', 'message': \"the cause\", 'param': None}"}}"#),
    (#"{"error":{"code":"BadRequest","message":"See inner error","innererror":{"message":"the cause"}}}"#),
    (#"{"detail":{"error":{"message":"the cause","code":400}}}"#),
    (#"{"error":"{\"message\":\"the cause\"}"}"#),
  ])
  func `the innermost words of a refusal are told`(body: String) {
    #expect(ErrorBody(Array(body.utf8)).message == "the cause")
  }

  @Test func `the codes of an inner refusal count`() {
    let raw = #"{\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}"#
    let body = #"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"\#(raw)"}}}"#
    #expect(
      ErrorBody(Array(body.utf8)).contextError
        == .contextExceeded(message: "too long", promptTokens: nil, contextTokens: nil))
  }

  /// Azure, OpenRouter, and servers that quote what is no error.
  @Test(arguments: [
    (
      #"{"error":{"message":"The response was filtered","code":"content_filter","#
        + #""innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{}}}}"#,
      "The response was filtered"
    ),
    (#"{"error":{"message":"The upstream did not answer","cause":"timeout"}}"#, "The upstream did not answer"),
    (#"{"error":{"message":"Provider returned error","metadata":{"raw":"ERROR"}}}"#, "Provider returned error"),
    (
      #"{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"no\"}}"}}}"#,
      "Provider returned error"
    ),
    (
      #"{"error":{"message":"Provider returned error","metadata":{"raw":"<html><title>502 Bad Gateway</title></html>"}}}"#,
      #"HTML page "502 Bad Gateway""#
    ),
    (
      #"{"error":{"message":"invalid arguments for create_note: {\"title\":\"Shopping list\"}"}}"#,
      #"invalid arguments for create_note: {"title":"Shopping list"}"#
    ),
    (#"{"error":"tool send failed: {\"message\":\"hi bob\"}"}"#, #"tool send failed: {"message":"hi bob"}"#),
    (#"{"error":"tool send failed: {'message': 'hi bob'}"}"#, "tool send failed: {'message': 'hi bob'}"),
    (#"{"error":"bad call {\"reason\":\"it is late\"}"}"#, #"bad call {"reason":"it is late"}"#),
  ])
  func `an inner text that is no error, or one word, does not replace the message`(body: String, message: String) {
    #expect(ErrorBody(Array(body.utf8)).message == message)
  }

  @Test func `a type of null does not hide another member for it`() {
    #expect(ErrorBody(Array(#"{"error":"x y","type":null,"error_type":"overloaded"}"#.utf8)).type == nil)
    #expect(ErrorBody(Array(#"{"message":"x y","type":null,"error_type":"overloaded"}"#.utf8)).type == "overloaded")
  }

  @Test(arguments: [
    (#"{"error":{"message":"litellm.ContextWindowExceededError: X - {\"message\":\"Too many input tokens\"}"}}"#, true),
    (
      #"{"error":{"message":"litellm.ContextWindowExceededError: X - {\"error\":{\"message\":\"Too many tokens\"}}"}}"#,
      true
    ),
    (#"{"error":{"message":"Quota exceeded: input token count per minute"}}"#, false),
    (#"{"error":{"message":"the maximum prompt length must be a number"}}"#, false),
    (#"{"error":{"message":"prompt is too long for this plan","code":429}}"#, false),
  ])
  func `the outer message counts for a prompt that is too long`(body: String, isContext: Bool) {
    #expect((ErrorBody(Array(body.utf8)).contextError != nil) == isContext)
  }

  @Test(arguments: [#"cannot parse {"role":"user","content":"hi"}"#, "in {braces} and {more}", "use }{"])
  func `words that quote something else are told as they are`(words: String) {
    #expect(ErrorBody(Array(words.utf8)).message == words)
  }

  /// JSON within JSON, whose escapes are read twice.
  @Test(arguments: [
    (400, #"{"error":{"message":"x","metadata":{"raw":"{\"message\":\"bad key sk-\\u0061bcdefghij\"}"}}}"#),
    (400, #"{"error":{"message":"prompt is too long: sk-\u0061bcdefghij"}}"#),
    (200, #"{"error":{"message":"prompt is too long","metadata":{"raw":"{\"message\":\"no sk-\\u0061bcdefghij\"}"}}}"#),
    (200, #"{"choices":[{"error":{"message":"prompt is too long: sk-\u0061bcdefghij"}}]}"#),
  ])
  func `a key is masked in an error within an error`(status: Int, body: String) async {
    let backend = OpenAIBackend(ScriptedHTTP([.response(status, [.text(status == 200 ? sse(body) : body)])]))
    backend.endpoint.bearer.mask.add(Secret("sk-abcdefghij"))
    let error = await backend.outcome().error
    #expect(error != nil)
    #expect(!String(describing: error).contains("sk-abcdefghij"))
    #expect(String(describing: error).contains("<secret>"))
  }
}

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

  /// OpenAI, LiteLLM, and a reseller; the last two are limits for each minute.
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

  /// OpenRouter (JSON and text), LiteLLM (JSON and a dictionary of Python in its words), Azure, FastAPI.
  @Test(arguments: [
    (#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"inner\"}}"}}}"#),
    (#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"inner"}}}"#),
    (#"{"error":{"message":"Provider returned error","metadata":{"raw":{"error":{"message":"inner"}}}}}"#),
    (#"{"error":{"message":"litellm.BadRequestError: OpenAIException - {\"error\":{\"message\":\"inner\"}}","code":"400"}}"#),
    (#"{"error":{"message":"Error code: 400 - {'error': {'message': 'inner', 'type': None, 'code': 400}}"}}"#),
    (#"{"error":{"message":"Error code: 400 - {'object': 'error', 'message': \"inner\", 'param': None}"}}"#),
    (#"{"error":{"code":"BadRequest","message":"See inner error","innererror":{"message":"inner"}}}"#),
    (#"{"detail":{"error":{"message":"inner","code":400}}}"#),
    (#"{"error":"{\"message\":\"inner\"}"}"#),
  ])
  func `the innermost words of a refusal are told`(body: String) {
    #expect(ErrorBody(Array(body.utf8)).message == "inner")
  }

  @Test func `the codes of an inner refusal count`() {
    let raw = #"{\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}"#
    let body = #"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"\#(raw)"}}}"#
    #expect(
      ErrorBody(Array(body.utf8)).contextError
        == .contextExceeded(message: "too long", promptTokens: nil, contextTokens: nil))
  }

  @Test(arguments: [#"cannot parse {"role":"user","content":"hi"}"#, "in {braces} and {more}", "use }{"])
  func `words that quote something else are told as they are`(words: String) {
    #expect(ErrorBody(Array(words.utf8)).message == words)
  }
}

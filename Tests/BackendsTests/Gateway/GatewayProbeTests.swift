import Testing

@testable import Backends
@testable import Chat
@testable import Transport

@Suite struct GatewayProbeTests {
  private static let models = ScriptedHTTP.Reply.json(#"{"data":[{"id":"m","owned_by":"anthropic"}]}"#)

  @Test(arguments: GatewayForm.allCases, ["http://gw:8000", "http://gw:8000/v1", "http://gw:8000/v1/models"])
  func `each form is known by what it says`(form: GatewayForm, typed: String) async throws {
    let http = RoutedHTTP(
      GatewaySample.greetings(form).merging(["\(GatewaySample.root)/v1/models": [Self.models]]) { $1 })
    let found = try await Backends.probe(typed, http: http)
    #expect(found.kind == "gateway")
    #expect(found.url == "http://gw:8000/v1")
    #expect(found.models?.map(\.id) == ["m"])
  }

  /// What servers of OpenAI's kind say at their root.
  private static let others: [ScriptedHTTP.Reply] = [
    .json("Ollama is running"), .json(#"{"detail":"Not Found"}"#), .error(404, #"{"detail":"Not Found"}"#),
    .error(404, #"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#),
    .json("<!doctype html><html><title>llama.cpp</title></html>"), .json(#"{"status":"ok"}"#),
    .error(404, #"{"error":"Unexpected endpoint or method. (GET /)"}"#), .error(401, #"{"error":{"message":"key"}}"#),
  ]

  @Test(arguments: others.indices) func `other servers are asked one thing, and are what they are`(index: Int)
    async throws
  {
    let http = RoutedHTTP(["http://gpu:8000/": [Self.others[index]], "http://gpu:8000/v1/models": [Self.models]])
    let found = try await Backends.probe("http://gpu:8000", http: http)
    #expect(found.kind == "openai")
    #expect(http.asked.count { $0 == "GET http://gpu:8000/" } == 1)
    #expect(!http.asked.contains("GET http://gpu:8000/health"))
  }

  @Test func `a page that has the name in it, and is another program's, is no gateway`() async throws {
    let http = RoutedHTTP([
      "http://gpu:8000/": [.json("<html><title>Chat</title>Claude, GPT and others</html>")],
      "http://gpu:8000/v1/models": [Self.models],
    ])
    #expect(try await Backends.probe("http://gpu:8000", http: http).kind == "openai")
  }

  @Test func `a server that is silent at its root is asked on, and no page is read to its end`() async throws {
    let silent = RoutedHTTP([
      "http://gpu:8000/": [.failure(.headersTimeout)], "http://gpu:8000/v1/models": [Self.models],
    ])
    #expect(try await Backends.probe("http://gpu:8000", http: silent).kind == "openai")
    let page = ScriptedBody.Piece.text("<html>" + String(repeating: "x", count: 70_000))
    let long = RoutedHTTP([
      "http://gpu:8000/": [.response(200, [page, .failure(.tooLarge(limit: 1))])],
      "http://gpu:8000/v1/models": [Self.models],
    ])
    #expect(try await Backends.probe("http://gpu:8000", http: long).kind == "openai")
  }

  @Test func `the person may say that it is one`() async throws {
    let http = RoutedHTTP(["http://gpu:8000/v1/models": [Self.models]])
    #expect(try await Backends.probe("http://gpu:8000", kind: "gateway", http: http).kind == "gateway")
    let nothing = RoutedHTTP([:])
    await #expect(throws: BackendError.self) {
      try await Backends.probe("http://gpu:8000", kind: "gateway", http: nothing)
    }
  }
}

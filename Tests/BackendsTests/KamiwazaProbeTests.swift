import Chat
import Testing

@testable import Backends
@testable import Transport

@Suite struct KamiwazaProbeTests {
  private static let health = ScriptedHTTP.Reply.json(#"{"status":"healthy","KAMIWAZA_USE_AUTH":true}"#)

  private func find(_ typed: String, _ routes: [String: [ScriptedHTTP.Reply]]) async throws -> FoundServer {
    try await Backends.probe(typed, http: RoutedHTTP(routes))
  }

  @Test(arguments: [
    ("https://kz.lan", "https://kz.lan/api/auth/health", "https://kz.lan/api"),
    ("kz.lan", "https://kz.lan/api/auth/health", "https://kz.lan/api"),
    ("https://kz.lan/api/", "https://kz.lan/api/auth/health", "https://kz.lan/api"),
    ("https://kz.lan/pre", "https://kz.lan/pre/api/auth/health", "https://kz.lan/pre/api"),
    ("https://kz.lan/pre", "https://kz.lan/pre/auth/health", "https://kz.lan/pre"),
    ("127.0.0.1:7777", "http://127.0.0.1:7777/api/auth/health", "http://127.0.0.1:7777/api"),
  ]) func `the root is found at or below the address`(typed: String, route: String, root: String) async throws {
    #expect(
      try await find(typed, [route: [Self.health]]) == FoundServer(kind: "kamiwaza", url: root, models: nil))
  }

  @Test func `the health of an address that ends in api is asked once, without a secret`() async throws {
    let http = RoutedHTTP([:])
    let key = { (address: ServerAddress) -> Credential? in try? Credential("k", for: address) }
    _ = try? await Backends.probe("https://kz.lan/api", kind: "kamiwaza", http: http, credential: key)
    #expect(http.asked == ["GET https://kz.lan/api/auth/health"])
    #expect(!http.requests.contains { $0.headers.contains { $0.name == "Authorization" } })
  }

  @Test func `a route that settles is waited for, as long as two more tries take`() async throws {
    let settling = ScriptedHTTP.Reply.response(503, [.text("no healthy upstream")])
    for (tries, isFound) in [(2, true), (3, false)] {
      let http = RoutedHTTP([
        "https://kz.lan/api/auth/health": Array(repeating: settling, count: tries) + [Self.health]
      ])
      let time = TestTime()
      var place = ProbedOrigin(
        ["https://kz.lan/api"], of: "kz.lan", isOnlyKind: true, http: http, credential: nil, timeouts: Timeouts(),
        clock: time.source)
      #expect((try await KamiwazaProbe.find(&place) != nil) == isFound)
      #expect(http.requests.count == 3)
    }
  }

  @Test func `a server without users lists its models`() async throws {
    let found = try await find(
      "https://kz.lan",
      [
        "https://kz.lan/api/auth/health": [.json(#"{"status":"healthy","KAMIWAZA_USE_AUTH":false}"#)],
        "https://kz.lan/api/serving/deployments?capability=chat": [.json(#"[{"id":"d","m_name":"Llama"}]"#)],
      ])
    #expect(found.models == [Model(id: "Llama", deployment: "d")])
  }

  @Test func `a platform that guards its models is not taken for another server`() async throws {
    let guarded = ScriptedHTTP.Reply.error(401)
    let found = try await find(
      "https://kz.lan",
      [
        "https://kz.lan/api/auth/health": [Self.health], "https://kz.lan/models": [guarded],
        "https://kz.lan/v1/models": [guarded],
      ])
    #expect(found.kind == "kamiwaza")
  }

  @Test(arguments: [
    #"{"error":"not found"}"#, #"{"detail":"Not Found"}"#, "{}", "[]", #""ok""#, "<html>",
    #"{"status":"x","error":"y"}"#,
  ]) func `what another program says is not a platform`(body: String) async throws {
    let other = ScriptedHTTP.Reply.json(body)
    let models = ScriptedHTTP.Reply.json(#"{"data":[{"id":"m","max_model_len":1}]}"#)
    let found = try await find(
      "https://gpu",
      [
        "https://gpu/auth/health": [other], "https://gpu/api/auth/health": [other], "https://gpu/v1/models": [models],
        "https://gpu/health": [.json(#"{"status":"ok"}"#)],
      ])
    #expect(found.kind == "openai" && found.url == "https://gpu/v1")
  }

  @Test(arguments: [ScriptedHTTP.Reply.error(401), .error(403), .json("[]")])
  func `a platform that says nothing of itself is known by its deployments`(_ deployments: ScriptedHTTP.Reply)
    async throws
  {
    let found = try await find(
      "https://kz.lan",
      ["https://kz.lan/auth/health": [.json("{}")], "https://kz.lan/serving/deployments": [deployments]])
    #expect(found.kind == "kamiwaza" && found.url == "https://kz.lan")
  }

  @Test func `an address with a version is for a server of OpenAI's kind`() async throws {
    let http = RoutedHTTP([:])
    _ = try? await Backends.probe("https://kz.lan/runtime/models/x/v1", http: http)
    #expect(http.asked == ["GET https://kz.lan/runtime/models/x/v1/models"])
  }

  @Test func `all that was asked is told`() async {
    await #expect(
      throws: BackendError.notFound(
        tried: [
          "https://kz.example/auth/health", "https://kz.example/api/auth/health",
          "https://kz.example/models", "https://kz.example/v1/models", "https://kz.example/api/v2/public-config",
        ].map { .init(url: $0, outcome: .answered(status: 404, what: "JSON \"Not Found\"")) })
    ) { try await find("kz.example", [:]) }
  }

  @Test func `a server that breaks off one answer is asked for another`() async throws {
    let found = try await find(
      "https://gpu",
      [
        "https://gpu/auth/health": [.failure(.closedEarly(""))],
        "https://gpu/models": [.json(#"{"data":[{"id":"m","max_model_len":1}]}"#)],
      ])
    #expect(found.kind == "openai")
  }

  @Test func `a kind that is not there is refused before anything is asked`() async {
    let http = RoutedHTTP([:])
    await #expect(throws: BackendError.unknownKind("gopher", known: Backends.kinds.map(\.name))) {
      try await Backends.probe("kz.lan", kind: "gopher", http: http)
    }
    #expect(http.asked.isEmpty)
  }

  @Test func `only the kind that was named is asked`() async {
    let http = RoutedHTTP([:])
    _ = try? await Backends.probe("https://kz.lan", kind: "openai", http: http)
    #expect(http.asked == ["GET https://kz.lan/models", "GET https://kz.lan/v1/models"])
  }
}

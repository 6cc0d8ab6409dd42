import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

@Suite struct KamiwazaToolingTests {
  private static let api = "https://kz.lan/api"

  private func servers(_ routes: [String: ScriptedHTTP.Reply]) async throws -> [ToolServer] {
    let routes = routes.map { (Self.api + $0, [$1]) }
    let backend = KamiwazaBackend(RoutedHTTP(Dictionary(uniqueKeysWithValues: routes)))
    #expect(backend.abilities.contains(.tools))
    return try await #require(backend.tooling).servers()
  }

  private static func discovery(_ servers: String) -> ScriptedHTTP.Reply {
    .json(#"{"servers":[\#(servers)],"total":1}"#)
  }

  private static func server(_ id: String, url: String, status: String = "DEPLOYED", more: String = "") -> String {
    #"{"deployment_id":"\#(id)","name":"n-\#(id)","url":"\#(url)","status":"\#(status)","created_at":"2026-02-12T00:26:43"\#(more)}"#
  }

  @Test func `tool servers are those that run, whatever the case of the word`() async throws {
    let words = ["DEPLOYED", "running", "FAILED", "Deployed", "STOPPED", "DEPLOYING"]
    let list = words.map { Self.server($0, url: "/runtime/tools/x", status: $0) }.joined(separator: ",")
    let found = try await servers(["/tool/discover": Self.discovery(list)])
    #expect(found.map(\.id) == ["DEPLOYED", "running", "Deployed"])
    #expect(found.allSatisfy { $0.platform == "kz" && $0.tools == nil })
    #expect(found.first?.name == "n-DEPLOYED")
  }

  @Test(arguments: [
    ("https://kz.lan/runtime/tools/d1/mcp", "https://kz.lan/runtime/tools/d1/mcp"),
    ("https://kz.lan/runtime/tools/d1/mcp/", "https://kz.lan/runtime/tools/d1/mcp"),
    ("/runtime/tools/d1/", "https://kz.lan/runtime/tools/d1"), ("runtime/tools/d1", "https://kz.lan/runtime/tools/d1"),
    ("//evil.example/mcp", "https://kz.lan//evil.example/mcp"), ("", "https://kz.lan/runtime/tools/d1"),
    ("https://tools.example/mcp/", "https://tools.example/mcp"),
  ])
  func `an address is joined to the platform's, and has no slash at its end`(url: String, expected: String) async throws
  {
    let found = try await servers(["/tool/discover": Self.discovery(Self.server("d1", url: url))])
    #expect(found.map(\.address) == [.http(url: expected)])
  }

  @Test(arguments: [nil, #"{"servers":[],"total":0}"#, #"{"servers":null,"total":0}"#])
  func `where nothing is discovered, extensions are looked at`(discovery: String?) async throws {
    let extensions = """
      [{"name":"kz-search","type":"tool","version":"1","phase":"Running",
        "endpoints":{"runtime_path":"/runtime/tools/kz-search","internal":"http://kz-search.ns:8000"}},
       {"name":"slow","type":"tool","version":"1","phase":"Provisioning","endpoints":{"runtime_path":"/runtime/tools/slow"}},
       {"name":"hidden","type":"tool","version":"1","phase":"Running","endpoints":{"internal":"http://hidden:8000"}},
       {"name":"site","type":"app","version":"1","phase":"Running","endpoints":{"external":"https://kz.lan/site"}}]
      """
    var routes: [String: ScriptedHTTP.Reply] = ["/extensions": .json(extensions)]
    routes["/tool/discover"] = discovery.map { .json($0) }
    let expected = ToolServer(
      id: "kz-search", name: "kz-search", address: .http(url: "https://kz.lan/runtime/tools/kz-search"),
      platform: "kz")
    #expect(try await servers(routes) == [expected])
  }

  @Test func `a platform without either has no tools, and one that fails says so`() async throws {
    #expect(try await servers([:]) == [])
    let refusal = BackendError.refused(address: "kz.lan", status: 500, message: "no")
    await #expect(throws: refusal) { try await servers(["/tool/discover": .error(500)]) }
    await #expect(throws: refusal) { try await servers(["/extensions": .error(500)]) }
  }

  @Test func `what the platform says of tools is kept, a flat map as a schema`() async throws {
    let capabilities = """
      ,"capabilities":[
       {"name":"web_search","description":"Search","parameters":{
         "query":{"type":"string","description":"What","required":true},"max":{"type":"integer","required":false},
         "type":{"type":"string"},"properties":{"type":"object"},"lang":"string","note":"in words"}},
       {"name":"add","parameters":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}},
       {"name":"now","description":null,"parameters":{}},{"name":"unknown","parameters":null}]
      """
    let found = try await servers([
      "/tool/discover": Self.discovery(Self.server("d1", url: "/runtime/tools/d1", more: capabilities))
    ])
    let search: JSON = [
      "type": "object",
      "properties": [
        "query": ["type": "string", "description": "What"], "max": ["type": "integer"], "type": ["type": "string"],
        "properties": ["type": "object"], "lang": ["type": "string"], "note": ["description": "in words"],
      ], "required": ["query"],
    ]
    let add: JSON = ["type": "object", "properties": ["a": ["type": "integer"]], "required": ["a"]]
    #expect(
      found.first?.tools == [
        Tool(name: "web_search", summary: "Search", parameters: search), Tool(name: "add", parameters: add),
        Tool(name: "now", parameters: ["type": "object", "properties": [:]]), Tool(name: "unknown"),
      ])
  }

  @Test func `a platform that lists no capabilities leaves the server to be asked`() async throws {
    for more in [#","capabilities":null"#, #","capabilities":[]"#, ""] {
      let found = try await servers(["/tool/discover": Self.discovery(Self.server("d1", url: "/x", more: more))])
      #expect(found.first?.tools == nil && found.count == 1)
    }
  }
}

/// The platform's sign-in on the way to its tool servers.
@Suite struct PlatformSignerTests {
  private let tool = "https://kz.lan/runtime/tools/d1/mcp"

  private func signed(_ signer: PlatformSigner, _ url: String) async throws(ToolError) -> HTTPRequest {
    var request = HTTPRequest("POST", url)
    try await signer.sign(&request)
    return request
  }

  private func refusal(_ status: Int = 401) -> HTTPResponse {
    HTTPResponse(status: status, headers: [], body: ScriptedBody([], whenSilent: {}))
  }

  @Test func `the platform's token goes to its own tools, and not as a cookie`() async throws {
    let signIns = try await SignIns.holding(.session("t", endsIn: 200))
    let signer = PlatformSigner(endpoint: signIns.endpoint(.kamiwaza, SiteHTTP { _ in .notFound }, Timeouts()))
    let request = try await signed(signer, tool)
    #expect(request.bearer == "t" && request.header("Cookie") == nil)
    #expect(signer.masked(Array("t is what it was".utf8)) != Array("t is what it was".utf8))
  }

  @Test func `to another host it does not go before the person has said so`() async throws {
    let signIns = try await SignIns.holding(.session("t", endsIn: 200))
    let http = SiteHTTP { _ in .notFound }
    let signer = PlatformSigner(endpoint: signIns.endpoint(.kamiwaza, http, Timeouts()))
    await #expect(
      throws: ToolError.server(.withheld(origin: "https://tools.example", .anotherHost(own: "kz.lan")))
    ) { try await signed(signer, "https://tools.example/mcp") }
    await #expect(throws: ToolError.server(.withheld(origin: "http://kz.lan:8000", .inTheClear))) {
      try await signed(signer, "http://kz.lan:8000/mcp")
    }
    var allowed = Server.kamiwaza
    allowed.allowedOrigins = ["https://tools.example"]
    let willing = PlatformSigner(endpoint: signIns.endpoint(allowed, http, Timeouts()))
    #expect(try await signed(willing, "https://tools.example/mcp").bearer == "t")
  }

  @Test func `a refused token is renewed once, and then the person is asked`() async throws {
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .tokens("new", refresh: "r2") : .notFound }
    let signIns = try await SignIns.holding(.session("old", endsIn: 200))
    let signer = PlatformSigner(endpoint: signIns.endpoint(.kamiwaza, http, Timeouts()))
    let request = try await signed(signer, tool)
    #expect(try await signer.refused(request, refusal()))
    #expect(try await signed(signer, tool).bearer == "new")
    #expect(http.lines == ["POST /auth/refresh"])
    let forbidden = BackendError.refused(address: "kz.lan", status: 403, message: "")
    await #expect(throws: ToolError.server(forbidden)) { try await signer.refused(request, refusal(403)) }
  }

  @Test func `nothing to sign with is a sign-in at the platform`() async throws {
    let endpoint = SignIns(MemoryCredentials()).endpoint(.kamiwaza, SiteHTTP { _ in .notFound }, Timeouts())
    let signer = PlatformSigner(endpoint: endpoint)
    let request = try await signed(signer, tool)
    #expect(request.bearer == nil)
    await #expect(throws: ToolError.server(.unauthorized(address: "kz.lan", message: ""))) {
      try await signer.refused(request, refusal())
    }
  }

  @Test func `a key of the environment that is refused is named`() async throws {
    let key = try Credential("k", for: ServerAddress("https://kz.lan"))
    let endpoint = Endpoint(.kamiwaza, SiteHTTP { _ in .notFound }, key, Timeouts())
    let signer = PlatformSigner(endpoint: endpoint)
    let request = try await signed(signer, tool)
    #expect(request.bearer == "k")
    await #expect(throws: ToolError.server(.signInRefused(address: "kz.lan", .wrongEnvironmentKey))) {
      try await signer.refused(request, refusal())
    }
  }
}

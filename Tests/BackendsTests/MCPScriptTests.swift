import Foundation
import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// Servers that do what real ones do only now and then.
struct MCPScriptTests {
  static let url = "https://t.lan/mcp"

  static func connection(
    _ routes: [String: [ScriptedHTTP.Reply]], known: MCPVerdict.Era? = nil, url: String = url, platform: String? = nil,
    signer: any MCPSigner = Unsigned()
  ) -> (MCPConnection, RoutedHTTP) {
    let http = RoutedHTTP(routes)
    let memory = WireMemory.inMemory()
    if let known { memory.keep(url, MCPVerdict(era: known, transport: .streamable, url: url)) }
    let server = ToolServer(id: "t", name: "t", address: .http(url: url), platform: platform)
    let connection = MCPConnection(
      server, http: http, timeouts: Timeouts(), signer: signer, memory: memory,
      clock: TimeSource(
        now: { 0 },
        // Pauses are over at once; what would take longer than a test may take never comes.
        sleep: { if $0 >= 10 { try? await Task.sleep(for: .seconds(3600)) } },  // timed: never
        sinceEpoch: { 0 }))
    return (connection, http)
  }

  static func initialized(id: Int, session: String?) -> ScriptedHTTP.Reply {
    .response(
      200, headers: json + (session.map { [(name: "Mcp-Session-Id", value: $0)] } ?? []),
      [.text(#"{"id":\#(id),"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}}"#)])
  }
  static let json = [(name: "Content-Type", value: "application/json")]
  static let stream = [(name: "content-type", value: "text/event-stream")]
  static let accepted = ScriptedHTTP.Reply.response(202, [])
  static let noStream = ["GET \(url)": [ScriptedHTTP.Reply.response(405, [])]]

  static func result(_ id: Int, _ result: String = #"{"content":[{"type":"text","text":"done"}]}"#)
    -> ScriptedHTTP.Reply
  {
    .response(200, headers: json, [.text(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)])
  }

  @Test(arguments: [
    (400, "Bad Request: No valid session ID"), (404, #"{"id":"server-error","error":{"code":-32600}}"#),
  ])
  func `a session that is gone is begun anew, and the call made again`(_ status: Int, _ body: String) async throws {
    let (connection, http) = Self.connection(
      Self.noStream.merging([
        "POST \(Self.url)": [
          Self.initialized(id: 1, session: "one"), Self.accepted, .error(status, body),
          Self.initialized(id: 3, session: "two"), Self.accepted, Self.result(4),
        ]
      ]) { $1 }, known: .legacy)
    #expect(await Called(connection.call("t", [:])).text == "done")
    let sessions = http.requests.filter { $0.method == "POST" }.map { request in
      request.headers.first { $0.name == "Mcp-Session-Id" }?.value
    }
    #expect(sessions == [nil, "one", "one", nil, "two", "two"])
  }

  @Test func `a session that is always gone is not begun for ever`() async throws {
    let (connection, http) = Self.connection(
      Self.noStream.merging([
        "POST \(Self.url)": [
          Self.initialized(id: 1, session: "one"), Self.accepted, .error(404, "gone"),
          Self.initialized(id: 3, session: "two"), Self.accepted, .error(404, "gone"),
        ]
      ]) { $1 }, known: .legacy)
    let error = await Called(connection.call("t", [:])).error
    #expect(error == .server(.refused(address: "t.lan", status: 404, message: "gone")))
    #expect(http.requests.filter { $0.method == "POST" }.count == 6)
  }

  @Test func `a call whose stream breaks is lost, and a list is asked for again`() async throws {
    let broken = ScriptedHTTP.Reply.response(
      200, headers: Self.stream, [.text(": ping\n\n"), .failure(.closedEarly(""))])
    let (calling, calls) = Self.connection(["POST \(Self.url)": [broken]], known: .modern)
    #expect(await Called(calling.call("t", [:])).error == .lost)
    #expect(calls.requests.count == 1)
    let (listing, lists) = Self.connection(
      ["POST \(Self.url)": [broken, Self.result(2, #"{"tools":[{"name":"t"}]}"#)]], known: .modern)
    #expect(try await listing.tools().map(\.name) == ["t"])
    #expect(lists.requests.count == 2)
  }

  @Test func `a stream that broke is taken up where it ended`() async throws {
    let (connection, http) = Self.connection(
      [
        "POST \(Self.url)": [
          Self.initialized(id: 1, session: "s"), Self.accepted,
          .response(
            200, headers: Self.stream,
            [.text("id: 7\nretry: 10\ndata:\n\nid: 8\ndata: {\"method\":\"x\"}\n\n"), .failure(.closedEarly(""))]),
        ],
        "GET \(Self.url)": [
          .response(405, []), .failure(.refused),
          .response(200, headers: Self.stream, [.text("id: 9\ndata: {\"method\":\"y\"}\n\n")]),
          .response(
            200, headers: Self.stream,
            [.text("id: 10\ndata: {\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"late\"}]}}\n\n")]),
        ],
      ], known: .legacy)
    _ = try await connection.about()
    // The stream of the session is asked for first.
    while http.requests.filter({ $0.method == "GET" }).isEmpty { await Task.yield() }
    #expect(await Called(connection.call("t", [:])).text == "late")
    let places = http.requests.compactMap { request in
      request.headers.first { $0.name == "Last-Event-ID" }?.value
    }
    #expect(places == ["8", "8", "9"])
  }

  @Test func `headers that are missing are found in the list`() async throws {
    let list =
      #"{"tools":[{"name":"t","inputSchema":{"properties":{"r":{"type":"string","x-mcp-header":"R"}}}}],"ttlMs":0}"#
    let (connection, http) = Self.connection(
      [
        "POST \(Self.url)": [
          .error(400, #"{"id":1,"error":{"code":-32020,"message":"header mismatch"}}"#), Self.result(2, list),
          Self.result(3),
        ]
      ], known: .modern)
    #expect(await Called(connection.call("t", ["r": "eu"])).text == "done")
    let mirrored = http.requests.map { request in request.headers.first { $0.name == "Mcp-Param-R" }?.value }
    #expect(mirrored == [nil, nil, "eu"])
  }

  @Test func `a modern server asks back as often as it may`() async throws {
    let question =
      #"{"resultType":"input_required","requestState":"é=/+ \u0041","inputRequests":{"k.1":{"method":"elicitation/create","params":{"message":"Who?"}}}}"#
    let (connection, http) = Self.connection(
      [
        "POST \(Self.url)": [
          Self.result(1, question), Self.result(2, #"{"resultType":"input_required"}"#), Self.result(3),
        ]
      ],
      known: .modern)
    let called = await Called(connection.call("t", ["a": 1]), answering: .accept(["name": "Ada"]))
    #expect(called.text == "done")
    let params = try http.requests.map { try JSON(parsing: $0.body ?? [])["params"] ?? .null }
    #expect(params[1]["inputResponses"] == ["k.1": ["action": "accept", "content": ["name": "Ada"]]])
    #expect(params[1]["requestState"] == "é=/+ A")
    #expect(params[1]["arguments"] == ["a": 1])
    #expect(params[2]["inputResponses"] == nil && params[2]["requestState"] == nil)

    let (endless, rounds) = Self.connection(
      ["POST \(Self.url)": (1...20).map { Self.result($0, question) }], known: .modern)
    let error = await Called(endless.call("t", [:]), answering: .decline).error
    #expect(error == .malformed("questions without end"))
    #expect(rounds.requests.count == 9)
  }

  @Test(arguments: [
    (#"{"resultType":"hologram"}"#, "a result of the type hologram"),
    (
      #"{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage"}}}"#,
      "it asks for sampling/createMessage"
    ),
  ]) func `a result that is not understood is an error`(_ result: String, _ words: String) async throws {
    let (connection, _) = Self.connection(["POST \(Self.url)": [Self.result(1, result)]], known: .modern)
    #expect(await Called(connection.call("t", [:])).error == .malformed(words))
  }

  @Test func `what a server asks that nobody knows is refused at once`() async throws {
    let events =
      ["sampling/createMessage", "roots/list", "ping"].enumerated()
      // Ids clash with ours: the call has 2 too.
      .map { "data: {\"id\":\($0.offset + 1),\"method\":\"\($0.element)\"}\n\n" }.joined()
      + "data: {\"id\":2,\"result\":{\"content\":[]}}\n\n"
    let (connection, http) = Self.connection(
      Self.noStream.merging([
        "POST \(Self.url)": [
          Self.initialized(id: 1, session: nil), Self.accepted,
          .response(200, headers: Self.stream, [.text(events)]), Self.accepted,
        ]
      ]) { $1 }, known: .legacy)
    #expect(await Called(connection.call("t", [:])).result == ToolResult(content: []))
    let answers = try http.requests.compactMap(\.body).dropFirst(3).map { try JSON(parsing: $0) }
    #expect(answers.map { $0["id"] } == [1, 2, 3])
    #expect(answers.map { $0["error"]?["code"] } == [-32601, -32601, nil])
    #expect(answers.last?["result"] == [:])
  }

  @Test(arguments: [
    ("https://t.lan/mcp/", "https://t.lan/mcp", "https://t.lan/mcp"),
    ("https://t.lan/mcp", "/mcp/", "https://t.lan/mcp/"),
    ("https://t.lan/mcp/", "http://t.lan/mcp", "https://t.lan/mcp"), ("https://t.lan/a", "http://t.lan/a/", nil),
    ("https://t.lan/a", "https://evil.lan/a", nil), ("https://t.lan/a", "https://t.lan:444/a", nil),
  ]) func `a redirect takes the body along, and nowhere else`(_ url: String, _ location: String, _ target: String?)
    async throws
  {
    var routes = [
      "POST \(url)": [
        ScriptedHTTP.Reply.response(307, headers: [(name: "location", value: location)], [])
      ]
    ]
    if let target {
      routes["POST \(target)"] = [Self.result(1, #"{"supportedVersions":["2026-07-28"]}"#), Self.result(2)]
    }
    let (connection, http) = Self.connection(routes, url: url, signer: FixedSigner(token: "secret"))
    let called = await Called(connection.call("t", [:]))
    let asked = http.requests.map(\.url)
    if let target {
      #expect(called.text == "done")
      // What was found out is where it answers, too.
      #expect(asked == [url, target, target])
      #expect(http.requests[0].body == http.requests[1].body)
    } else {
      #expect(called.error == .server(.refused(address: "t.lan", status: 307, message: "redirects to \(location)")))
      #expect(asked == [url])
    }
  }

  @Test func `a list ends at a cursor that comes again`() async throws {
    let page = #"{"tools":[{"name":"a"},{"name":"a"}],"nextCursor":"x"}"#
    let (connection, http) = Self.connection(
      ["POST \(Self.url)": (1...5).map { Self.result($0, page) }], known: .modern)
    #expect(try await connection.tools().map(\.name) == ["a"])
    #expect(http.requests.count == 2)
    // It said nothing of how long it counts, nor that it changed.
    _ = try await connection.tools()
    #expect(http.requests.count == 2)
  }

  @Test func `a failure of the network is no verdict`() async throws {
    let (connection, http) = Self.connection([
      "POST \(Self.url)": [
        .failure(.refused), Self.result(2, #"{"supportedVersions":["2026-07-28"]}"#), Self.result(3),
      ]
    ])
    #expect(await Called(connection.call("t", [:])).error == .server(.unreachable(address: "t.lan", reason: .refused)))
    #expect(await Called(connection.call("t", [:])).text == "done")
    #expect(http.requests.count == 3)
  }

  @Test func `a platform's tool is found below its address`() async throws {
    let base = "https://kz.lan/runtime/tools/7"
    let page = ScriptedHTTP.Reply.response(
      200, headers: [(name: "content-type", value: "text/html")], [.text("<html>")])
    let (connection, http) = Self.connection(
      [
        "POST \(base)": [page], "GET \(base)": [page],
        "POST \(base)/mcp": [Self.result(2, #"{"supportedVersions":["2026-07-28"]}"#), Self.result(3)],
      ], url: base, platform: "kz")
    #expect(await Called(connection.call("t", [:])).text == "done")
    #expect(http.asked == ["POST \(base)", "GET \(base)", "POST \(base)/mcp", "POST \(base)/mcp"])

    let (missing, _) = Self.connection([:], url: base, platform: "kz")
    let tried = ["", "/mcp", "/sse"].map {
      BackendError.Attempt(url: base + $0, outcome: .answered(status: 404, what: "no MCP"))
    }
    #expect(await Called(missing.call("t", [:])).error == .server(.notFound(tried: tried)))
  }

  @Test(arguments: ["https://kz.lan/runtime/tools/7/messages/?session_id=1", "https://kz.lan/messages/?session_id=1"])
  func `a platform's older tool names a path that begins where the tool does`(_ place: String) async throws {
    let url = "https://kz.lan/runtime/tools/7/sse"
    let http = OlderServer(stream: url, messages: place)
    let connection = MCPConnection(
      ToolServer(id: "t", name: "t", address: .http(url: url), platform: "kz"), http: http, timeouts: Timeouts(),
      memory: .inMemory())
    let facts = try await connection.about()
    #expect(facts.transport == "HTTP+SSE" && facts.protocolVersion == "2024-11-05")
    #expect(await Called(connection.call("t", [:])).text == "done")
    // The right place is asked at once the second time.
    #expect(http.places.filter { $0 != place }.count == (place.contains("tools") ? 0 : 1))
    await connection.close()
  }

  @Test func `no version that both speak`() async throws {
    let (connection, _) = Self.connection([
      "POST \(Self.url)": [
        .error(400, #"{"id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2031-01-01"]}}}"#)
      ]
    ])
    #expect(await Called(connection.call("t", [:])).error == .noSharedVersion(theirs: ["2031-01-01"]))
    let (legacy, _) = Self.connection([
      "POST \(Self.url)": [.error(400, "?"), Self.result(2, #"{"protocolVersion":"2023-01-01"}"#)]
    ])
    #expect(await Called(legacy.call("t", [:])).error == .noSharedVersion(theirs: ["2023-01-01"]))
  }
}

/// A server of 2024-11-05 behind a platform.
// Sendable: what varies is behind the lock.
private final class OlderServer: HTTP, HTTPBody, @unchecked Sendable {
  private let stream: String
  private let messages: String
  private let lock = NSLock()
  private var asked: [String] = []
  private let (events, door) = AsyncStream.makeStream(of: String.self)

  init(stream: String, messages: String) {
    self.stream = stream
    self.messages = messages
    door.yield("event: endpoint\r\ndata: /messages/?session_id=1\r\n\r\n")
  }

  var places: [String] { lock.withLock { asked } }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let ended = ScriptedBody([], whenSilent: {})
    if request.method == "GET" {
      return HTTPResponse(status: 200, headers: MCPScriptTests.stream, body: self)
    }
    guard request.url != stream else { return HTTPResponse(status: 405, headers: [], body: ended) }
    lock.withLock { asked.append(request.url) }
    guard request.url == messages else { return HTTPResponse(status: 404, headers: [], body: ended) }
    if let id = (try? JSON(parsing: request.body ?? []))?["id"]?.int {  // what is not JSON is answered by nothing
      let result = #""protocolVersion":"2024-11-05","content":[{"type":"text","text":"done"}]"#
      door.yield("event: message\r\ndata: {\"id\":\(id),\"result\":{\(result)}}\r\n\r\n")
    }
    return HTTPResponse(status: 202, headers: [], body: ended)
  }

  func next(timeout: Double?) async throws(TransportError) -> [UInt8]? {
    for await event in events { return Array(event.utf8) }
    throw .cancelled
  }

  func cancel() { door.finish() }
}

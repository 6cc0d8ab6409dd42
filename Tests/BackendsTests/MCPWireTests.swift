import Testing

@testable import Backends
@testable import Chat
@testable import Wire

struct MCPWireTests {
  @Test(arguments: [
    ("add", "add"), ("two words", "two words"), (" outer", "=?base64?IG91dGVy?="), ("", "=?base64??="),
    ("Zürich", "=?base64?WsO8cmljaA==?="), ("a\r\nb", "=?base64?YQ0KYg==?="),
    ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
  ]) func `a header carries what it can, and the rest in Base64`(_ value: String, _ written: String) {
    #expect(ModernWire.headerValue(value) == written)
  }

  @Test func `a modern request says in headers and body who asks`() throws {
    var request = MCPRequest.call("add", ["a": 2])
    request.mirrored = [HeaderMark.Mirrored(header: "Region", value: "eu")]
    let headers = ModernWire.headers(request).map { "\($0.name): \($0.value)" }
    #expect(
      headers == [
        "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: add", "Mcp-Param-Region: eu",
      ])
    let body = ModernWire.message(request, id: 7).json
    #expect(body["id"] == 7)
    #expect(body["params"]?["arguments"] == ["a": 2])
    let meta = try #require(body["params"]?["_meta"])
    #expect(meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28")
    #expect(meta["io.modelcontextprotocol/clientInfo"]?["name"] == "parley")
    #expect(meta["progressToken"] == 7)
    #expect(meta["io.modelcontextprotocol/logLevel"] == nil)
  }

  @Test(arguments: ["2024-11-05", "2025-03-26", "2025-06-18"]) func `older versions are named in no header`(
    _ version: String
  ) {
    let headers = LegacyWire.headers(session: "s", version: version).map(\.name)
    #expect(headers == (version < "2025-06-18" ? [] : ["MCP-Protocol-Version"]) + ["Mcp-Session-Id"])
  }

  @Test func `marked arguments are mirrored`() throws {
    let schema: JSON = [
      "type": "object",
      "properties": [
        "region": ["type": "string", "x-mcp-header": "Region"],
        "limits": ["type": "object", "properties": ["most": ["type": "integer", "x-mcp-header": "Most"]]],
        "dry": ["type": "boolean", "x-mcp-header": "Dry-Run"], "note": ["type": "string"],
      ],
    ]
    let marks = try HeaderMark.all(in: schema)
    let all = marks.compactMap { $0.mirrored(["region": "eu", "limits": ["most": 42.0], "dry": true]) }
    #expect(all.map { "\($0.header)=\($0.value)" } == ["Region=eu", "Most=42", "Dry-Run=true"])
    #expect(marks.compactMap { $0.mirrored(["region": .null, "limits": "no object"]) } == [])
  }

  @Test(
    arguments: [
      ["properties": ["a": ["type": "string", "x-mcp-header": ""]]],
      ["properties": ["a": ["type": "string", "x-mcp-header": "two words"]]],
      ["properties": ["a": ["type": "string", "x-mcp-header": 1]]],
      ["properties": ["a": ["type": "number", "x-mcp-header": "A"]]],
      ["properties": ["a": ["type": "object", "x-mcp-header": "A"]]],
      ["properties": ["a": ["type": "string", "x-mcp-header": "A"], "b": ["type": "string", "x-mcp-header": "a"]]],
      ["properties": ["a": ["type": "array", "items": ["type": "string", "x-mcp-header": "A"]]]],
      ["properties": ["a": ["anyOf": [["type": "string", "x-mcp-header": "A"]]]]],
      ["$defs": ["d": ["type": "string", "x-mcp-header": "A"]]],
      ["type": "object", "x-mcp-header": "A"],
    ] as [JSON]) func `a tool whose marks are wrong is not offered where they count`(_ schema: JSON)
  {
    let json: JSON = ["name": "t", "inputSchema": schema]
    #expect(ListedTool(json, marksCount: true) == nil)
    #expect(ListedTool(json, marksCount: false) != nil)
  }

  @Test func `an answer reads the same however it is cut`() throws {
    let stream =
      "id: 1_0\r\nretry: 500\r\ndata: \r\n\r\n: ping\r\n\r\n"
      + "event: message\r\nid: 1_1\r\ndata: {\"method\":\"notifications/progress\",\"params\":{\"progress\":0.0}}\r\n\r\n"
      + "event: other\r\ndata: not for us\r\n\r\n"
      + "data: [{\"id\":1,\"result\":{\"ä\":1}},{\"id\":0,\"method\":\"ping\"}]\n\n"
    let expected: [JSONRPCMessage] = [
      .notification(method: "notifications/progress", params: ["progress": 0.0]),
      .response(id: .int(1), result: ["ä": 1]), .request(id: .int(0), method: "ping", params: nil),
    ]
    let bytes = Array(stream.utf8)
    for size in 1...bytes.count {
      var reader = MCPAnswerReader(contentType: "text/event-stream; charset=utf-8")
      var messages: [JSONRPCMessage] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        messages += try reader.feed(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      messages += try reader.end()
      #expect(messages == expected)
      #expect(reader.lastEventID == "1_1")
      #expect(reader.retry == 0.5)
    }
    let json = Array(#"{"jsonrpc":"2.0","id":1,"result":{}}"#.utf8)
    for cut in 0...json.count {
      var reader = MCPAnswerReader(contentType: "Application/JSON")
      #expect(try reader.feed(Array(json[..<cut])) + reader.feed(Array(json[cut...])) == [])
      #expect(try reader.end() == [.response(id: .int(1), result: [:])])
    }
  }

  @Test func `what is no answer is told from its start`() throws {
    var page = MCPAnswerReader(contentType: "text/html")
    _ = try page.feed(Array("<!doctype html><title>Sign in</title>".utf8))
    #expect(throws: MCPAnswerReader.Failure.notTheAPI("HTML page \"Sign in\"")) { try page.end() }
    var broken = MCPAnswerReader(contentType: "text/event-stream")
    #expect(throws: MCPAnswerReader.Failure.notJSON) { try broken.feed(Array("data: {\n\n".utf8)) }
    var long = MCPAnswerReader(contentType: "application/json")
    #expect(throws: MCPAnswerReader.Failure.tooLong) {
      try long.feed([UInt8](repeating: 0x20, count: MCPAnswerReader.messageLimit + 1))
    }
    var line = MCPAnswerReader(contentType: "text/event-stream")
    #expect(throws: MCPAnswerReader.Failure.tooLong) {
      try line.feed([UInt8](repeating: 0x20, count: MCPAnswerReader.messageLimit + 1))
    }
  }

  /// A status, the body, and what they say of the server.
  @Test(arguments: [
    (200, #"{"id":1,"result":{"supportedVersions":["2026-07-28"]}}"#, "modern"),
    (200, #"{"id":1,"result":{"supportedVersions":["2025-06-18"]}}"#, "legacy"),
    (200, #"{"id":1,"result":{"supportedVersions":["2031-01-01"]}}"#, "none: 2031-01-01"),
    (200, #"{"id":1,"result":{}}"#, "legacy"),
    (200, #"{"id":1,"error":{"code":-32601,"message":"?"}}"#, "legacy"),
    (400, #"{"id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}"#, "legacy"),
    (404, #"{"id":1,"error":{"code":-32601,"message":"?"}}"#, "legacy"),
    (400, #"{"id":1,"error":{"code":-32020,"message":"?"}}"#, "modern"),
    (400, #"{"id":1,"error":{"code":-32021,"message":"?"}}"#, "modern"),
    (400, #"{"id":1,"error":{"code":-32022,"data":{"supported":["2025-11-25"]}}}"#, "legacy"),
    (400, #"{"id":1,"error":{"code":-32022,"data":{"supported":["2031-01-01"]}}}"#, "none: 2031-01-01"),
    (400, "Invalid session", "legacy"), (400, "", "legacy"), (500, "oops", "legacy"),
    (404, "Not Found", "nothing"), (405, "", "nothing"), (200, "<html>", "nothing"), (404, "<html>", "nothing"),
  ]) func `the answer to a modern request tells the era`(_ status: Int, _ body: String, _ era: String) throws {
    var answer = Collected(status: status, url: "http://h/mcp")
    answer.bytes = Array(body.utf8)
    do throws(MCPAnswerReader.Failure) { answer.message = try MCPAnswerReader.messages(answer.bytes).last } catch {}
    let told =
      switch MCPEra(answer) {
      case .modern: "modern"
      case .legacy: "legacy"
      case .noSharedVersion(let theirs): "none: \(theirs.joined())"
      case .nothing: "nothing"
      }
    #expect(told == era)
  }

  @Test func `a result is read with holes in it`() throws {
    let result = try #require(
      ToolResult([
        "content": [
          ["type": "text", "text": "a"], ["type": "text"], ["type": "audio", "data": "AA==", "mimeType": "audio/wav"],
          ["type": "resource", "resource": ["uri": "u", "blob": "AA=="]], ["type": "resource"],
          ["type": "resource_link", "uri": "u", "name": .null, "size": 3], ["type": "hologram"], "text",
        ], "structuredContent": .null, "isError": .null,
      ]))
    #expect(
      result.content == [
        .text("a"), .text(""), .audio(base64: "AA==", mimeType: "audio/wav"),
        .resource(ResourceContent(uri: "u", body: .blob("AA=="))), .other("resource"),
        .link(ToolResource(uri: "u", name: "u", size: 3)), .other("hologram"), .other("unknown"),
      ])
    #expect(result.structured == nil && !result.isError)
    #expect(ToolResult("text") == nil)
    #expect(ToolResult([:]) == ToolResult(content: []))
  }

  @Test func `a tool is read with holes in it`() throws {
    let tool = try #require(
      ListedTool(
        [
          "name": "weird name/../ü", "title": "plain", "description": .null, "inputSchema": .null,
          "annotations": ["title": "wins", "readOnlyHint": true, "destructiveHint": .null],
        ], marksCount: true)
    ).tool
    #expect(tool.name == "weird name/../ü")
    #expect(tool.title == "wins")
    #expect(tool.summary == "")
    #expect(tool.parameters == ["type": "object"])
    #expect(tool.hints == ToolHints(isReadOnly: true))
    #expect(ListedTool(["title": "nameless"], marksCount: true) == nil)
  }

  @Test(
    arguments: [
      (#"{"name": "a", "title": "A", "icons": [{"src": "x"}], "outputSchema": null}"#, nil),
      (#"{"name": "a", "outputSchema": {"type": "object"}}"#, ["outputSchema": ["type": "object"]]),
      (#"{"name": "a", "_meta": {"x": 1}}"#, ["_meta": ["x": 1]]),
      (
        #"{"name": "a", "title": "A", "annotations": {"title": "B", "readOnlyHint": true, "costsHint": 2}}"#,
        ["annotations": ["costsHint": 2], "title": "A"]
      ),
    ] as [(String, JSON?)])
  func `what a listing says besides is kept`(listing: String, rest: JSON?) throws {
    let json = try JSON(parsing: listing)
    #expect(try #require(ListedTool(json, marksCount: false)).tool.rest == rest)
  }

  @Test func `a form has fields of every kind`() throws {
    let subject = ToolQuestion.Subject([
      "requestedSchema": [
        "properties": [
          "name": ["type": "string", "title": "Name", "minLength": 1, "format": "email", "default": "a@b"],
          "size": ["enum": ["s", "m"], "enumNames": ["Small", "Medium"]],
          "colour": ["type": "string", "oneOf": [["const": "r", "title": "Red"], ["const": "g"]]],
          "age": ["anyOf": [["type": "integer", "minimum": 0], ["type": "null"]], "default": .null, "title": "Age"],
          "ratio": ["type": ["number", "null"], "maximum": 1.5], "sure": ["type": "boolean", "default": false],
          "days": ["type": "array", "items": ["enum": ["mo", "tu"]], "minItems": 1, "maxItems": 2],
          "tags": ["type": "array", "items": ["anyOf": [["const": "x", "title": "X"]]]],
        ], "required": ["name"],
      ]
    ])
    let expected: [FormField] = [
      FormField(
        name: "name", title: "Name", isRequired: true, kind: .text(shortest: 1, longest: nil, format: "email"),
        standard: "a@b"),
      FormField(name: "size", kind: .choice([.init("s", title: "Small"), .init("m", title: "Medium")])),
      FormField(name: "colour", kind: .choice([.init("r", title: "Red"), .init("g")])),
      FormField(name: "age", title: "Age", kind: .number(from: 0, to: nil, isWhole: true)),
      FormField(name: "ratio", kind: .number(from: nil, to: 1.5, isWhole: false)),
      FormField(name: "sure", kind: .flag, standard: false),
      FormField(name: "days", kind: .choices([.init("mo"), .init("tu")], fewest: 1, most: 2)),
      FormField(name: "tags", kind: .choices([.init("x", title: "X")], fewest: nil, most: nil)),
    ]
    #expect(subject == .form(expected))
    #expect(ToolQuestion.Subject(["mode": "url", "url": "https://h/p"]) == .page(url: "https://h/p"))
    #expect(ToolQuestion.Subject(["mode": "url"]) == nil)
    #expect(ToolQuestion.Subject(["mode": "mind reading"]) == nil)
    #expect(ToolQuestion.Subject([:]) == .form([]))
  }

  @Test(
    arguments: [
      // Whose, what the stream named, where messages go.
      (false, "https://h/t/sse", "/messages/?s=1", ["https://h/messages/?s=1"]),
      (false, "https://h/t/sse", "messages?s=1", ["https://h/t/messages?s=1"]),
      (false, "https://h/t/sse", "https://h/m?s=1", ["https://h/m?s=1"]),
      (false, "https://h/t/sse", "https://evil/m", nil), (true, "https://h/t/sse", "//evil/m", nil),
      (false, "https://h/t/sse", "http://h/m", nil), (true, "https://h/t/sse", "https://h:444/m", nil),
      (true, "https://h/t/sse", "/messages/?s=1", ["https://h/t/messages/?s=1", "https://h/messages/?s=1"]),
      (true, "https://h/t/sse", "/t/messages/?s=1", ["https://h/t/messages/?s=1"]),
      (true, "https://h/sse", "/messages/?s=1", ["https://h/messages/?s=1"]),
    ] as [(Bool, String, String, [String]?)])
  func `messages go to the stream's own origin`(
    _ isPlatforms: Bool, _ url: String, _ endpoint: String, _ addresses: [String]?
  ) {
    #expect(SSEChannel.addresses(endpoint, of: url, isPlatforms: isPlatforms) == addresses)
  }
}

import TestSupport
import Testing

@testable import Transport

extension WithWebSockets {
  @Suite struct WebSocketUpgradeTests {
    @Test func `the upgrade has what the protocol and the request want`() async throws {
      let scene = try SocketScene("echo")
      _ = try await scene.open {
        $0.url += "?a=b%20c#part"
        $0.headers = [("X-Bridge-Token", "s3cret"), ("X-Empty", "")]
      }
      let lines = try #require(try scene.seen("request").first).components(separatedBy: "\r\n")
      #expect(lines.first == "GET /echo/\(scene.key)?a=b%20c HTTP/1.1")
      for line in [
        "Host: 127.0.0.1:\(scene.server.port)", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Version: 13", "User-Agent: parley/1.2.3", "X-Bridge-Token: s3cret", "X-Empty: ",
      ] {
        #expect(lines.filter { $0 == line }.count == 1, "\(line)")
      }
      #expect(lines.count == 9)
    }

    @Test(arguments: [
      ("401", 401, "wrong token."), ("302", 302, ""), ("204", 204, ""), ("500-chunked", 500, "It is  broken"),
      ("403-close", 403, "go away"), ("503-long", 503, String(repeating: "x", count: 4096)),
      ("426-after-interim", 426, "old"), ("accept", 101, "a wrong Sec-WebSocket-Accept"),
      ("no-accept", 101, "a wrong Sec-WebSocket-Accept"), ("two-accepts", 101, "a wrong Sec-WebSocket-Accept"),
      ("no-upgrade", 101, "no upgrade to websocket"), ("other-upgrade", 101, "no upgrade to websocket"),
      ("no-connection", 101, "no upgrade at all"), ("extension", 101, "an extension that was not asked for"),
      ("protocol", 101, "a protocol that was not asked for"),
    ])
    func `an answer that is no WebSocket is told`(kind: String, status: Int, text: String) async throws {
      let scene = try SocketScene("refuse/\(kind)")
      let error = await failure { () async throws(TransportError) in try await scene.open() }
      #expect(error == .notSwitched(status: status, text: text))
      #expect(try await scene.sees("gone", [""]))
    }

    @Test func `a refusal whose body does not end is told in time`() async throws {
      let scene = try SocketScene("refuse/400-slow")
      let error = await failure { () async throws(TransportError) in
        try await scene.open { $0.headersTimeout = 2 }
      }
      // The server may have been too slow for even that.
      #expect(error == .notSwitched(status: 400, text: "and then nothing") || error == .headersTimeout)
    }

    @Test func `a server that does not answer is given up in time`() async throws {
      let scene = try SocketScene("refuse/silent")
      let error = await failure { () async throws(TransportError) in
        try await scene.open { $0.headersTimeout = 0.3 }
      }
      #expect(error == .headersTimeout)
    }

    @Test(arguments: [
      ("not-http", TransportError.notHTTP), ("long-head", .tooLarge(limit: UpgradeAnswer.headLimit)),
      ("many-headers", .tooLarge(limit: UpgradeAnswer.headLimit)),
    ])
    func `what is no head is told`(kind: String, expected: TransportError) async throws {
      let scene = try SocketScene("refuse/\(kind)")
      #expect(await failure { () async throws(TransportError) in try await scene.open() } == expected)
    }

    @Test(arguments: ["cut-head", "nothing"])
    func `a connection that ends before the head is told`(kind: String) async throws {
      let scene = try SocketScene("refuse/\(kind)")
      #expect(await failure { () async throws(TransportError) in try await scene.open() }?.isClosedEarly == true)
    }

    @Test func `a protocol that was asked for is taken`() async throws {
      let scene = try SocketScene("protocol")
      let socket = try await scene.open { $0.headers = [("Sec-WebSocket-Protocol", "acp.v1, acp.v0")] }
      try await socket.send("hello")
      #expect(try await socket.text() == "hello")
    }

    @Test(arguments: [
      ("X-Key", "a\r\nX-Other: b"), ("X-Key", "a\nb"), ("X-Key", "a\rb"), ("X-Key", "a\0b"), ("X-Key: a\r\nX", "b"),
      ("", "a"), ("Host", "other"), ("sec-websocket-key", "a"), ("Sec-WebSocket-Extensions", "a"),
      ("Content-Length", "5"), ("connection", "close"),
    ])
    func `a header that would be read as something else never leaves`(name: String, value: String) async throws {
      let server = try WebSocketServer()
      let http = CurlHTTP(proxy: ProxySettings(), version: "0")
      let url = "ws://127.0.0.1:\(server.port)/echo/key"
      let error = await failure { () async throws(TransportError) in
        try await http.open(HTTPRequest("GET", url, headers: [(name, value)]), silence: 600)
      }
      #expect(error?.isBadRequest == true)
      _ = try await http.open(HTTPRequest("GET", url), silence: 600)
      #expect(try server.events("accept").count == 1)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "wss://user@127.0.0.1/", "ws://", "wsss://127.0.0.1/", ""])
    func `an address of something else is a bad request`(url: String) async {
      let http = CurlHTTP(proxy: ProxySettings(), version: "0")
      let error = await failure { () async throws(TransportError) in
        try await http.open(HTTPRequest("GET", url), silence: 600)
      }
      #expect(error?.isBadRequest == true)
    }

    @Test func `a request with a body is a bad request`() async throws {
      let scene = try SocketScene("echo")
      for change: (inout HTTPRequest) -> Void in [{ $0.method = "POST" }, { $0.body = [] }] {
        let error = await failure { () async throws(TransportError) in try await scene.open(change) }
        #expect(error?.isBadRequest == true)
      }
    }

    @Test func `a proxy is asked for a tunnel, and told nothing else`() async throws {
      let server = try WebSocketServer()
      let http = CurlHTTP(proxy: ProxySettings(http: "http://127.0.0.1:\(server.port)"), version: "0")
      let request = HTTPRequest(
        "GET", "ws://socket.invalid/echo/key?token=s3cret", headers: [("X-Bridge-Token", "s3cret")])
      let socket = try await http.open(request, silence: 600)
      try await socket.send("hello")
      #expect(try await socket.text() == "hello")
      let tunnel = try #require(try server.events("tunnel").first)
      #expect(tunnel.hasPrefix("CONNECT socket.invalid:80 HTTP/1.1"))
      #expect(!tunnel.contains("s3cret"))
      #expect(try server.events("request").first?.hasSuffix("\r\nX-Bridge-Token: s3cret") == true)
    }

    @Test func `a proxy that refuses is told from a server`() async throws {
      let http = CurlHTTP(proxy: ProxySettings(http: try WithServer.server.address), version: "0")
      let error = await failure { () async throws(TransportError) in
        try await http.open(HTTPRequest("GET", "ws://socket.invalid/"), silence: 600)
      }
      #expect(error == .proxy("it answered 407"))
    }

    @Test func `a port where nobody listens refuses`() async throws {
      let port = try LoopbackListener().port  // closed again by now
      let http = CurlHTTP(proxy: ProxySettings(), version: "0")
      let error = await failure { () async throws(TransportError) in
        try await http.open(HTTPRequest("GET", "ws://127.0.0.1:\(port)/"), silence: 600)
      }
      #expect(error == .refused)
    }

    @Test func `a connection that does not stand in time is given up`() async throws {
      let listener = try LoopbackListener()  // which answers no handshake
      let http = CurlHTTP(proxy: ProxySettings(), version: "0")
      let error = await failure { () async throws(TransportError) in
        try await http.open(
          HTTPRequest("GET", "wss://127.0.0.1:\(listener.port)/", connectTimeout: 0.2), silence: 600)
      }
      #expect(error == .connectTimeout)
    }
  }
}

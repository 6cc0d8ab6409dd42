import TestSupport
import Testing

@testable import Transport

@Suite struct ProxySettingsTests {
  @Test func `each scheme has its variable, and all_proxy stands in`() {
    #expect(ProxySettings(environment: [:]) == ProxySettings())
    #expect(ProxySettings(environment: ["http_proxy": "a"]) == ProxySettings(http: "a"))
    #expect(ProxySettings(environment: ["HTTPS_PROXY": "b"]) == ProxySettings(https: "b"))
    #expect(
      ProxySettings(environment: ["all_proxy": "c", "https_proxy": "b", "NO_PROXY": "d,e"])
        == ProxySettings(http: "c", https: "b", exceptions: "d,e"))
  }

  @Test func `the lower-case form comes first, and an empty one counts as unset`() {
    #expect(ProxySettings(environment: ["https_proxy": "a", "HTTPS_PROXY": "b"]).https == "a")
    #expect(ProxySettings(environment: ["https_proxy": "", "ALL_PROXY": "b"]).https == "b")
  }

  @Test func `HTTP_PROXY is not read, as anyone who sends a CGI program a header could set it`() {
    #expect(ProxySettings(environment: ["HTTP_PROXY": "a"]).http == nil)
  }
}

extension WithServer {
  @Suite struct ProxyTests {
    @Test func `a request goes through the proxy`() async throws {
      let server = try WithServer.server
      let http = CurlHTTP(proxy: ProxySettings(http: server.address), version: "0")
      let response = try await http.send(HTTPRequest("GET", "http://model.invalid/ok/by-proxy/v1/models"))
      #expect(response.status == 200)
      #expect(try server.requests(containing: "by-proxy").map(\.path) == ["http://model.invalid/ok/by-proxy/v1/models"])
    }

    @Test func `an exception goes straight to its server`() async throws {
      let server = try WithServer.server
      let proxy = ProxySettings(http: "http://127.0.0.1:1", exceptions: "other.example,127.0.0.1")
      let http = CurlHTTP(proxy: proxy, version: "0")
      #expect(try await http.send(HTTPRequest("GET", "\(server.address)/ok/v1/models")).status == 200)
    }

    @Test(arguments: ["http://127.0.0.1:1", "127.0.0.1:1", "socks5h://127.0.0.1:1"])
    func `a proxy that cannot be reached is told from a server that cannot`(address: String) async throws {
      let http = CurlHTTP(proxy: ProxySettings(http: address, exceptions: "127.0.0.1"), version: "0")
      let byProxy = await failure { () async throws(TransportError) in
        try await http.send(HTTPRequest("GET", "http://model.invalid/"))
      }
      #expect(byProxy == .proxy("connection refused"))
      let straight = await failure { () async throws(TransportError) in
        try await http.send(HTTPRequest("GET", "http://127.0.0.1:2/"))
      }
      #expect(straight == .refused)
    }

    @Test(arguments: [
      "127.0.0.1", "localhost", "LOCALHOST.", "[::1]", "127.1.2.3", "a.localhost", "[::ffff:127.0.0.1]",
      "0.0.0.0", "127.1", "0x7f000001", "2130706433", "127.0.0.1.", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:0.0.0.0]",
    ])
    func `this machine is asked straight`(host: String) {
      let proxy = ProxySettings(http: "http://10.0.0.9:3128", https: "http://10.0.0.9:3128")
      #expect(proxy.proxy(for: "http://\(host):8080/v1") == nil && proxy.proxy(for: "https://\(host)/") == nil)
    }

    @Test(arguments: ["10.0.0.7", "gpu1", "localhost.de", "127.0.0.1.example", "0.0.0.1", "134744072", "[::2]"])
    func `any other is asked by the proxy`(host: String) {
      #expect(
        ProxySettings(http: "http://10.0.0.9:3128").proxy(for: "http://\(host):8080/v1") == "http://10.0.0.9:3128")
    }

    @Test func `a proxy that refuses to connect says with which status`() async throws {
      let http = CurlHTTP(proxy: ProxySettings(https: try WithServer.server.address), version: "0")
      let error = await failure { () async throws(TransportError) in
        try await http.send(HTTPRequest("GET", "https://model.invalid/"))
      }
      #expect(error == .proxy("it answered 407"))
    }

    @Test func `an https proxy is refused, but only where it would be used`() async throws {
      let server = try WithServer.server
      let proxy = ProxySettings(http: "HTTPS://proxy.invalid:3128", exceptions: "127.0.0.1")
      let http = CurlHTTP(proxy: proxy, version: "0")
      let error = await failure { () async throws(TransportError) in
        try await http.send(HTTPRequest("GET", "http://model.invalid/"))
      }
      #expect(error == .proxy("an https:// proxy is not supported; use http:// or socks5h://"))
      #expect(try await http.send(HTTPRequest("GET", "\(server.address)/ok/v1/models")).status == 200)
    }
  }
}

import Chat
import TestSupport
import Testing
import Wire

@testable import Backends
@testable import Transport

@Suite struct ToolChallengeTests {
  private func response(_ status: Int, _ headers: String...) -> HTTPResponse {
    let headers = headers.map { (name: "WWW-Authenticate", value: $0) }
    return HTTPResponse(status: status, headers: headers, body: ScriptedBody([], whenSilent: {}))
  }

  @Test func `a header has several challenges, between the same commas as their parameters`() {
    let header =
      #"Basic realm="a, \"b\" = c", charset="UTF-8", , Negotiate YWJj==, BEARER  Realm = tools ,resource_metadata="https://a/b?c=d,e",scope="x y""#
    let all = Challenge.all(in: header)
    #expect(all.map(\.scheme).filter { $0 != "ywjj" } == ["basic", "negotiate", "bearer"])
    #expect(all.first?["realm"] == #"a, "b" = c"# && all.first?["charset"] == "UTF-8")
    #expect(all.last?["realm"] == "tools" && all.last?["scope"] == "x y")
    #expect(all.last?["resource_metadata"] == "https://a/b?c=d,e")
  }

  @Test(arguments: [
    ("Bearer", [:]), ("", [:]), (",,", [:]), ("Bearer error=\"x", ["error": "x"]),
    ("Bearer ,=, scope=a", ["scope": "a"]),
    ("Bearer resource_metadata=https://a/b?x=1, error=y", ["resource_metadata": "https://a/b?x=1", "error": "y"]),
    ("Bearer scope=\"a\", scope=\"b\"", ["scope": "a"]), ("Bearer scope=\"\\", ["scope": "\\"]),
    ("Bearer scope=\"\\\"\"", ["scope": "\""]), ("Bearer \u{1}\u{fe}, scope=a", ["scope": "a"]),
  ])
  func `what is written badly costs no more than itself`(header: String, expected: [String: String]) {
    #expect(Challenge.all(in: header).last?.parameters ?? [:] == expected)
  }

  @Test func `any bytes are read to their end`() {
    var random = SeededNumbers(seed: 7)
    let letters = Array(#"Bearer scope="a b",=\ ü"# + "\t\u{0}").map(String.init)
    for _ in 0..<3000 {
      let header = (0..<random.below(24)).map { _ in random.pick(letters) }.joined()
      #expect(Challenge.all(in: header).count <= header.count)
    }
  }

  @Test func `a demand is read from the challenge that says most`() {
    let url = "https://tools.lan/mcp"
    let demand = ResourceDemand(
      response(
        401, "Basic realm=x", #"Bearer realm="old""#, #"Bearer resource_metadata="https://tools.lan/m", scope="a b""#),
      to: url)
    #expect(demand == ResourceDemand(url: url, metadata: "https://tools.lan/m", scope: "a b"))
    #expect(ResourceDemand(response(401), to: url) == ResourceDemand(url: url))
    #expect(ResourceDemand(response(403), to: url) == nil)
    #expect(ResourceDemand(response(403, #"Bearer error="invalid_token""#), to: url) == nil)
    let step = response(403, #"Bearer error="insufficient_scope", scope="write""#)
    #expect(ResourceDemand(step, to: url) == ResourceDemand(url: url, scope: "write", lacksScope: true))
  }

  @Test func `rights are joined without doubles, and what is no right is left out`() {
    var scopes = Scopes("read  write")
    scopes.add("write admin r\u{e9}ad a\"b")
    #expect(scopes.text == "read write admin")
    #expect(Scopes(nil).text == nil && Scopes(" ").text == nil)
  }
}

@Suite struct ToolMetadataTests {
  private static let wellKnown = "/.well-known/oauth-protected-resource"

  @Test(arguments: [
    ("https://a.lan/mcp", ["https://a.lan\(wellKnown)/mcp", "https://a.lan\(wellKnown)"]),
    ("https://a.lan:8443/x/mcp/?q=1", ["https://a.lan:8443\(wellKnown)/x/mcp", "https://a.lan:8443\(wellKnown)"]),
    ("https://A.lan:443/", ["https://a.lan\(wellKnown)"]), ("ftp://a.lan/mcp", []),
  ])
  func `a server is looked for with its path and without`(url: String, places: [String]) {
    #expect(ProtectedResource.places(of: url) == places)
  }

  @Test(arguments: [
    ("https://a.lan/mcp", true), ("https://a.lan/mcp/", true), ("https://a.lan", true), ("https://a.lan/", true),
    ("https://A.LAN:443/mcp", true), ("https://a.lan/mc", false), ("https://a.lan/mcp/x", false),
    ("http://a.lan/mcp", false), ("https://b.lan/mcp", false), ("https://a.lan.evil/mcp", false), ("a.lan/mcp", false),
    ("https://a.lan@evil/mcp", false),
  ])
  func `a description must be about the server that was asked`(resource: String, isAbout: Bool) {
    let json: JSON = ["resource": .string(resource), "authorization_servers": ["https://idp.lan", 7]]
    let read = ProtectedResource(json, for: "https://a.lan/mcp")
    #expect((read != nil) == isAbout)
    #expect(read?.url == (isAbout ? resource : nil) && read?.issuers == (isAbout ? ["https://idp.lan"] : nil))
    #expect(ProtectedResource(["authorization_servers": []], for: "https://a.lan/mcp") == nil)
  }

  @Test(arguments: [
    (
      "https://idp.lan/realms/x",
      [
        "https://idp.lan/.well-known/oauth-authorization-server/realms/x",
        "https://idp.lan/.well-known/openid-configuration/realms/x",
        "https://idp.lan/realms/x/.well-known/openid-configuration",
      ]
    ),
    (
      "http://127.0.0.1:8810/",
      [
        "http://127.0.0.1:8810/.well-known/oauth-authorization-server",
        "http://127.0.0.1:8810/.well-known/openid-configuration",
      ]
    ),
    ("nonsense", []),
  ])
  func `an issuer is looked for in two places or three`(issuer: String, places: [String]) {
    #expect(AuthorizationServer.places(of: issuer) == places)
  }

  private static let whole: JSON = [
    "issuer": "https://idp.lan/", "authorization_endpoint": "https://idp.lan/a", "token_endpoint": "https://idp.lan/t",
    "code_challenge_methods_supported": ["plain", "S256"],
  ]

  private func refusal(_ json: JSON, issuer: String = "https://idp.lan/") -> AuthorizationServer.Refusal? {
    do throws(AuthorizationServer.Refusal) {
      _ = try AuthorizationServer(json, issuer: issuer)
      return nil
    } catch { return error }
  }

  @Test func `an issuer is who it was asked for, letter for letter`() {
    #expect(refusal(Self.whole) == nil)
    for issuer in ["https://idp.lan", "https://IDP.lan/", "https://idp.lan/x", "http://idp.lan/"] {
      #expect(refusal(Self.whole, issuer: issuer) == .anotherIssuer)
    }
  }

  @Test func `without a proof for the code nobody is signed in`() {
    var json = Self.whole
    json["code_challenge_methods_supported"] = ["plain"]
    #expect(refusal(json) == .noPKCE)
    json["code_challenge_methods_supported"] = nil
    #expect(refusal(json) == .noPKCE)
    json["token_endpoint"] = nil
    #expect(refusal(json) == .incomplete)
  }

  @Test func `an issuer that lists no public clients is not refused for that`() {
    var json = Self.whole
    json["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    #expect(refusal(json) == nil)
  }
}

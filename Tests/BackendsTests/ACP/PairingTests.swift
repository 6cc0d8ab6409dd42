import Chat
import Testing
import Wire

@testable import Backends

@Suite struct PairingTests {
  private static let digits = String(repeating: "0AbC", count: 16)
  private static let colons = stride(from: 0, to: 64, by: 2).map { String(Array(digits)[$0..<$0 + 2]) }

  private func problem(_ text: String, plain: Bool = false) -> PairingProblem? {
    do throws(PairingProblem) {
      _ = try PairingText(text, plain: plain)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    digits, digits.lowercased(), "SHA256:" + digits, colons.joined(separator: ":"), colons.joined(separator: "%3A"),
    "SHA256%3A" + colons.joined(separator: "%3a"),
  ])
  func `a link names its host, its code and a certificate`(fingerprint: String) throws {
    let text = " https://192.168.1.5:8765/pair/local?code=482913&fp=\(fingerprint)\n"
    guard case .link(let link) = try PairingText(text) else {
      Issue.record("no link")
      return
    }
    #expect(link.url == "https://192.168.1.5:8765/pair/local")
    #expect(link.address == "https://192.168.1.5:8765/pair/local?code=482913")
    #expect(link.fingerprint == Fingerprint(text: PairingTests.digits))
  }

  @Test func `what is no code says why`() {
    #expect(problem("") == .empty)
    #expect(problem("hello there") == .unknown)
    #expect(problem("{\"agentId\": ") == .unknown)
    #expect(problem("ftp://host/pair/local?code=1") == .scheme("ftp"))
    #expect(problem("https://user@host/pair/local?code=1") == .badAddress)
    #expect(problem("https://host:99999/pair/local?code=1") == .badAddress)
    #expect(problem("https://host/") == .otherPath("/"))
    #expect(problem("https://host") == .otherPath("/"))
    #expect(problem("https://host/pairing?code=1") == .otherPath("/pairing"))
    #expect(problem("https://host/pair/local") == .noCode)
    #expect(problem("https://host/pair/local?code=") == .noCode)
    #expect(problem("https://host/pair/local?code=12%2634") == .badCode)
    #expect(problem("https://host/pair/local?code=1&fp=12:34") == .badFingerprint)
    #expect(problem("https://host/pair/local?code=1&fp=") == .badFingerprint)
    #expect(problem("http://host.example/pair/local?code=1") == .inTheClear(host: "host.example"))
    #expect(problem("http://host.example/pair/local?code=1", plain: true) == nil)
    #expect(problem("http://127.0.0.1:8765/pair/local?code=1") == nil)
    #expect(problem("https://box.example.ts.net/pair/tailscale?code=123456") == nil)
  }

  private func credentials(_ changes: [String: JSON?] = [:]) -> JSON {
    var json: JSON = [
      "agentId": "a-1", "url": "wss://192.168.1.5:8765", "protocol": "acp", "version": "1.0", "authToken": "token",
      "cwd": "/work", "certFingerprint": .string("SHA256:" + PairingTests.digits),
      "pushRelayUrl": "https://push.example",
    ]
    for (key, value) in changes { json[key] = value }
    return json
  }

  @Test func `credentials are taken field by field`() throws {
    let pairing = try Pairing(credentials())
    #expect((pairing.agent, pairing.url, pairing.folder) == ("a-1", "wss://192.168.1.5:8765", "/work"))
    #expect(pairing.token == Secret("token"))
    #expect(pairing.fingerprint == Fingerprint(text: PairingTests.digits))
    #expect(pairing.pass == nil)
    let gated = try Pairing(
      credentials([
        "url": "https://agent.example.com", "certFingerprint": nil, "clientId": "id.access", "clientSecret": "secret",
        "cwd": nil,
      ]))
    #expect(gated.url == "wss://agent.example.com")
    #expect(gated.pass == GatePass(id: "id.access", secret: Secret("secret")))
    #expect((gated.folder, gated.fingerprint) == (nil, nil))
    guard case .credentials = try PairingText(credentials().serialized()) else {
      Issue.record("no credentials")
      return
    }
  }

  @Test(
    arguments: [
      (["protocol": "mcp"], .otherProtocol("mcp")), (["protocol": nil], .missing("protocol")),
      (["agentId": nil], .missing("agentId")), (["agentId": ""], .missing("agentId")), (["url": nil], .missing("url")),
      (["url": "file:///etc"], .missing("url")), (["url": "wss://a@b"], .missing("url")),
      (["url": "ws://192.168.1.5:8765"], .inTheClear(host: "192.168.1.5:8765")),
      (["authToken": nil], .missing("authToken")), (["authToken": "a b"], .missing("authToken")),
      (["authToken": "a\r\nX: y"], .missing("authToken")), (["certFingerprint": "12"], .badFingerprint),
      (["clientId": "id"], .missing("clientSecret")), (["clientSecret": "s"], .missing("clientId")),
      (["clientId": "a\nb", "clientSecret": "s"], .missing("clientId")),
    ] as [([String: JSON?], PairingProblem)])
  func `credentials that cannot be used say which field`(_ changes: [String: JSON?], _ expected: PairingProblem) {
    do throws(PairingProblem) {
      _ = try Pairing(credentials(changes))
      Issue.record("taken")
    } catch { #expect(error == expected) }
  }

  @Test func `a bridge is where its address says`() {
    #expect(BridgeAddress("WSS://Host:8765")?.description == "host:8765")
    #expect(BridgeAddress("wss://host/agent")?.httpURL == "https://host/agent")
    #expect(BridgeAddress("ws://127.0.0.1:8765")?.isInTheClear == false)
    #expect(BridgeAddress("ws://10.0.0.7:8765")?.isInTheClear == true)
    for text in ["https://host", "wss://", "wss://user@host", "wss://host?token=x", "wss://host/#a", "host:8765"] {
      #expect(BridgeAddress(text) == nil)
    }
  }
}

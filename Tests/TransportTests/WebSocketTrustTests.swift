import Chat
import Foundation
import TestSupport
import Testing

@testable import Transport

extension WithWebSockets {
  @Suite(.enabled(if: Identities.openssl != nil, "openssl is not on the path")) struct WebSocketTrustTests {
    private func open(
      _ trust: ToldTrust, at server: WebSocketServer, by proxy: ProxySettings = ProxySettings(),
      host: String = "localhost"
    ) async throws(TransportError) -> any WebSocket {
      let cast: Cast
      do { cast = try await Cast.get() } catch { throw .other("\(error)") }
      let request = HTTPRequest(
        "GET", "wss://\(host):\(server.port)/echo/key", headers: [("X-Bridge-Token", "s3cret")])
      return try await CurlHTTP(trust, proxy: proxy, in: cast).open(request, silence: 600)
    }

    private func make(
      _ identity: @escaping @Sendable (Cast) throws -> Identity
    ) async throws -> (Identity, WebSocketServer) {
      let cast = try await Cast.get()
      return try await onItsOwnThread {
        let identity = try identity(cast)
        return (identity, try WebSocketServer(identity))
      }
    }

    @Test func `a pinned certificate is spoken to`() async throws {
      let (identity, server) = try await make { try $0.make.make("a") }
      let trust = ToldTrust(TrustExpectation(pin: try Pin(identity)))
      let socket = try await open(trust, at: server)
      let message = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
      for _ in 1...3 { try await socket.send(message) }
      for _ in 1...3 { #expect(try await socket.receive() == message) }
      #expect(trust.pinUses == ["localhost"])
      socket.close()
      #expect(try await socket.receive() == nil)
      #expect(try await eventually { try server.events("close") == ["1000"] })
    }

    @Test func `a certificate that the system trusts is spoken to`() async throws {
      let (_, server) = try await make { try $0.make.make("a", issuer: $0.root) }
      let trust = ToldTrust()
      let socket = try await open(trust, at: server)
      try await socket.send("hello")
      #expect(try await socket.text() == "hello")
      #expect(trust.notes == ["localhost"])
    }

    @Test func `another certificate than the pinned one sees nothing of the request`() async throws {
      let (_, server) = try await make { try $0.make.make("a") }
      let cast = try await Cast.get()
      let before = try Pin(try await onItsOwnThread { try cast.make.make("a") })
      let trust = ToldTrust(TrustExpectation(pin: before))
      let error = await failure { () async throws(TransportError) in try await open(trust, at: server) }
      guard case .untrusted(let distrust) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(distrust.before == .pinned(before))
      #expect(try await eventually { try server.events("gone").count == 1 })
      #expect(try server.events("accept").count == 1)
      #expect(try server.events("bytes").isEmpty)
    }

    @Test func `a certificate that nobody trusts sees nothing of the request`() async throws {
      let (_, server) = try await make { try $0.make.make("a") }
      let error = await failure { () async throws(TransportError) in try await open(ToldTrust(), at: server) }
      #expect(error?.isUntrusted == true)
      #expect(try await eventually { try server.events("gone").count == 1 })
      #expect(try server.events("bytes").isEmpty)
    }

    @Test func `a pin that is taken back between the handshake and the request counts`() async throws {
      let (identity, server) = try await make { try $0.make.make("a") }
      let trust = ForgetfulTrust(try Pin(identity))
      let cast = try await Cast.get()
      let http = CurlHTTP(trust, in: cast)
      let error = await failure { () async throws(TransportError) in
        try await http.open(HTTPRequest("GET", "wss://localhost:\(server.port)/echo/key"), silence: 600)
      }
      #expect(error?.isUntrusted == true)
      #expect(try await eventually { try server.events("gone").count == 1 })
      #expect(try server.events("bytes").isEmpty)
    }
  }
}

extension TransportError {
  fileprivate var isUntrusted: Bool { if case .untrusted = self { true } else { false } }
}

/// Expects a pin once, and then nothing any more.
private final class ForgetfulTrust: Trust, @unchecked Sendable {
  private let lock = NSLock()
  private var pin: Pin?

  init(_ pin: Pin) { self.pin = pin }

  func expectation(of host: String, port: Int) -> TrustExpectation {
    lock.withLock {
      defer { pin = nil }
      return TrustExpectation(pin: pin)
    }
  }

  func noteSystemTrust(in host: String, port: Int) {}
}

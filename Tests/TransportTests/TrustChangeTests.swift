import Chat
import Foundation
import TestSupport
import Testing

@testable import Transport

extension WithTLS {
  /// What follows when trust changes while connections stand.
  @Suite struct TrustChangeTests {
    @Test(arguments: Speech.all)
    func `two requests take one connection while nothing changes`(speech: Speech) async throws {
      let stage = try await Stage.set(speech) { try $0.make.make("a", issuer: $0.root) }
      #expect(await stage.ask() == .success("ok"))
      #expect(await stage.ask() == .success("ok"))
      #expect(try stage.server.events("accept").count == 1)
      #expect(try stage.server.events("request").count == 2)
      #expect(stage.trust.notes == ["localhost"])
    }

    @Test(arguments: Speech.all)
    func `a pin that is gone counts from the next request on, on new connections and old`(speech: Speech)
      async throws
    {
      let stage = try await Stage.set(speech) { try $0.make.make("a") }
      stage.trust.tell(TrustExpectation(pin: try Pin(stage.identity)))
      #expect(await stage.ask() == .success("ok"))
      stage.trust.tell(TrustExpectation())
      #expect(await stage.ask().distrust?.before == .nothing)
      #expect(await stage.ask().distrust?.before == .nothing)
      try await stage.expectOneRequest(on: 3)
    }

    @Test(arguments: Speech.all)
    func `a pin that is another counts from the next request on`(speech: Speech) async throws {
      let stage = try await Stage.set(speech) { try $0.make.make("a") }
      stage.trust.tell(TrustExpectation(pin: try Pin(stage.identity)))
      #expect(await stage.ask() == .success("ok"))
      let other = try Pin(try await stage.make { cast, _ in try cast.make.make("a") })
      stage.trust.tell(TrustExpectation(pin: other))
      let distrust = await stage.ask().distrust
      #expect(distrust?.before == .pinned(other))
      #expect(distrust?.certificate.der == (try stage.identity.der))
      try await stage.expectOneRequest(on: 2)
    }

    @Test(arguments: Speech.all)
    func `authorities that are taken away vouch for no connection that stands`(speech: Speech) async throws {
      let stage = try await Stage.set(speech) { try $0.make.make("a", issuer: $0.privateRoot) }
      let authorities = stage.cast.privateRoot.certificate.path
      stage.trust.tell(TrustExpectation(authorities: authorities))
      #expect(await stage.ask() == .success("ok"))
      #expect(await stage.ask() == .success("ok"))
      #expect(try stage.server.events("accept").count == 1)
      stage.trust.tell(TrustExpectation())
      #expect(await stage.ask().distrust?.certificate.problems == [.unknownIssuer])
      #expect(try await stage.server.connectionsAreGone(2))
      #expect(try stage.server.events("request").count == 2)
      #expect(stage.trust.notes.isEmpty)
    }

    @Test(arguments: Speech.all)
    func `a new certificate that is pinned by then is taken without an error`(speech: Speech) async throws {
      let stage = try await Stage.set(speech) { try $0.make.make("a") }
      stage.trust.tell(TrustExpectation(pin: try Pin(stage.identity)))
      #expect(await stage.ask() == .success("ok"))
      let renewed = try await stage.make { try $0.make.make("a", sameKeyAs: $1) }
      try stage.server.show(renewed)
      stage.trust.tell(TrustExpectation(pin: try Pin(renewed)))
      #expect(await stage.ask() == .success("ok"))
      #expect(await stage.ask() == .success("ok"))
      #expect(try stage.server.events("accept").count == 2)
      #expect(try stage.server.events("request").map(\.connection) == [0, 1, 1])
    }

    @Test(arguments: Speech.all)
    func `a renewed certificate is a change, and its key is known again`(speech: Speech) async throws {
      let stage = try await Stage.set(speech) { try $0.make.make("a") }
      let pin = try Pin(stage.identity)
      stage.trust.tell(TrustExpectation(pin: pin))
      #expect(await stage.ask() == .success("ok"))
      try stage.server.show(try await stage.make { try $0.make.make("a", sameKeyAs: $1) })
      stage.http.forgetConnections()
      let distrust = await stage.ask().distrust
      #expect(distrust?.before == .pinned(pin))
      #expect(distrust?.certificate.keyFingerprint == pin.keyFingerprint)
      #expect(distrust?.certificate.fingerprint != pin.fingerprint)
      try await stage.expectOneRequest(on: 2)
    }

    @Test func `a server that the system trusted once has changed when it does not`() async throws {
      let stage = try await Stage.set(Speech.all[0]) { try $0.make.make("a") }
      stage.trust.tell(TrustExpectation(wasTrustedBySystem: true))
      #expect(await stage.ask().distrust?.before == .system)
    }

    @Test func `where the entry of a server cannot be read only the system is believed`() async throws {
      let stage = try await Stage.set(Speech.all[0]) { try $0.make.make("a") }
      stage.trust.tell(TrustExpectation(damagedLine: 7))
      #expect(await stage.ask().distrust?.before == .damaged(line: 7))
      try stage.server.show(try await stage.make { cast, _ in try cast.make.make("a", issuer: cast.root) })
      #expect(await stage.ask() == .success("ok"))
    }

    @Test(arguments: Speech.all)
    func `connections that are forgotten are not used, and no session is resumed`(speech: Speech) async throws {
      let stage = try await Stage.set(speech) { try $0.make.make("a", issuer: $0.root) }
      for _ in 1...3 {
        #expect(await stage.ask() == .success("ok"))
        stage.http.forgetConnections()
      }
      #expect(try stage.server.events("request").map(\.connection) == [0, 1, 2])
      #expect(try stage.server.events("handshake").allSatisfy { $0.resumed == false })
      #expect(try await stage.server.connectionsAreGone(3))
    }

    @Test func `a file of authorities that cannot be read vouches for nobody, and is named`() async throws {
      let stage = try await Stage.set(Speech.all[0]) { try $0.make.make("a", issuer: $0.privateRoot) }
      let junk = stage.cast.folder.appendingPathComponent("junk.pem").path
      try Data("-----BEGIN CERTIFICATE-----\njunk\n-----END CERTIFICATE-----\n".utf8).write(
        to: URL(fileURLWithPath: junk))
      let paths = ["/nowhere/authorities.pem", "/dev/null", junk]
      for path in paths {
        #expect(Authorities.count(in: path) == nil)
        stage.trust.tell(TrustExpectation(authorities: path))
        #expect(await stage.ask() == .failure(.tls("the authorities in \(path) cannot be read")))
        // A fingerprint can still be compared, so that the file can be given up.
        let look = await stage.look()
        let der = try stage.identity.der
        #expect(look.failure == nil && look.certificate?.der == der)
        #expect(look.verdict == .distrusted(.authorities(file: path)))
      }
      #expect(try stage.server.events("bytes").isEmpty)

      try stage.server.show(try await stage.make { cast, _ in try cast.make.make("a", issuer: cast.root) })
      for path in paths {
        stage.trust.tell(TrustExpectation(authorities: path))
        #expect(await stage.ask() == .success("ok"))
        #expect(await stage.look().verdict == .system)
        stage.http.forgetConnections()
      }
    }

    @Test func `the certificates of a file of authorities are counted`() async throws {
      let cast = try await Cast.get()
      let both = cast.folder.appendingPathComponent("both.pem")
      try (Data(contentsOf: cast.root.certificate) + Data(contentsOf: cast.privateRoot.certificate)).write(to: both)
      #expect(Authorities.count(in: cast.root.certificate.path) == 1)
      #expect(Authorities.count(in: both.path) == 2)
      #expect(Authorities.count(in: cast.root.key.path) == nil)
    }
  }

  /// The legs by a proxy (docs/rules.md T8).
  @Suite struct TrustByProxyTests {
    @Test(arguments: ["http", "socks5h"])
    func `trust is in the server behind the proxy`(kind: String) async throws {
      let cast = try await Cast.get()
      let (identity, server) = try await onItsOwnThread {
        let identity = try cast.make.make("a", names: "DNS:origin.invalid")
        return (identity, try TLSServer(identity, proxy: kind))
      }
      let trust = ToldTrust()
      let proxy = ProxySettings(https: "\(kind)://127.0.0.1:\(server.port)")
      let http = CurlHTTP(trust, proxy: proxy, in: cast)
      let url = "https://origin.invalid/v1"

      let look = await http.inspect(url, connectTimeout: 10)
      #expect((look.host, look.port, look.addresses, look.failure) == ("origin.invalid", 443, [], nil))
      #expect(look.verdict == .distrusted(.nothing))
      #expect(await http.ask(url).distrust?.certificate == look.certificate)
      #expect(try await server.connectionsAreGone(2))
      #expect(try server.events("bytes").isEmpty)

      trust.tell(TrustExpectation(pin: try Pin(identity)))
      #expect(await http.ask(url) == .success("ok"))
      #expect(await http.ask(url) == .success("ok"))
      let tunnels = try server.events("tunnel").compactMap(\.text)
      #expect(tunnels.count == 3)
      #expect(tunnels.allSatisfy { $0.contains("origin.invalid") && !$0.contains("s3cret") })

      trust.tell(TrustExpectation())
      #expect(await http.ask(url).distrust != nil)
      #expect(try server.events("request").count == 2)
    }
  }
}

/// A server, its certificate, and a client that is told whom to trust.
private struct Stage: Sendable {
  let cast: Cast
  let identity: Identity
  let server: TLSServer
  let trust = ToldTrust()
  let http: CurlHTTP

  static func set(_ speech: Speech, _ make: @escaping @Sendable (Cast) throws -> Identity) async throws -> Stage {
    let cast = try await Cast.get()
    return try await onItsOwnThread { try Stage(cast, speech, try make(cast)) }
  }

  private init(_ cast: Cast, _ speech: Speech, _ identity: Identity) throws {
    self.cast = cast
    self.identity = identity
    server = try TLSServer(identity, http: speech.http, version: speech.version)
    http = CurlHTTP(trust, in: cast)
  }

  /// Another certificate, given the first.
  func make(_ make: @escaping @Sendable (Cast, Identity) throws -> Identity) async throws -> Identity {
    try await onItsOwnThread { try make(cast, identity) }
  }

  func ask() async -> Result<String, TransportError> { await http.ask("https://localhost:\(server.port)/v1") }

  func look() async -> Inspection {
    await http.inspect("https://localhost:\(server.port)/v1", connectTimeout: 10)
  }

  /// The first connection's; all others ended before a byte of a request.
  func expectOneRequest(on connections: Int) async throws {
    #expect(try await server.connectionsAreGone(connections))
    #expect(try server.events("accept").count == connections)
    #expect(try server.events("bytes").map(\.connection) == [0])
    #expect(try server.events("request").map(\.connection) == [0])
  }
}

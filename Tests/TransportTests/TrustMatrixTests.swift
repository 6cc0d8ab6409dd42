import Chat
import Foundation
import TestSupport
import Testing

@testable import Transport

/// One row of the proof (docs/rules.md 2.6): what a server shows, what is expected of it, what must follow.
struct TrustCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    case system, pinned, authorities
    case refused([ServerCertificate.Problem])
  }

  var testDescription: String
  var host: String
  /// What the server shows, and what was pinned before.
  var shown: @Sendable (Cast) throws -> (Identity, pin: Identity?)
  var hasAuthorities = false
  var outcome: Outcome

  init(
    _ description: String, host: String? = nil, byAddress: Bool = false, authorities: Bool = false, _ outcome: Outcome,
    shown: @escaping @Sendable (Cast) throws -> (Identity, pin: Identity?)
  ) {
    testDescription = description
    self.host = host ?? (byAddress ? "127.0.0.1" : "localhost")
    hasAuthorities = authorities
    self.outcome = outcome
    self.shown = shown
  }
}

private func pinned(_ make: @escaping @Sendable (Cast) throws -> Identity)
  -> @Sendable (Cast) throws -> (Identity, pin: Identity?)
{
  { cast in
    let identity = try make(cast)
    return (identity, identity)
  }
}

private func unpinned(_ make: @escaping @Sendable (Cast) throws -> Identity)
  -> @Sendable (Cast) throws -> (Identity, pin: Identity?)
{
  { cast in (try make(cast), nil) }
}

private let cases: [TrustCase] = [
  TrustCase("an authority's, by name", .system, shown: unpinned { try $0.make.make("a", issuer: $0.root) }),
  TrustCase(
    "an authority's, by address", byAddress: true, .system, shown: unpinned { try $0.make.make("a", issuer: $0.root) }),
  TrustCase("an authority's with another pin", .system) { cast in
    (try cast.make.make("a", issuer: cast.root), pin: try cast.make.make("a"))
  },
  TrustCase(
    "an authority's by its name alone", .system,
    shown: unpinned { try $0.make.make("localhost", names: nil, issuer: $0.root) }),
  TrustCase("for another name", .refused([.wrongName]), shown: unpinned { try $0.other(issuer: $0.root) }),
  TrustCase(
    "for another address", byAddress: true, .refused([.wrongName]), shown: unpinned { try $0.other(issuer: $0.root) }),
  TrustCase(
    "for the name, asked by address", byAddress: true, .refused([.wrongName]),
    shown: unpinned { try $0.make.make("127.0.0.1", names: "DNS:localhost", issuer: $0.root) }),
  TrustCase(
    "for a part of a name", host: "kz.lan.localhost", .refused([.wrongName]),
    shown: unpinned { try $0.make.make("a", names: "DNS:k*.lan.localhost", issuer: $0.root) }),
  TrustCase("for another name, pinned", .pinned, shown: pinned { try $0.other(issuer: $0.root) }),
  TrustCase("self-signed", .refused([.selfSigned]), shown: unpinned { try $0.make.make("a") }),
  TrustCase("self-signed, pinned", .pinned, shown: pinned { try $0.make.make("a") }),
  TrustCase(
    "self-signed, by address", byAddress: true, .refused([.selfSigned]), shown: unpinned { try $0.make.make("a") }),
  TrustCase("self-signed, by address, pinned", byAddress: true, .pinned, shown: pinned { try $0.make.make("a") }),
  TrustCase("the same name with an attacker's key", .refused([.selfSigned])) { cast in
    (try cast.make.make("a"), pin: try cast.make.make("a"))
  },
  TrustCase("renewed with the same key", .refused([.selfSigned])) { cast in
    let before = try cast.make.make("a")
    return (try cast.make.make("a", until: 3, sameKeyAs: before), pin: before)
  },
  TrustCase("signed by the pinned key", .refused([.unknownIssuer])) { cast in
    let before = try cast.make.make("a", isAuthority: true)
    return (try cast.make.make("b", issuer: before), pin: before)
  },
  TrustCase("self-signed for another name", .refused([.selfSigned, .wrongName]), shown: unpinned { try $0.other() }),
  TrustCase("self-signed for another name, pinned", .pinned, shown: pinned { try $0.other() }),
  TrustCase(
    "expired", .refused([.expired]), shown: unpinned { try $0.make.make("a", from: -3, until: -1, issuer: $0.root) }),
  TrustCase("expired, pinned", .pinned, shown: pinned { try $0.make.make("a", from: -3, until: -1) }),
  TrustCase(
    "not yet valid, self-signed and for another name", .refused([.selfSigned, .wrongName, .notYetValid]),
    shown: unpinned { try $0.make.make("a", names: "DNS:other.example", from: 1, until: 2) }),
  TrustCase(
    "a private authority's", .refused([.unknownIssuer]),
    shown: unpinned { try $0.make.make("a", issuer: $0.privateRoot) }),
  TrustCase("a private authority's, pinned", .pinned, shown: pinned { try $0.make.make("a", issuer: $0.privateRoot) }),
  TrustCase(
    "a private authority's that the person named", authorities: true, .authorities,
    shown: unpinned { try $0.make.make("a", issuer: $0.privateRoot) }),
  TrustCase(
    "a named authority's for another name", authorities: true, .refused([.unknownIssuer, .wrongName]),
    shown: unpinned { try $0.other(issuer: $0.privateRoot) }),
  TrustCase(
    "self-signed where a named authority is expected", authorities: true, .refused([.selfSigned]),
    shown: unpinned { try $0.make.make("a") }),
  TrustCase(
    "RSA with 1024 bits", .refused([.selfSigned, .weakKey]), shown: unpinned { try $0.make.make("a", key: .rsa1024) }),
  TrustCase(
    "RSA with 1024 bits, pinned", .refused([.selfSigned, .weakKey]),
    shown: pinned { try $0.make.make("a", key: .rsa1024) }),
  TrustCase("RSA with 2048 bits, pinned", .pinned, shown: pinned { try $0.make.make("a", key: .rsa2048) }),
  TrustCase(
    "signed with SHA-1", .refused([.selfSigned, .weakSignature]),
    shown: unpinned { try $0.make.make("a", key: .rsa2048, digest: "sha1") }),
  TrustCase(
    "signed with SHA-1, pinned", .pinned, shown: pinned { try $0.make.make("a", key: .rsa2048, digest: "sha1") }),
]

extension Cast {
  fileprivate func other(issuer: Identity? = nil) throws -> Identity {
    try make.make("other", names: "DNS:other.example,IP:127.0.0.2", issuer: issuer)
  }
}

extension WithTLS {
  @Suite struct TrustMatrixTests {
    @Test(arguments: cases)
    func `a server is spoken to when its certificate is trusted, and not before`(row: TrustCase) async throws {
      let cast = try await Cast.get()
      let (identity, before) = try await onItsOwnThread { try row.shown(cast) }
      let pin = try before.map { try Pin($0) }
      for speech in Speech.all { try await play(row, showing: identity, pin: pin, in: speech, cast) }
    }

    private func play(_ row: TrustCase, showing identity: Identity, pin: Pin?, in speech: Speech, _ cast: Cast)
      async throws
    {
      let authorities = row.hasAuthorities ? cast.privateRoot.certificate.path : nil
      let trust = ToldTrust(TrustExpectation(pin: pin, authorities: authorities))
      let server = try await onItsOwnThread {
        try TLSServer(identity, http: speech.http, version: speech.version)
      }
      let http = CurlHTTP(trust, in: cast)
      let host = row.host
      let url = "https://\(host):\(server.port)/v1"

      // A connection for other words than HTTP is judged like all others, and nothing is said in it.
      let look = await http.inspect(url, connectTimeout: 10)
      #expect(try await server.connectionsAreGone(1))
      #expect(try server.events("bytes").isEmpty)
      let certificate = try #require(look.certificate)
      let der = try identity.der
      #expect(certificate.der == der)
      #expect((certificate.host, certificate.port) == (host, server.port))
      #expect(look.failure == nil)

      let answer = await http.ask(url)
      switch row.outcome {
      case .refused(let problems):
        let before = pin.map { Distrust.Before.pinned($0) } ?? authorities.map { .authorities(file: $0) }
        let distrust = Distrust(certificate, before: before ?? .nothing)
        #expect(answer.distrust == distrust, "\(speech.testDescription)")
        #expect(look.verdict == .distrusted(distrust.before))
        #expect(certificate.problems == problems)
        #expect(try await server.connectionsAreGone(2))
        #expect(try server.events("accept").count == 2)
        #expect(try server.events("bytes").isEmpty)
      case .system: try expectTrust(.system, look, answer, at: server, speech)
      case .pinned: try expectTrust(.pinned, look, answer, at: server, speech)
      case .authorities: try expectTrust(.authorities(file: authorities ?? ""), look, answer, at: server, speech)
      }
      let isSystem = if case .system = row.outcome { true } else { false }
      #expect(trust.notes == (isSystem ? [host] : []))
      let isPinned = if case .pinned = row.outcome { true } else { false }
      #expect(Set(trust.pinUses) == (isPinned ? [host] : []))
    }

    private func expectTrust(
      _ verdict: Inspection.Verdict, _ look: Inspection, _ answer: Result<String, TransportError>,
      at server: TLSServer, _ speech: Speech
    ) throws {
      #expect(look.verdict == verdict)
      #expect(answer == .success("ok"), "\(speech.testDescription)")
      let requests = try server.events("request")
      #expect(requests.count == 1)
      #expect(requests.first?.text?.hasPrefix("GET /v1 HTTP/1.1") == (speech.http == "1.1"))
    }
  }
}

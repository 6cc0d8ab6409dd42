import Addresses
import Chat
import Foundation
import TestSupport
import Testing

@testable import Transport

/// The suites that need a TLS server and certificates made for them. They run one by one, as they start many programs.
@Suite(
  .serialized,
  .enabled(if: ScriptedServer.isAvailable && Identities.openssl != nil, "python3 or openssl is not on the path"))
enum WithTLS {}

/// What is known of certificates, as a test says; the same for all servers.
final class ToldTrust: Trust, @unchecked Sendable {
  private let lock = NSLock()
  private var told: TrustExpectation
  private var noted: [String] = []
  private var seen: [String] = []

  init(_ expectation: TrustExpectation = TrustExpectation()) { told = expectation }

  func expectation(of host: String, port: Int) -> TrustExpectation { lock.withLock { told } }
  func noteSystemTrust(in host: String, port: Int) { lock.withLock { noted.append(host) } }

  func notePinUse(in host: String, port: Int) { lock.withLock { seen.append(host) } }

  func tell(_ expectation: TrustExpectation) { lock.withLock { told = expectation } }
  var notes: [String] { lock.withLock { noted } }
  var pinUses: [String] { lock.withLock { seen } }
}

/// HTTP over TLS, as a server may speak them.
struct Speech: Sendable, CustomTestStringConvertible {
  var http: String
  var version: String
  var testDescription: String { "HTTP/\(http) over TLS \(version)" }

  static let all = [
    Speech(http: "1.1", version: "1.3"), Speech(http: "2", version: "1.3"), Speech(http: "1.1", version: "1.2"),
  ]
}

/// All certificates of the tests, made once, in a folder that goes with the process.
struct Cast: Sendable {
  let folder: URL
  let make: Identities
  /// Stands for the system's authorities.
  let root: Identity
  let privateRoot: Identity

  private static let made = Result { try Cast() }

  static func get() async throws -> Cast { try await onItsOwnThread { try made.get() } }

  private init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("parley-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    make = Identities(in: folder)
    root = try make.make("root", names: nil, isAuthority: true)
    atexit {
      if case .success(let cast) = Cast.made { try? FileManager.default.removeItem(at: cast.folder) }
    }
    privateRoot = try make.make("private root", names: nil, isAuthority: true)
  }
}

extension Pin {
  init(_ identity: Identity) throws {
    let server = ServerKey(host: "localhost", port: 1)
    self.init(try #require(ServerCertificate(of: server, der: identity.der, problems: [])))
  }
}

extension CurlHTTP {
  /// The cast's root stands for the system.
  convenience init(_ trust: any Trust, proxy: ProxySettings = ProxySettings(), in cast: Cast) {
    self.init(proxy: proxy, version: "0", trust: trust, systemAuthorities: cast.root.certificate.path)
  }

  /// The text of an answer to a request with a secret, or why there is none.
  func ask(_ url: String) async -> Result<String, TransportError> {
    do throws(TransportError) {
      let request = HTTPRequest("GET", url, headers: [("Authorization", "Bearer s3cret")])
      let body = try await send(request).body.readAll(timeout: 60)
      return .success(String(decoding: body, as: UTF8.self))
    } catch {
      return .failure(error)
    }
  }
}

extension Result where Success == String, Failure == TransportError {
  var distrust: Distrust? { if case .failure(.untrusted(let distrust)) = self { distrust } else { nil } }
}

import Foundation
import TestSupport
import Testing

@testable import Transport

/// The suites that need the scripted server.
@Suite(.enabled(if: ScriptedServer.isAvailable, "python3 is not on the path"))
enum WithServer {
  private static let started = Result { try ScriptedServer() }

  static var server: ScriptedServer { get throws { try started.get() } }
}

/// A client of its own and the addresses of one scene.
struct Scene {
  let server: ScriptedServer
  let http = CurlHTTP(proxy: ProxySettings(), version: "1.2.3")
  /// Only this scene's requests have it in their path.
  let key: String
  private let base: String

  /// `argument` is for the scenes that take one instead of a free key.
  init(_ name: String, argument: String? = nil) throws {
    server = try WithServer.server
    key = argument ?? UUID().uuidString
    base = "\(server.address)/\(name)/\(key)/v1"
  }

  var models: String { base + "/models" }
  var completions: String { base + "/chat/completions" }

  func get(_ change: (inout HTTPRequest) -> Void = { _ in }) async throws(TransportError) -> HTTPResponse {
    var request = HTTPRequest("GET", models)
    change(&request)
    return try await http.send(request)
  }

  /// Asks for a streamed answer.
  func ask(_ change: (inout HTTPRequest) -> Void = { _ in }) async throws(TransportError) -> HTTPResponse {
    var request = HTTPRequest(
      "POST", completions, headers: [("Content-Type", "application/json")], body: Array(#"{"stream":true}"#.utf8),
      acceptsCompression: false)
    change(&request)
    return try await http.send(request)
  }

  /// Returns once the server has read a request of this scene.
  func requestIsSeen() async throws -> Bool { try await tells("_seen") }

  /// Returns once the server has noticed that a client of this scene hung up.
  func clientIsGone() async throws -> Bool { try await tells("_gone") }

  private func tells(_ what: String) async throws -> Bool {
    try await http.send(HTTPRequest("GET", "\(server.address)/\(what)/\(key)")).status == 200
  }
}

extension HTTPBody {
  /// What came until the end or the error, and the error.
  func readToEnd() async -> (text: String, error: TransportError?) {
    var bytes: [UInt8] = []
    do throws(TransportError) {
      while let more = try await next(timeout: 60) { bytes += more }
      return (String(decoding: bytes, as: UTF8.self), nil)
    } catch {
      return (String(decoding: bytes, as: UTF8.self), error)
    }
  }
}

extension TransportError {
  var isClosedEarly: Bool { if case .closedEarly = self { true } else { false } }
  var isBadRequest: Bool { if case .badRequest = self { true } else { false } }
  var isProxy: Bool { if case .proxy = self { true } else { false } }
  var isTLS: Bool { if case .tls = self { true } else { false } }
}

/// The error of a call that must fail.
func failure<T>(of body: () async throws(TransportError) -> T) async -> TransportError? {
  do throws(TransportError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Transport

/// The suites of WebSockets that need a server. They run one by one, so that their threads can be counted.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: ScriptedServer.isAvailable, "python3 is not on the path"))
enum WithWebSockets {
  private static let started = Result { try WebSocketServer() }

  static var server: WebSocketServer { get throws { try started.get() } }
}

/// A client of its own and the address of one scene.
struct SocketScene {
  let server: WebSocketServer
  let http = CurlHTTP(proxy: ProxySettings(), version: "1.2.3")
  /// Only this scene's events have it.
  let key = UUID().uuidString
  let url: String

  init(_ name: String) throws {
    server = try WithWebSockets.server
    url = "ws://127.0.0.1:\(server.port)/\(name)/\(key)"
  }

  func open(
    silence: Silence.Limits = Silence.Limits(600), form: SocketForm = .text,
    _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws(TransportError) -> any WebSocket {
    var request = HTTPRequest("GET", url)
    change(&request)
    return try await http.open(request, silence: silence, form: form)
  }

  /// What the server saw of that kind so far.
  func seen(_ event: String) throws -> [String] { try server.events(event, key: key) }

  /// Returns once the server has seen these.
  func sees(_ event: String, _ texts: [String]) async throws -> Bool {
    try await eventually { try seen(event) == texts }
  }
}

extension WebSocket {
  func send(_ text: String) async throws(TransportError) { try await send(Array(text.utf8)) }

  /// The next message; nil at the end.
  func text() async throws(TransportError) -> String? {
    try await receive().map { String(decoding: $0, as: UTF8.self) }
  }

  /// Everything until the end or the error, and the error.
  func readToEnd() async -> (texts: [String], error: TransportError?) {
    var texts: [String] = []
    do throws(TransportError) {
      while let text = try await text() { texts.append(text) }
      return (texts, nil)
    } catch {
      return (texts, error)
    }
  }
}

/// What of WebSockets this process has.
enum SocketRemains {
  /// The number of threads that serve one.
  static var threads: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
        // One may have ended since.
        (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "\(SocketThread.name)\n"
      }
    }
  }

  /// The descriptors of connections from these local ports.
  static func descriptors(fromPorts ports: [String]) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.filter { descriptor in
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withUnsafeMutableBytes(of: &address) { bytes in
        getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
      }
      return code == 0 && address.sin_family == sa_family_t(AF_INET)
        && ports.contains(String(UInt16(bigEndian: address.sin_port)))
    }
  }
}

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

  /// The descriptors of connections from these local ports to that port of this machine. Both are compared: the kernel
  /// gives the same local port to connections with different destinations, and other suites connect too.
  static func descriptors(fromPorts ports: [String], to server: Int) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.filter { descriptor in
      guard let local = port(of: descriptor, by: getsockname), let remote = port(of: descriptor, by: getpeername)
      else { return false }
      return remote == server && ports.contains(String(local))
    }
  }

  /// The port at one end of a connection over IPv4; nil for any other descriptor.
  private static func port(
    of descriptor: Int32, by name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &size) }
    }
    guard code == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

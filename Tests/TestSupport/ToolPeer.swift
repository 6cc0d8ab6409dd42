package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A running `mcp_peer.py` on the loopback. It ends with the object or the process.
package final class ToolPeer: Sendable {
  /// The packages that there are peers on; the environment says where their interpreters are, as
  /// `eval "$(scripts/tool-peers variables)"` sets it.
  package enum Package: String, Sendable, CaseIterable {
    case mcp2 = "PARLEY_MCP2_PYTHON"
    case mcp1 = "PARLEY_MCP1_PYTHON"
    case fastmcp = "PARLEY_FASTMCP_PYTHON"

    /// nil where it is not installed.
    package var python: String? {
      guard let path = ProcessInfo.processInfo.environment[rawValue], !path.isEmpty else { return nil }
      return path
    }
  }

  package let port: Int
  private let process: Process
  private let input = Pipe()
  private let words: URL

  package static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("mcp_peer.py")

  /// What keeps a server alive: it is stopped as soon as the standard input of this ends, as it does with the tests.
  private static let keeper = "\"$@\" </dev/null & child=$!; cat >/dev/null; kill \"$child\" 2>/dev/null; wait"

  package init(
    _ package: Package, _ options: [String] = [], port: Int? = nil, script: URL = ToolPeer.script
  ) throws {
    guard let python = package.python else { throw ToolPeerError.missing(package.rawValue) }
    self.port = try port ?? ToolPeer.freePort()
    words = FileManager.default.temporaryDirectory.appendingPathComponent("parley-\(UUID().uuidString).log")
    try Data().write(to: words)
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      ["-c", ToolPeer.keeper, "keeper", python, script.path, "--port", String(self.port)] + options
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: words)
    try process.run()
    try waitUntilReady()
  }

  deinit {
    try? input.fileHandleForWriting.close()  // it may be closed already
    try? FileManager.default.removeItem(at: words)  // a leftover in /tmp fails no test
  }

  /// Ends it, and waits until it has.
  package func stop() {
    try? input.fileHandleForWriting.close()  // it may be closed already
    process.waitUntilExit()
  }

  /// What it wrote to its standard error so far.
  package var said: String {
    do { return String(decoding: try Data(contentsOf: words), as: UTF8.self) } catch { return "" }
  }

  private func waitUntilReady() throws {
    let deadline = Date() + 60
    while !ToolPeer.isTaken(port) {
      guard process.isRunning, Date() < deadline else { throw ToolPeerError.notReady(said) }
      usleep(50_000)
    }
  }

  /// A port of the loopback that nobody listened on a moment ago.
  package static func freePort() throws -> Int {
    let socket = openSocket()
    defer { close(socket) }
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isBound else { throw ToolPeerError.noPort }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Whether somebody listens on a port.
  private static func isTaken(_ port: Int) -> Bool {
    let socket = openSocket()
    defer { close(socket) }
    var address = loopback(port: UInt16(port))
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func openSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

package enum ToolPeerError: Error {
  case missing(String)
  case notReady(String)
  case noPort
}

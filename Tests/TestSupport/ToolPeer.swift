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
  // Children of a thread of dispatch inherit that gentler signals are blocked.
  private static let keeper = "\"$@\" </dev/null & child=$!; cat >/dev/null; kill -KILL \"$child\" 2>/dev/null; wait"

  /// - Parameter port: 0 for any that is free.
  package init(
    _ package: Package, _ options: [String] = [], port: Int = 0, script: URL = ToolPeer.script
  ) throws {
    guard let python = package.python else { throw ToolPeerError.missing(package.rawValue) }
    words = FileManager.default.temporaryDirectory.appendingPathComponent("parley-\(UUID().uuidString).log")
    try Data().write(to: words)
    let output = Pipe()
    // No other child may hold one open.
    for pipe in [input, output] {
      for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", ToolPeer.keeper, "keeper", python, script.path, "--port", String(port)] + options
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: words)
    try process.run()
    guard let ready = ToolPeer.port(said: output) else {
      throw ToolPeerError.notReady(String(decoding: try Data(contentsOf: words), as: UTF8.self))
    }
    self.port = ready
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

  /// The port in `ready PORT`, which a peer says once it listens; nil when it ended before.
  private static func port(said output: Pipe) -> Int? {
    var said = Data()
    while !said.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return nil }
      said += more
    }
    let words = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return words.first == "ready" ? words.dropFirst().first.flatMap { Int($0) } : nil
  }
}

package enum ToolPeerError: Error {
  case missing(String)
  case notReady(String)
}

import Foundation

/// A running `tls_server.py`, which tells what it was sent. It ends with the object or the process.
package final class TLSServer: Sendable {
  package let port: Int
  // Only held: its standard input closes with this process, which ends the server.
  private let process: Process
  private let folder: URL

  private var log: URL { folder.appendingPathComponent("log") }
  private var switching: URL { folder.appendingPathComponent("switch") }

  /// `proxy` is `http` or `socks5h`: the server then plays the proxy as well as every server behind it.
  package init(_ identity: Identity, http: String = "1.1", version: String = "1.3", proxy: String? = nil) throws {
    guard let python = ScriptedServer.program("python3") else { throw ScriptedServerError.missing("python3") }
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("parley-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("tls_server.py")
    process = Process()
    process.executableURL = python
    process.arguments =
      [script.path, "--log", log.path, "--certificate", identity.chain.path, "--key", identity.key.path]
      + ["--switch", folder.appendingPathComponent("switch").path, "--http", http, "--version", version]
      + (proxy.map { ["--proxy", $0] } ?? [])
    process.standardInput = Pipe()
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let words = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split(separator: " ")
    guard words.count == 2, words[0] == "ready", let port = Int(words[1].trimmingCharacters(in: .newlines)) else {
      throw ScriptedServerError.notReady
    }
    self.port = port
  }

  deinit {
    process.kill()
    try? FileManager.default.removeItem(at: folder)  // a leftover in /tmp fails no test
  }

  /// Shows another certificate from the next handshake on.
  package func show(_ identity: Identity) throws {
    try Data("\(identity.chain.path)\n\(identity.key.path)\n".utf8).write(to: switching, options: .atomic)
  }

  package struct Event: Decodable, Sendable {
    package var event: String
    package var connection: Int
    package var text: String?
    package var resumed: Bool?
  }

  package func events(_ name: String) throws -> [Event] {
    let lines = try Data(contentsOf: log).split(separator: UInt8(ascii: "\n"))
    return try lines.map { try JSONDecoder().decode(Event.self, from: $0) }.filter { $0.event == name }
  }

  /// Waits until so many connections have ended; after that nothing more can come in by them.
  package func connectionsAreGone(_ count: Int) async throws -> Bool {
    try await eventually { try events("gone").count >= count }
  }
}

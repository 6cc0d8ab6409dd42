import Foundation

/// A running `websocket_server.py`, whose documentation lists its scenes. It ends with the object or the process.
package final class WebSocketServer: Sendable {
  package let port: Int
  // Only held: its standard input closes with this process, which ends the server.
  private let process: Process
  private let folder: URL

  private var log: URL { folder.appendingPathComponent("log") }

  /// With an identity it speaks TLS.
  package init(_ identity: Identity? = nil) throws {
    guard let python = ScriptedServer.program("python3") else { throw ScriptedServerError.missing("python3") }
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("parley-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("websocket_server.py")
    process = Process()
    process.executableURL = python
    process.arguments = [script.path, "--log", log.path]
    if let identity { process.arguments? += ["--certificate", identity.chain.path, "--key", identity.key.path] }
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

  package struct Event: Decodable, Sendable {
    package var event: String
    package var key: String
    package var text: String
  }

  /// The texts of the events of that name so far, in order; those of the connection with that key where one is given.
  package func events(_ name: String, key: String? = nil) throws -> [String] {
    // The last line may not be whole yet.
    let lines = try Data(contentsOf: log).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return try lines.dropLast().map { try JSONDecoder().decode(Event.self, from: $0) }
      .filter { $0.event == name && (key == nil || $0.key == key) }.map(\.text)
  }
}

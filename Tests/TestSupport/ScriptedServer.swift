package import Foundation

/// A running `scripted_server.py`, whose documentation lists its scenes. It ends with the object or the process.
package final class ScriptedServer: Sendable {
  /// Such as `http://127.0.0.1:40001`; a scene's API base is `\(address)/SCENE/v1`.
  package let address: String
  // Only held: its standard input closes with this process, which ends the server.
  private let process: Process
  private let log: URL

  /// Whether the machine has what the server needs.
  package static let isAvailable = program("python3") != nil

  /// With a certificate and its key, in PEM files, the server speaks https.
  package init(certificate: URL? = nil, key: URL? = nil) throws {
    guard let python = Self.program("python3") else { throw ScriptedServerError.missing("python3") }
    log = FileManager.default.temporaryDirectory.appendingPathComponent("parley-\(UUID().uuidString).log")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "scripted_server.py")
    process = Process()
    process.executableURL = python
    process.arguments = [script.path, "--log", log.path]
    if let certificate, let key { process.arguments? += ["--certificate", certificate.path, "--key", key.path] }
    process.standardInput = Pipe()
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let words = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split(separator: " ")
    guard words.count == 2, words[0] == "ready" else { throw ScriptedServerError.notReady }
    address = words[1].trimmingCharacters(in: .newlines)
  }

  deinit {
    process.kill()
    try? FileManager.default.removeItem(at: log)  // a leftover in /tmp fails no test
  }

  /// The requests so far whose path has this in it, in order.
  package func requests(containing part: String) throws -> [LoggedRequest] {
    let lines = try Data(contentsOf: log).split(separator: UInt8(ascii: "\n"))
    return try lines.map { try JSONDecoder().decode(LoggedRequest.self, from: $0) }.filter { $0.path.contains(part) }
  }

  /// A program on the path.
  package static func program(_ name: String) -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.lazy.map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}

/// A request as the server received it; the names of its headers are in lower case.
package struct LoggedRequest: Decodable, Sendable {
  package var method: String
  package var path: String
  package var headers: [String: String]
  package var body: String
  /// The same for requests on the same connection.
  package var connection: Int
}

package enum ScriptedServerError: Error {
  case missing(String)
  case notReady
}

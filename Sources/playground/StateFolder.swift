import Foundation

/// Where certificate, tokens and sessions are kept, for its owner alone; without a path nothing is kept.
struct StateFolder: Sendable {
  private let url: URL?

  init(_ path: String?) throws {
    url = path.map { URL(filePath: $0, directoryHint: .isDirectory) }
    guard let url else { return }
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// nil when there is no such file.
  func read(_ name: String) throws -> [UInt8]? {
    guard let file = url?.appending(path: name), FileManager.default.fileExists(atPath: file.path) else { return nil }
    return Array(try Data(contentsOf: file))
  }

  /// Replaces the file as a whole.
  func write(_ bytes: [UInt8], to name: String) throws {
    guard let url else { return }
    let part = url.appending(path: name + ".part")
    let isWritten = FileManager.default.createFile(
      atPath: part.path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
    guard isWritten, rename(part.path, url.appending(path: name).path) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }
}

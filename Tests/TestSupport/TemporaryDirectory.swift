package import Foundation

/// A directory of its own for the time of `body`, removed afterwards.
package func withTemporaryDirectory<T>(_ body: (URL) async throws -> T) async throws -> T {
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent("parley-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }  // a leftover in /tmp fails no test
  return try await body(directory)
}

package import Foundation

/// A directory of its own for the time of `body`, removed afterwards.
package func withTemporaryDirectory<T>(
  in place: URL = FileManager.default.temporaryDirectory, _ body: (URL) async throws -> T
) async throws -> T {
  let directory = place.appendingPathComponent("parley-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }  // a leftover in /tmp fails no test
  return try await body(directory)
}

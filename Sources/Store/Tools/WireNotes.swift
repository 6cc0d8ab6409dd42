import Glibc
import Wire

/// What was found out about how servers of tools speak, so that the next run need not find it out again: one file for
/// each place. Losing it loses nothing. It may be used by many tasks at once: a file is replaced whole.
package struct WireNotes: Sendable {
  private let directory: String
  private let writes: Bool

  /// - Parameter writes: false remembers nothing.
  package init(_ directory: String, writes: Bool = true) {
    self.directory = directory
    self.writes = writes
  }

  /// - Parameter place: the server's address, or its whole command; its name is not kept, for it may hold a secret.
  package func memory(of place: String) -> String? {
    // Whatever is wrong with it, it is as good as none.
    guard let bytes = try? PrivateFile.read(path(place)), let json = try? JSON(parsing: bytes),
      json["version"]?.int == 1
    else { return nil }
    return json["text"]?.string
  }

  package func remember(_ text: String, of place: String) {
    guard writes else { return }
    let json: JSON = ["version": 1, "text": .string(text)]
    // What is not remembered is found out again.
    try? AtomicFile.makeDirectory(directory)
    try? AtomicFile.write(json.bytes() + [UInt8(ascii: "\n")], to: path(place))
  }

  package func forget(_ place: String) { unlink(path(place)) }

  private func path(_ place: String) -> String { "\(directory)/wire-\(sha256(Array(place.utf8)))" }
}

import Foundation
import Waiting

/// What this installation is known by to servers that tell devices apart: made once, and by nobody to be guessed.
package final class DeviceName: Sendable {
  private let path: String
  private let writes: Bool
  private let known = Locked<String?>(nil)

  /// Reads nothing yet.
  /// - Parameter writes: false makes one for this run where there is none.
  package init(_ path: String, writes: Bool) {
    self.path = path
    self.writes = writes
  }

  package var text: String {
    known.withLock { known in
      let text = known ?? read() ?? make()
      known = text
      return text
    }
  }

  private func read() -> String? {
    // One that cannot be read is made anew: nothing hangs on it but which messages are ours.
    guard let bytes = try? PrivateFile.read(path) else { return nil }
    return UUID(uuidString: String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))?
      .uuidString
  }

  private func make() -> String {
    let text = UUID().uuidString
    guard writes else { return text }
    do throws(FileError) {
      try AtomicFile.makeDirectory(directory(of: path))
      try AtomicFile.write(Array((text + "\n").utf8), to: path)
    } catch {
      // As above.
    }
    return text
  }
}

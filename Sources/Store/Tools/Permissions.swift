import Foundation

/// What the person lets tools do for good (shell contract, section 4): a tool of one server, as it describes itself.
///
/// A tool that describes itself differently, and one of another server of the same name, is another tool
/// (RELIABILITY A8).
package struct Permissions: Sendable {
  package struct Entry: Sendable, Equatable {
    /// Where the server is: its address, or its whole command.
    package var place: String
    /// What the person calls it.
    package var server: String
    package var tool: String
    /// A digest of the tool's description and of what it takes.
    package var digest: String
    /// Milliseconds since 1970.
    package var allowedAt: Int

    package init(place: String, server: String, tool: String, digest: String, allowedAt: Int) {
      self.place = place
      self.server = server
      self.tool = tool
      self.digest = digest
      self.allowedAt = allowedAt
    }
  }

  package private(set) var entries: [Entry] = []

  /// - Parameters:
  ///   - path: nil keeps everything in memory.
  ///   - writes: false reads the file this once and keeps changes in memory.
  package init(_ path: String?, writes: Bool = true) {}

  package mutating func allow(_ entry: Entry) throws(FileError) {
    entries.removeAll { $0.place == entry.place && $0.tool == entry.tool }
    entries.append(entry)
  }

  /// Takes back what was allowed; every tool of a place when `tool` is nil.
  package mutating func revoke(_ tool: String?, of place: String) throws(FileError) {
    entries.removeAll { $0.place == place && (tool == nil || $0.tool == tool) }
  }
}

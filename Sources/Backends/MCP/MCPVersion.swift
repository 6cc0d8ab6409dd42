import Chat
import Wire

/// The versions of the protocol that this program speaks (docs/mcp.md 1).
enum MCPVersion {
  static let modern = "2026-07-28"
  /// The one that `initialize` offers.
  static let newestLegacy = "2025-11-25"
  /// Newest first.
  static let legacy = [newestLegacy, "2025-06-18", "2025-03-26", oldest]
  static let oldest = "2024-11-05"

  /// The protocol version in an answer to `initialize`.
  static func agreed(in result: JSON) throws(MCPFault) -> String {
    guard let version = result.text("protocolVersion") else {
      throw .failed(.malformed("no protocolVersion in the answer to initialize"))
    }
    guard legacy.contains(version) else { throw .failed(.noSharedVersion(theirs: [version])) }
    return version
  }

  /// Whether requests name it in a header once it is agreed on.
  static func goesIntoHeader(_ version: String) -> Bool { version >= "2025-06-18" }
}

/// Codes of errors that the protocol gives a meaning of its own (docs/mcp.md 4).
enum MCPCode {
  static let headerMismatch = -32020
  static let capabilityMissing = -32021
  static let versionUnsupported = -32022
}

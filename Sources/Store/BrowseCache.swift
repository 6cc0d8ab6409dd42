import Foundation
import Glibc
import Wire

/// The lists that servers gave, for when they cannot be reached: one file for each list. What is in them is the
/// shell's business. Losing them loses nothing.
package struct BrowseCache: Sendable {
  /// The longest list that is kept, in bytes.
  package static let limit = 4 << 20

  private let directory: String

  package init(_ directory: String) { self.directory = directory }

  /// The list, and when it came in milliseconds since 1970; nil when there is none that can be read.
  /// - Parameter server: its address.
  package func read(server: String, topic: String) -> (bytes: [UInt8], at: Int)? {
    let account = AccountName(server)
    // Whatever is wrong with a copy, it is as good as none.
    guard let bytes = try? PrivateFile.read(path(account, topic)), bytes.count < 2 * Self.limit,
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let heading = try? JSON(parsing: Array(bytes[..<end])),
      heading["version"]?.int == 1, heading["server"]?.string == account.text, heading["topic"]?.string == topic,
      let moment = heading["at"]?.int, moment >= 0
    else { return nil }
    return (Array(bytes[(end + 1)...]), moment)
  }

  /// Keeps a list in the place of the one before. One that is too long is not kept, and neither is the one before.
  package func write(_ bytes: [UInt8], server: String, topic: String, at moment: Int) throws(FileError) {
    let account = AccountName(server)
    let path = path(account, topic)
    guard bytes.count <= Self.limit else {
      unlink(path)
      throw .failed(path: path, operation: "write", code: EFBIG)
    }
    let heading: JSON = [
      "version": 1, "server": .string(account.text), "topic": .string(topic), "at": .int(moment),
    ]
    try AtomicFile.makeDirectory(directory)
    try AtomicFile.write(heading.bytes() + [UInt8(ascii: "\n")] + bytes, to: path)
  }

  /// Removes every list of a server.
  package func forget(_ server: String) {
    let digest = AccountName(server).digest
    // No directory is nothing to forget.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
      let isTemporary = name.hasPrefix(".\(digest)-") && name.hasSuffix(".new")
      if isTemporary || name.hasPrefix("\(digest)-") { unlink(directory + "/" + name) }
    }
  }

  private func path(_ account: AccountName, _ topic: String) -> String {
    let word = topic.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(40)
    return "\(directory)/\(account.digest)-\(word)"
  }
}

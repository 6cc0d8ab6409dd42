package import Chat
import Glibc
import Wire

/// What was wrong with a file of state when it was last read.
package enum StateProblem: Sendable, Equatable {
  /// It is not what it should be. A change renames it to `setAside`, which is nil until then.
  case broken(path: String, setAside: String?)
  /// Others could have written it.
  case unsafe(Exposure)
  case unreadable(FileError)
  /// A later version of this program wrote it.
  case newer(path: String, version: Int)

  init(_ error: FileError) {
    if case .exposed(let exposure) = error { self = .unsafe(exposure) } else { self = .unreadable(error) }
  }
}

/// A JSON file that is rewritten whole under a lock, and that nobody edits by hand.
struct StateFile {
  /// The version of what is in such a file that this program knows.
  static let version = 1

  let path: String

  init(_ path: String) { self.path = path }

  func lock() throws(FileError) -> FileLock {
    try AtomicFile.makeDirectory(directory(of: path))
    return try FileLock(path + ".lock", .exclusive)
  }

  /// What a file that nobody else could have written holds, and what is wrong with it; all nil when there is none. Of a
  /// newer one both are there.
  /// - Parameter parse: nil when it is not what it should be.
  func read<Value>(_ parse: (JSON) -> Value?) -> (json: JSON?, value: Value?, problem: StateProblem?) {
    let bytes: [UInt8]?
    do throws(FileError) { bytes = try PrivateFile.read(path) } catch { return (nil, nil, StateProblem(error)) }
    guard let bytes else { return (nil, nil, nil) }
    guard let json = try? JSON(parsing: bytes), let value = parse(json) else {
      return (nil, nil, .broken(path: path, setAside: nil))
    }
    let version = json["version"]?.int ?? StateFile.version
    return (json, value, version > StateFile.version ? .newer(path: path, version: version) : nil)
  }

  func write(_ json: JSON) throws(FileError) {
    try AtomicFile.write(json.bytes(pretty: true) + [UInt8(ascii: "\n")], to: path)
  }

  /// Renames a broken file out of the way; gives its new name.
  func setAside() throws(FileError) -> String {
    let aside = AsideName.free(for: path, "broken", at: History.systemTime())
    guard rename(path, aside) == 0 else { throw .inDirectory(directory(of: path), "rename", errno) }
    return aside
  }
}

extension JSON {
  /// Whether it can be read back from so many levels deep within something else: what is foreign may be nested as deep
  /// as can be read at all, and must not make all around it unreadable.
  func isReadable(within levels: Int) -> Bool {
    let inner: [JSON]
    switch self {
    case .object(let members): inner = members.map(\.value)
    case .array(let elements): inner = elements
    default: return true
    }
    return levels < JSONReader.depthLimit && inner.allSatisfy { $0.isReadable(within: levels + 1) }
  }

  /// With the members of another object that this one does not have, but for those that are known: what a later
  /// version of this program wrote.
  func adding(_ other: JSON, except known: Set<String>) -> JSON {
    var sum = self
    for member in other.object ?? [] where !known.contains(member.key) && sum[member.key] == nil {
      sum[member.key] = member.value
    }
    return sum
  }
}

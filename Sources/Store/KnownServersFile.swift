import Glibc
import Wire

/// The file of `KnownServers`: readable text, one line for each host and port.
struct KnownServersFile {
  let path: String

  init(_ path: String) { self.path = path }

  func lock(waiting seconds: Double) throws(FileError) -> FileLock {
    try AtomicFile.makeDirectory(directory(of: path))
    return try FileLock(path + ".lock", .exclusive, waiting: seconds)
  }

  func read() throws(FileError) -> KnownServersList {
    KnownServersList(try PrivateFile.read(path) ?? Array(KnownServersFile.heading.utf8))
  }

  func write(_ list: KnownServersList) throws(FileError) {
    try AtomicFile.write(list.bytes, to: path)
  }

  private static let heading = "# Whom parley trusts: HOST:PORT, then what for. A line may be taken out by hand.\n"
}

/// The lines of the file in their order. Those that are no entries stay as they are.
struct KnownServersList: Equatable {
  private var lines: [Line] = []

  private struct Line: Equatable {
    var text: [UInt8]
    var entry: KnownServers.Entry?
    var isBad: Bool
  }

  init() {}

  /// The first line for a host and port counts; a later one is a bad line.
  init(_ bytes: [UInt8]) {
    var known: Set<KnownServers.Address> = []
    var parts = bytes.withoutByteOrderMark.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true { parts.removeLast() }
    lines = parts.enumerated().map { offset, part in
      let found = KnownServersLine(part, number: offset + 1)
      let isFirst = found.entry.map { known.insert($0.address).inserted } ?? true
      return Line(text: Array(part), entry: isFirst ? found.entry : nil, isBad: found.isBad || !isFirst)
    }
  }

  var bytes: [UInt8] { Array(lines.map { $0.text + [UInt8(ascii: "\n")] }.joined()) }
  var entries: [KnownServers.Entry] { lines.compactMap(\.entry) }
  var badLines: [Int] { lines.indices.filter { lines[$0].isBad }.map { $0 + 1 } }

  func entry(of address: KnownServers.Address) -> KnownServers.Entry? {
    lines.lazy.compactMap(\.entry).first { $0.address == address }
  }

  /// Puts an entry in the place of the line for the same host and port, or at the end.
  mutating func set(_ entry: KnownServers.Entry) throws(FileError) {
    let index = lines.firstIndex { $0.entry?.address == entry.address }
    guard let text = KnownServersLine.text(entry) else {
      throw .failed(path: entry.host, operation: "write", code: EINVAL)
    }
    let line = Line(text: Array(text.utf8), entry: entry, isBad: false)
    if let index { lines[index] = line } else { lines.append(line) }
  }

  /// Takes out every line for a host and port, and gives the one that counted.
  mutating func remove(_ address: KnownServers.Address) -> KnownServers.Entry? {
    let had = entry(of: address)
    lines.removeAll { KnownServersLine($0.text[...], number: 0).entry?.address == address }
    return had
  }
}

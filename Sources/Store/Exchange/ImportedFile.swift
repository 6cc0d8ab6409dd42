import Wire

/// Why a file cannot be taken in.
package enum ImportProblem: Error, Sendable, Equatable {
  /// It is nothing that is known.
  case unknown
  /// A later version of this program wrote it.
  case newer(version: Int)
  /// What is there is no JSON, or ends too soon.
  case broken(line: Int)
  /// It is JSON, and no session.
  case noSession(line: Int)
}

/// Sessions of a file, one after the other (docs/export.md 2): each is read when it is asked for, for all of them may be
/// more than the memory.
package struct ImportedFile {
  private enum Kind { case document, lines }

  private let bytes: [UInt8]
  private let kind: Kind
  /// Where each session, or each line, stands.
  private let places: [Range<Int>]
  private var next = 0

  package init(_ bytes: [UInt8]) throws(ImportProblem) {
    // Editors of Windows begin a file with a mark, which readers may pass over (RFC 8259, 8.1).
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    self.bytes = bytes
    let lines = Self.lines(of: bytes)
    // What is no JSON by itself is a document, or nothing.
    if let first = lines.first, let mark = try? JSON(parsing: Array(bytes[first])),
      mark["parley"]?.string == "history" && mark["sessions"] == nil || mark["type"]?.string == "session"
    {
      try Self.requireVersion(mark)
      kind = .lines
      places = mark["parley"] == nil ? lines : Array(lines.dropFirst())
    } else {
      kind = .document
      places = try Self.sessions(of: bytes)
    }
  }

  /// The next session; nil behind the last one.
  package mutating func session() throws(ImportProblem) -> KeptSession? {
    guard next < places.count else { return nil }
    let place = places[next]
    let json = try parsed(place)
    next += 1
    guard kind == .lines else {
      guard let session = KeptSession(json) else { throw .noSession(line: line(of: place.lowerBound)) }
      return session
    }
    guard json["type"]?.string == "session" else { throw .noSession(line: line(of: place.lowerBound)) }
    var turns: [KeptTurn] = []
    while next < places.count {
      let more = try parsed(places[next])
      guard more["type"]?.string != "session" else { break }
      guard let turn = KeptTurn(more) else { throw .noSession(line: line(of: places[next].lowerBound)) }
      turns.append(turn)
      next += 1
    }
    guard let session = KeptSession(header: json, turns: turns) else {
      throw .noSession(line: line(of: place.lowerBound))
    }
    return session
  }

  private func parsed(_ place: Range<Int>) throws(ImportProblem) -> JSON {
    do throws(JSON.Failure) {
      return try bytes.withUnsafeBufferPointer { (all) throws(JSON.Failure) in
        try JSON(parsing: UnsafeBufferPointer(rebasing: all[place]))
      }
    } catch { throw .broken(line: line(of: place.lowerBound + error.offset)) }
  }

  private func line(of offset: Int) -> Int { Self.line(of: offset, in: bytes) }

  private static func line(of offset: Int, in bytes: [UInt8]) -> Int {
    1 + bytes[..<min(offset, bytes.count)].count { $0 == 0x0A }
  }

  private static func requireVersion(_ mark: JSON) throws(ImportProblem) {
    let version = mark["version"]?.int ?? HistoryDocument.version
    if version > HistoryDocument.version { throw .newer(version: version) }
  }

  /// Without those that are blank.
  private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      if bytes[start..<end].contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { lines.append(start..<end) }
      start = end + 1
    }
    return lines
  }

  /// Where the sessions of a document stand.
  private static func sessions(of bytes: [UInt8]) throws(ImportProblem) -> [Range<Int>] {
    var version = HistoryDocument.version
    var isOurs = false
    var places: [Range<Int>]?
    do throws(JSON.Failure) {
      try bytes.withUnsafeBufferPointer { (all) throws(JSON.Failure) in
        var reader = JSONReader(all)
        guard try reader.kind() == .object else { return }
        try reader.beginObject()
        while let key = try reader.nextKey() {
          switch key {
          case "parley" where try reader.kind() == .string: isOurs = try reader.string() == "history"
          case "version" where try reader.kind() == .number: version = try reader.number().int ?? version
          case "sessions" where try reader.kind() == .array: places = try elements(&reader)
          default: try reader.skip()
          }
        }
        try reader.end()
      }
    } catch {
      guard isOurs else { throw .unknown }
      throw .broken(line: line(of: error.offset, in: bytes))
    }
    guard isOurs, let places else { throw .unknown }
    if version > HistoryDocument.version { throw .newer(version: version) }
    return places
  }

  private static func elements(_ reader: inout JSONReader) throws(JSON.Failure) -> [Range<Int>] {
    var places: [Range<Int>] = []
    try reader.beginArray()
    while try reader.nextElement() {
      let start = reader.offset
      try reader.skip()
      places.append(start..<reader.offset)
    }
    return places
  }
}

import Wire

/// Why a file cannot be taken in.
package enum ImportProblem: Error, Sendable, Equatable {
  /// It is nothing that is known.
  case unknown
  /// It is an archive, of a form such as `zip`.
  case archive(String)
  /// A later version of this program wrote it.
  case newer(version: Int)
  /// What is there is no JSON, or ends too soon.
  case broken(line: Int)
  /// It is a database that cannot be read.
  case damaged
  /// It is JSON, and no session.
  case noSession(line: Int)
  /// Of the session that begins there, so many turns are read.
  case noTurn(line: Int, after: Int)
}

/// Sessions of a file, one after the other (docs/export.md 2): each is read when it is asked for, for all of them may be
/// more than the memory.
package struct ImportedFile {
  private enum Kind { case document, lines, chatGPT, chatUI, database }

  private let bytes: [UInt8]
  private let kind: Kind
  /// Where each session, or each line, stands.
  private let places: [Range<Int>]
  private var next = 0
  private var database: LLMDatabase?

  package init(_ bytes: [UInt8]) throws(ImportProblem) {
    let bytes = bytes.startsWithByteOrderMark ? Array(bytes.withoutByteOrderMark) : bytes
    if let form = Self.archive(bytes) { throw .archive(form) }
    if LLMDatabase.isDatabase(bytes) {
      database = try LLMDatabase(bytes)
      (self.bytes, kind, places) = ([], .database, [])
      return
    }
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
      (kind, places) = try Self.sessions(of: bytes)
    }
  }

  /// The form of an archive or a compressed file, by its first bytes.
  private static func archive(_ bytes: [UInt8]) -> String? {
    let forms: [(beginning: [UInt8], name: String)] = [
      (Array("PK\u{3}\u{4}".utf8), "zip"), (Array("PK\u{5}\u{6}".utf8), "zip"), ([0x1F, 0x8B], "gzip"),
      (Array("7z".utf8) + [0xBC, 0xAF], "7z"), ([0xFD] + Array("7zXZ".utf8), "xz"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
      (Array("BZh".utf8), "bzip2"),
    ]
    if bytes.count > 262, bytes[257...].starts(with: "ustar".utf8) { return "tar" }
    return forms.first { bytes.starts(with: $0.beginning) }?.name
  }

  /// How many sessions there are, where that is known without reading them.
  package var count: Int? { [.lines, .database].contains(kind) ? nil : places.count }

  /// The next session; nil behind the last one.
  package mutating func session() throws(ImportProblem) -> KeptSession? {
    if kind == .database { return try database?.session() }
    guard next < places.count else { return nil }
    let place = places[next]
    let json = try parsed(place)
    next += 1
    guard kind == .lines else {
      guard let session = try read(json, at: place) else {
        throw .noSession(line: line(of: place.lowerBound))
      }
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

  private func read(_ json: JSON, at place: Range<Int>) throws(ImportProblem) -> KeptSession? {
    switch kind {
    case .chatGPT: return KeptSession(chatGPT: json)
    case .chatUI: return KeptSession(chatUI: json)
    case .document, .lines, .database:
      guard let list = json["turns"]?.array else { return nil }
      var turns: [KeptTurn] = []
      for json in list {
        guard let turn = KeptTurn(json) else { throw .noTurn(line: line(of: place.lowerBound), after: turns.count) }
        turns.append(turn)
      }
      return KeptSession(header: json, turns: turns)
    }
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

  /// Whose document it is, and where its sessions stand.
  private static func sessions(of bytes: [UInt8]) throws(ImportProblem) -> (Kind, [Range<Int>]) {
    var frame = DocumentFrame()
    do throws(JSON.Failure) {
      try bytes.withUnsafeBufferPointer { (all) throws(JSON.Failure) in try frame.read(all) }
    } catch {
      guard frame.isKnown else { throw .unknown }
      throw .broken(line: line(of: error.offset, in: bytes))
    }
    if frame.isOurs, frame.version > HistoryDocument.version { throw .newer(version: frame.version) }
    guard frame.isKnown, let places = frame.places else { throw .unknown }
    return (frame.isOurs ? .document : frame.isChatGPT ? .chatGPT : .chatUI, places)
  }
}

import Wire

/// The lines of an answer (docs/chatui.md 5): a JSON object each, bare or behind `data:`, the same however the bytes are
/// cut. What pads them is passed over: blanks, NUL, comments, and the other fields of an event stream.
struct ChatUILines {
  enum Line: Equatable {
    case update(JSON)
    /// `[DONE]`.
    case end
    /// Its start, as text that is not to be trusted.
    case unreadable(String)
  }

  struct TooLong: Error, Equatable {}

  /// The most bytes of one line.
  static let limit = 8 << 20

  private var partial: [UInt8] = []
  private let mask: SecretMask

  /// - Parameter mask: what takes out of a line whatever the request was signed with (docs/rules.md C6).
  init(_ mask: SecretMask) { self.mask = mask }

  /// Takes the next bytes and hands out what they complete, in order.
  mutating func feed(_ bytes: [UInt8], _ receive: (Line) -> Void) throws(TooLong) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      try add(rest[..<end])
      take(receive)
      rest = rest[(end + 1)...]
    }
    try add(rest)
  }

  /// Nothing more comes: a last line needs no end.
  mutating func end(_ receive: (Line) -> Void) { take(receive) }

  private mutating func add(_ part: ArraySlice<UInt8>) throws(TooLong) {
    guard partial.count + part.count <= ChatUILines.limit else { throw TooLong() }
    partial.append(contentsOf: part)
  }

  private mutating func take(_ receive: (Line) -> Void) {
    defer { partial.removeAll(keepingCapacity: partial.capacity <= 1 << 16) }
    if let line = read(partial[...]) { receive(line) }
  }

  private func read(_ line: ArraySlice<UInt8>) -> Line? {
    var line = ChatUILines.trimmed(line)
    if let data = line.dropping("data:") { line = ChatUILines.trimmed(data) }
    if let error = line.dropping("error:") { return .update(ChatUILines.failure(error, mask)) }
    guard let first = line.first, first != UInt8(ascii: ":") else { return nil }
    if line.elementsEqual("[DONE]".utf8) { return .end }
    if first != UInt8(ascii: "{"), ["event:", "id:", "retry:"].contains(where: { line.starts(with: $0.utf8) }) {
      return nil
    }
    guard let json = try? JSON(parsing: Array(line), keepsHalves: true), json.object != nil else {  // told as it is
      return .unreadable(String(decoding: mask(Array(line)).prefix(400), as: UTF8.self))
    }
    return .update(mask(json))
  }

  /// The status update that says the same as a field `error`.
  private static func failure(_ error: ArraySlice<UInt8>, _ mask: SecretMask) -> JSON {
    let words = ErrorBody(mask(Array(trimmed(error)))).message
    return ["type": "status", "status": "error", "message": .string(words)]
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line.drop { isPadding($0) }
    while let last = line.last, isPadding(last) { line.removeLast() }
    return line
  }

  private static func isPadding(_ byte: UInt8) -> Bool { [0x00, 0x09, 0x0D, 0x20].contains(byte) }
}

extension ArraySlice<UInt8> {
  fileprivate func dropping(_ start: String) -> ArraySlice<UInt8>? {
    starts(with: start.utf8) ? dropFirst(start.utf8.count) : nil
  }
}

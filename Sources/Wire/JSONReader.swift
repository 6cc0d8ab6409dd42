/// A pull scanner over one JSON document (RFC 8259) that takes what is asked for and validates and skips the rest,
/// without building values.
///
/// It is a value: a copy goes on from where it was made. The bytes must outlive it.
package struct JSONReader {
  /// Values nested deeper than this are refused.
  package static let depthLimit = 128

  /// What the next value is.
  @frozen package enum Kind: Sendable { case object, array, string, number, bool, null }

  let bytes: UnsafeBufferPointer<UInt8>
  /// Bytes passed so far.
  package private(set) var offset: Int
  /// Whether halves of characters are kept as marks (`CharacterHalf`).
  private let keepsHalves: Bool
  private var depth = 0
  /// Whether nothing of the innermost array or object has been passed yet.
  private var isAtFirst = false

  /// A reader that has passed `offset` bytes, which must be where a value starts.
  /// - Parameter keepsHalves: for texts that come in pieces, which `joiningHalves` or a `HalfJoiner` must see.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int = 0, keepsHalves: Bool = false) {
    self.bytes = bytes
    self.offset = offset
    self.keepsHalves = keepsHalves
  }

  /// The kind of the next value, which stays unread.
  package mutating func kind() throws(JSON.Failure) -> Kind {
    skipBlanks()
    switch byte {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw failure(.unexpected)
    }
  }

  /// Enters an object; `nextKey` gives its keys and, at its end, nil.
  package mutating func beginObject() throws(JSON.Failure) { try begin(UInt8(ascii: "{")) }

  /// Enters an array; `nextElement` tells whether another value follows.
  package mutating func beginArray() throws(JSON.Failure) { try begin(UInt8(ascii: "[")) }

  /// The next key of the innermost object, whose value must then be read or skipped; nil at the object's end.
  package mutating func nextKey() throws(JSON.Failure) -> Key? {
    guard try nextItem(before: UInt8(ascii: "}")) else { return nil }
    guard byte == UInt8(ascii: "\"") else { throw failure(.unexpected) }
    let raw = try scanString()
    skipBlanks()
    try expect(UInt8(ascii: ":"))
    return Key(bytes: UnsafeBufferPointer(rebasing: bytes[raw.range]), isEscaped: raw.isEscaped)
  }

  /// Whether the innermost array has another value, which must then be read or skipped.
  package mutating func nextElement() throws(JSON.Failure) -> Bool { try nextItem(before: UInt8(ascii: "]")) }

  /// Passes one value of any kind, validating it.
  package mutating func skip() throws(JSON.Failure) {
    switch try kind() {
    case .string: _ = try scanString()
    case .number: _ = try scanNumber()
    case .bool: _ = try bool()
    case .null: try null()
    case .object:
      try beginObject()
      while try nextKey() != nil { try skip() }
    case .array:
      try beginArray()
      while try nextElement() { try skip() }
    }
  }

  /// Only blanks may follow the document.
  package mutating func end() throws(JSON.Failure) {
    skipBlanks()
    guard isAtEnd else { throw failure(.unexpected) }
  }

  /// Whether every byte has been passed.
  package var isAtEnd: Bool { offset >= bytes.count }

  package mutating func null() throws(JSON.Failure) { try literal("null") }

  package mutating func bool() throws(JSON.Failure) -> Bool {
    skipBlanks()
    let isTrue = byte == UInt8(ascii: "t")
    try literal(isTrue ? "true" : "false")
    return isTrue
  }

  /// A string with its escapes resolved; bytes that are not UTF-8 become U+FFFD.
  package mutating func string() throws(JSON.Failure) -> String {
    skipBlanks()
    let raw = try scanString()
    guard raw.isEscaped else { return String(decoding: bytes[raw.range], as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(raw.range.count)
    JSONReader.unescape(bytes[raw.range], into: &text, keepsHalves: keepsHalves)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the bytes of a string, its escapes resolved.
  package mutating func appendString(to text: inout [UInt8]) throws(JSON.Failure) {
    skipBlanks()
    let raw = try scanString()
    if raw.isEscaped {
      JSONReader.unescape(bytes[raw.range], into: &text, keepsHalves: keepsHalves)
    } else {
      text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[raw.range]))
    }
  }

  /// Reads a number: `.int` if it is written as an integer and fits, `.double` if that keeps its digits, else `.exact`,
  /// such as `-0`.
  package mutating func number() throws(JSON.Failure) -> JSON {
    skipBlanks()
    let raw = try scanNumber()
    if raw.isInteger, raw.range.count == 1 { return .int(Int(bytes[raw.range.lowerBound] - UInt8(ascii: "0"))) }
    let text = String(decoding: bytes[raw.range], as: UTF8.self)
    if raw.isInteger, let int = Int(text) { return int == 0 ? .exact(text) : .int(int) }
    guard let double = Double(text) else { throw failure(.badNumber) }
    // Most have few digits: these need no look at each.
    if raw.range.count <= 16, double.isFinite, double.isZero || abs(double) >= .leastNormalMagnitude, !raw.isInteger,
      !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
    {
      return .double(double)
    }
    return DecimalText(text)?.isHeld(by: double) == true ? .double(double) : .exact(text)
  }
}

extension JSONReader {
  /// A key as it stands in the document; comparing it builds no string.
  @frozen package struct Key {
    @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
    @usableFromInline let isEscaped: Bool

    package var string: String {
      guard isEscaped else { return String(decoding: bytes, as: UTF8.self) }
      var text: [UInt8] = []
      JSONReader.unescape(Slice(base: bytes, bounds: bytes.indices), into: &text)
      return String(decoding: text, as: UTF8.self)
    }

    // Inlined into other modules, where most comparisons end at the length of a word that is known there.
    @inlinable @inline(__always)
    package static func == (key: Key, word: StaticString) -> Bool {
      let count = word.utf8CodeUnitCount
      guard !key.isEscaped else { return key.isUnescaped(word) }
      guard key.bytes.count == count else { return false }
      for index in 0..<count where key.bytes[index] != word.utf8Start[index] { return false }
      return true
    }

    @inlinable @inline(__always)
    package static func ~= (word: StaticString, key: Key) -> Bool { key == word }

    @usableFromInline
    func isUnescaped(_ word: StaticString) -> Bool { string == word.description }
  }
}

extension JSONReader {
  private var byte: UInt8 { @inline(__always) get { offset < bytes.count ? bytes[offset] : 0 } }

  private func failure(_ reason: JSON.Failure.Reason) -> JSON.Failure {
    JSON.Failure(reason: isAtEnd ? .endOfInput : reason, offset: offset)
  }

  @inline(__always)
  package mutating func skipBlanks() {
    while true {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return
      }
    }
  }

  private mutating func expect(_ wanted: UInt8) throws(JSON.Failure) {
    guard byte == wanted else { throw failure(.unexpected) }
    offset += 1
  }

  private mutating func literal(_ word: StaticString) throws(JSON.Failure) {
    skipBlanks()
    for index in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[index]) }
  }

  private mutating func begin(_ bracket: UInt8) throws(JSON.Failure) {
    skipBlanks()
    guard depth < JSONReader.depthLimit else { throw failure(.tooDeep) }
    try expect(bracket)
    depth += 1
    isAtFirst = true
  }

  /// Passes the comma before an item, or the bracket that ends them.
  private mutating func nextItem(before bracket: UInt8) throws(JSON.Failure) -> Bool {
    skipBlanks()
    if byte == bracket {
      offset += 1
      depth -= 1
      isAtFirst = false
      return false
    }
    if isAtFirst {
      isAtFirst = false
    } else {
      try expect(UInt8(ascii: ","))
      skipBlanks()
    }
    return true
  }
}

extension JSONReader {
  /// Passes a string; the range is what stands between the quotes.
  private mutating func scanString() throws(JSON.Failure) -> (range: Range<Int>, isEscaped: Bool) {
    try expect(UInt8(ascii: "\""))
    let start = offset
    var isEscaped = false
    while true {
      skipPlainCharacters()
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return (start..<(offset - 1), isEscaped)
      case UInt8(ascii: "\\"):
        isEscaped = true
        try scanEscape()
      default: throw failure(.controlCharacter)
      }
    }
  }

  /// Passes everything up to a quote, a backslash, a control character or the end, eight bytes at a time.
  @inline(__always)
  private mutating func skipPlainCharacters() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    while offset &+ 8 <= bytes.count, let base = bytes.baseAddress {
      let word = UInt64(littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5C)
      // Zero bytes of each term carry their high bit; only bits above the lowest set one can be false.
      let hits =
        ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word)
      if hits & highs != 0 {
        offset &+= (hits & highs).trailingZeroBitCount / 8
        return
      }
      offset &+= 8
    }
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { return }
      offset &+= 1
    }
  }

  private mutating func scanEscape() throws(JSON.Failure) {
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 1
    case UInt8(ascii: "u"):
      offset += 1
      for _ in 0..<4 {
        guard hexDigit(byte) != nil else { throw failure(.badEscape) }
        offset += 1
      }
    default: throw failure(.badEscape)
    }
  }

  private mutating func scanNumber() throws(JSON.Failure) -> (range: Range<Int>, isInteger: Bool) {
    let start = offset
    var isInteger = true
    if byte == UInt8(ascii: "-") { offset += 1 }
    if byte == UInt8(ascii: "0") { offset += 1 } else { try scanDigits() }
    if byte == UInt8(ascii: ".") {
      isInteger = false
      offset += 1
      try scanDigits()
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      offset += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
      try scanDigits()
    }
    return (start..<offset, isInteger)
  }

  private mutating func scanDigits() throws(JSON.Failure) {
    let start = offset
    while byte &- UInt8(ascii: "0") < 10 { offset += 1 }
    guard offset > start else { throw failure(.badNumber) }
  }
}

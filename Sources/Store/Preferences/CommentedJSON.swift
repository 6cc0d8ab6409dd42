import Wire

/// A JSON object with comments and trailing commas, and where each member of it stands in the text.
///
/// Only the outermost object is taken apart: a change replaces the bytes of one value and no other.
struct CommentedJSON {
  /// Where and why the text is not such an object.
  struct Fault: Error, Equatable {
    var offset: Int
    var reason: String
  }

  struct Member: Equatable {
    var key: String
    /// Of the bytes from the key's quote to the end of the value.
    var range: Range<Int>
    var valueRange: Range<Int>
    var value: Value
  }

  indirect enum Value: Equatable {
    case null
    case flag(Bool)
    /// As it was written.
    case number(String)
    case text(String)
    case list([Value])
    /// Nothing in this program's files has objects inside; they are kept as they are.
    case object
  }

  let bytes: [UInt8]
  private(set) var members: [Member] = []
  /// Just behind the `{`.
  private(set) var open = 0
  /// Of the `}`.
  private(set) var close = 0
  /// Of the comma behind the last member.
  private(set) var trailingComma: Int?

  /// Comments, and commas behind the last value of an object or a list.
  private var additions: [Range<Int>] = []
  private var at = 0
  private static let deepest = 128

  init(_ bytes: [UInt8]) throws(Fault) {
    self.bytes = bytes
    if bytes.startsWithByteOrderMark { at = 3 }
    try skipSpace()
    try expect(UInt8(ascii: "{"), "'{'")
    open = at
    try readMembers()
    close = at - 1
    try skipSpace()
    guard at == bytes.count else { throw fault("text after the closing '}'") }
    if let trailingComma { additions.append(trailingComma..<trailingComma + 1) }
  }

  /// The same text as plain JSON: what JSON does not have is blank.
  var plain: [UInt8] {
    var plain = bytes
    for range in additions {
      for index in range where plain[index] != UInt8(ascii: "\n") { plain[index] = UInt8(ascii: " ") }
    }
    return plain
  }

  /// Line and column, both from 1, columns in bytes.
  static func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    let before = bytes.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return (line, offset - start + 1)
  }

  private mutating func readMembers() throws(Fault) {
    while true {
      try skipSpace()
      if take(UInt8(ascii: "}")) { return }
      if !members.isEmpty {
        guard trailingComma != nil else { throw fault("',' or '}' expected") }
        trailingComma = nil
      }
      let start = at
      guard peek == UInt8(ascii: "\"") else { throw fault("a key in double quotes expected") }
      let key = try readText()
      try skipSpace()
      try expect(UInt8(ascii: ":"), "':'")
      try skipSpace()
      let valueStart = at
      let value = try readValue(depth: 1)
      members.append(Member(key: key, range: start..<at, valueRange: valueStart..<at, value: value))
      try skipSpace()
      if take(UInt8(ascii: ",")) { trailingComma = at - 1 }
    }
  }

  private mutating func readValue(depth: Int) throws(Fault) -> Value {
    guard depth < CommentedJSON.deepest else { throw fault("nested too deeply") }
    switch peek {
    case UInt8(ascii: "\""): return .text(try readText())
    case UInt8(ascii: "["): return .list(try readList(depth: depth))
    case UInt8(ascii: "{"):
      try readObject(depth: depth)
      return .object
    case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: return try readNumber()
    default: return try readWord()
    }
  }

  private mutating func readList(depth: Int) throws(Fault) -> [Value] {
    at += 1
    var values: [Value] = []
    var mayGoOn = true
    var comma: Int?
    while true {
      try skipSpace()
      if take(UInt8(ascii: "]")) {
        if let comma { additions.append(comma..<comma + 1) }
        return values
      }
      guard mayGoOn else { throw fault("',' or ']' expected") }
      values.append(try readValue(depth: depth + 1))
      try skipSpace()
      mayGoOn = take(UInt8(ascii: ","))
      comma = mayGoOn ? at - 1 : nil
    }
  }

  private mutating func readObject(depth: Int) throws(Fault) {
    at += 1
    var mayGoOn = true
    var comma: Int?
    while true {
      try skipSpace()
      if take(UInt8(ascii: "}")) {
        if let comma { additions.append(comma..<comma + 1) }
        return
      }
      guard mayGoOn else { throw fault("',' or '}' expected") }
      guard peek == UInt8(ascii: "\"") else { throw fault("a key in double quotes expected") }
      _ = try readText()
      try skipSpace()
      try expect(UInt8(ascii: ":"), "':'")
      try skipSpace()
      _ = try readValue(depth: depth + 1)
      try skipSpace()
      mayGoOn = take(UInt8(ascii: ","))
      comma = mayGoOn ? at - 1 : nil
    }
  }

  private mutating func readWord() throws(Fault) -> Value {
    for (word, value) in [("true", Value.flag(true)), ("false", .flag(false)), ("null", .null)]
    where bytes[at...].starts(with: word.utf8) {
      at += word.utf8.count
      return value
    }
    throw fault("a value expected")
  }

  // RFC 8259, section 6.
  private mutating func readNumber() throws(Fault) -> Value {
    let start = at
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")), skipDigits() == 0 { throw fault("a digit expected") }
    if take(UInt8(ascii: ".")), skipDigits() == 0 { throw fault("a digit expected") }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      if skipDigits() == 0 { throw fault("a digit expected") }
    }
    if let next = peek, next.isWordByte { throw fault("a number expected") }
    return .number(String(decoding: bytes[start..<at], as: UTF8.self))
  }

  private mutating func skipDigits() -> Int {
    let start = at
    while let byte = peek, byte.isDigit { at += 1 }
    return at - start
  }

  private mutating func readText() throws(Fault) -> String {
    at += 1
    var text: [UInt8] = []
    while let byte = peek {
      if byte < 0x20 { throw fault("a line break or control character inside a text") }
      at += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else { throw fault("text that is not UTF-8") }
        return string
      case UInt8(ascii: "\\"): text += try readEscape().utf8
      default: text.append(byte)
      }
    }
    throw fault("a text without its closing quote")
  }

  private mutating func readEscape() throws(Fault) -> String {
    guard let byte = peek else { throw fault("a text without its closing quote") }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return String(UnicodeScalar(byte))
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try readHex()
      if let scalar = UnicodeScalar(UInt32(unit)) { return String(scalar) }
      // Half of a pair: the other half must follow.
      if unit < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
        let low = try readHex()
        if (0xDC00...0xDFFF).contains(low),
          let scalar = UnicodeScalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        {
          return String(scalar)
        }
      }
      throw fault("half of a surrogate pair")
    default: throw fault("an unknown escape")
    }
  }

  private mutating func readHex() throws(Fault) -> UInt16 {
    let digits = bytes[at...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw fault("four hexadecimal digits expected") }
    at += 4
    return unit
  }

  private mutating func skipSpace() throws(Fault) {
    while let byte = peek {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): at += 1
      case UInt8(ascii: "/"): try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(Fault) {
    let start = at
    defer { additions.append(start..<at) }
    at += 1
    if take(UInt8(ascii: "/")) {
      while let byte = peek, byte != UInt8(ascii: "\n") { at += 1 }
    } else if take(UInt8(ascii: "*")) {
      while at < bytes.count {
        if take(UInt8(ascii: "*")) { if take(UInt8(ascii: "/")) { return } } else { at += 1 }
      }
      at = start
      throw fault("a comment without its end")
    } else {
      at = start
      throw fault("a value expected")
    }
  }

  private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    at += 1
    return true
  }

  private mutating func expect(_ byte: UInt8, _ name: String) throws(Fault) {
    guard take(byte) else { throw fault("\(name) expected") }
  }

  private func fault(_ reason: String) -> Fault { Fault(offset: at, reason: reason) }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// A letter, a digit or a sign that numbers and words are made of.
  fileprivate var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"): true
    default: isDigit
    }
  }
}

/// Where and why a file is not JSON, with comments or without.
package struct CommentedJSONProblem: Error, Sendable, Equatable {
  /// From 1.
  package let line: Int
  package let reason: String
}

extension JSON {
  /// Parses an object that may have comments and trailing commas, as other programs keep their settings.
  package init(commented text: String) throws(CommentedJSONProblem) {
    let bytes = Array(text.utf8)
    do throws(CommentedJSON.Fault) {
      let plain = try CommentedJSON(bytes).plain
      do throws(JSON.Failure) { self = try JSON(parsing: plain) } catch {
        throw CommentedJSON.Fault(offset: error.offset, reason: "no JSON")
      }
    } catch {
      throw CommentedJSONProblem(line: CommentedJSON.position(of: error.offset, in: bytes).line, reason: error.reason)
    }
  }
}

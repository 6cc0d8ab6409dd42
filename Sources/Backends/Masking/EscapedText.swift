import Text

/// Text that a program may have escaped for JSON (also for JSON within JSON), for an address or for a web page, and that
/// may hold characters which a reader does not see: control characters and the escape sequences of terminals, invisible
/// characters, Markdown's marks, tags, blanks.
struct EscapedText {
  /// One way to read the text at a place.
  struct Reading {
    var bytes: [UInt8]
    var end: Int
    /// Whether the reading may be skipped within a secret.
    var isIgnored = false
  }

  /// The readings at a place. `isCut`: the text ends within an escape.
  typealias Readings = (readings: [Reading], isCut: Bool)

  /// The longest tag and the longest escape sequence that are ignored.
  private static let sequenceLimit = 256
  /// The longest name of an entity is `CounterClockwiseContourIntegral`.
  private static let entityLimit = 33
  private static let ignoredMarks = Array("*_~`".utf8)
  private static let backspace: UInt8 = 0x08
  private static let controlEscapes: [UInt8: UInt32] = [
    UInt8(ascii: "0"): 0, UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10,
    UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13, UInt8(ascii: "e"): 0x1B,
  ]

  let bytes: UnsafeBufferPointer<UInt8>
  /// Whether blanks and line ends are ignored.
  let ignoresBlanks: Bool

  /// Whether the byte at a place may start an escape or may be skipped.
  func hasReadings(at place: Int) -> Bool {
    switch bytes[place] {
    case 0...0x20, 0x7F...: true
    case UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "<"): true
    case let byte: EscapedText.ignoredMarks.contains(byte) || isErased(place)
    }
  }

  func readings(at place: Int) -> Readings {
    let byte = bytes[place]
    return switch byte {
    case UInt8(ascii: "\\"): backslash(at: place)
    case UInt8(ascii: "%"): percent(at: place)
    case UInt8(ascii: "&"): entity(at: place)
    case UInt8(ascii: "<"): tag(at: place)
    case 0x80...: character(at: place)
    case 0...0x20, 0x7F: scalar(UInt32(byte), end: place + 1)
    default:
      (
        [
          Reading(
            bytes: [byte], end: place + 1,
            isIgnored: EscapedText.ignoredMarks.contains(byte) || isErased(place))
        ], false
      )
    }
  }

  /// Whether a backspace follows: a terminal would overwrite the character.
  private func isErased(_ place: Int) -> Bool {
    place + 1 < bytes.count && bytes[place + 1] == EscapedText.backspace
  }
}

extension EscapedText {
  /// `\/`, `\"`, `\u0063`, `\x2F`, `\n`; with more backslashes where JSON is written within JSON.
  private func backslash(at place: Int) -> Readings {
    let next = bytes[place...].firstIndex { $0 != UInt8(ascii: "\\") } ?? bytes.count
    let count = next - place
    var readings = [1, 2, 4].filter { $0 <= count }.map {
      Reading(bytes: [UInt8(ascii: "\\")], end: place + $0)
    }
    // Markdown hides a backslash, and one at the end of a line is a line break.
    readings.append(Reading(bytes: Array(bytes[place..<next]), end: next, isIgnored: true))
    guard next < bytes.count else { return (readings, true) }
    let (escaped, isCut) = escape(bytes[next], end: next + 1)
    return (readings + escaped, isCut)
  }

  /// Returns the readings of the letter or mark after a backslash.
  private func escape(_ byte: UInt8, end: Int) -> Readings {
    switch byte {
    case UInt8(ascii: "u"): codeUnit(at: end)
    case UInt8(ascii: "x"):
      number(at: end, digits: 2).map { scalar($0, end: end + 2) } ?? ([], isCut(within: 2, digitsAt: end))
    case _ where byte.isPunctuation: ([Reading(bytes: [byte], end: end)], false)
    default: EscapedText.controlEscapes[byte].map { scalar($0, end: end) } ?? ([], false)
    }
  }

  /// The digits of `\u0063`, or of a pair of surrogates.
  private func codeUnit(at place: Int) -> Readings {
    guard let unit = number(at: place, digits: 4) else { return ([], isCut(within: 4, digitsAt: place)) }
    let end = place + 4
    guard 0xD800...0xDBFF ~= unit else { return scalar(unit, end: end) }
    let low = bytes[end...].firstIndex { $0 != UInt8(ascii: "\\") } ?? bytes.count
    guard low < bytes.count, low + 5 <= bytes.count || bytes[low] != UInt8(ascii: "u") else { return ([], true) }
    guard low > end, bytes[low] == UInt8(ascii: "u"), let other = number(at: low + 1, digits: 4),
      0xDC00...0xDFFF ~= other
    else { return ([], false) }
    return scalar(0x10000 + (unit - 0xD800) << 10 + (other - 0xDC00), end: low + 5)
  }

  /// `%2F`, and `%252F` where an address is written within an address.
  private func percent(at place: Int) -> Readings {
    var readings = [Reading(bytes: [UInt8(ascii: "%")], end: place + 1)]
    var next = place + 1
    while bytes[next...].starts(with: "25".utf8) {
      next += 2
      readings.append(Reading(bytes: [UInt8(ascii: "%")], end: next))
    }
    guard let byte = number(at: next, digits: 2) else { return (readings, isCut(within: 2, digitsAt: next)) }
    if byte < 0x80 {
      let (decoded, isCut) = scalar(byte, end: next + 2)
      return (readings + decoded, isCut)
    }
    return (readings + [Reading(bytes: [UInt8(byte)], end: next + 2)], false)
  }

  /// `&sol;`, `&#47;`, `&#x2F;`.
  private func entity(at place: Int) -> Readings {
    let literal = Reading(bytes: [UInt8(ascii: "&")], end: place + 1)
    let rest = bytes[(place + 1)...].prefix(EscapedText.entityLimit)
    guard let end = rest.firstIndex(where: { !$0.isAlphanumeric && $0 != UInt8(ascii: "#") }) else {
      return ([literal], rest.count < EscapedText.entityLimit)
    }
    guard let text = Entity.text(rest[...end]) else { return ([literal], false) }
    let scalars = text.unicodeScalars
    guard scalars.count == 1, let first = scalars.first else {
      return ([literal, Reading(bytes: Array(text.utf8), end: end + 1)], false)
    }
    let (decoded, isCut) = scalar(first.value, end: end + 1)
    return ([literal] + decoded, isCut)
  }

  /// `<b>`, `<!-- -->`.
  private func tag(at place: Int) -> Readings {
    let literal = Reading(bytes: [UInt8(ascii: "<")], end: place + 1)
    let rest = bytes[place...].prefix(EscapedText.sequenceLimit)
    guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
      return ([literal], rest.count < EscapedText.sequenceLimit)
    }
    return ([literal, Reading(bytes: Array(bytes[place...end]), end: end + 1, isIgnored: true)], false)
  }

  /// Returns the readings of an unescaped character beyond ASCII.
  private func character(at place: Int) -> Readings {
    let length =
      switch bytes[place] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    let encoded = Array(bytes[place...].prefix(length))
    guard encoded.count == length else { return ([Reading(bytes: encoded, end: bytes.count)], true) }
    guard length > 1, let first = String(decoding: encoded, as: UTF8.self).unicodeScalars.first else {
      return ([Reading(bytes: encoded, end: place + 1)], false)
    }
    return scalar(first.value, end: place + length)
  }
}

extension EscapedText {
  /// Returns the readings of a decoded character that ends before `end`.
  private func scalar(_ value: UInt32, end: Int) -> Readings {
    guard let scalar = Unicode.Scalar(value) else { return ([], false) }
    let encoded = Array(String(scalar).utf8)
    let isBlank = scalar.properties.isWhitespace
    let isControl = scalar.properties.generalCategory == .control
    let reading = Reading(
      bytes: encoded, end: end, isIgnored: isBlank ? ignoresBlanks : isControl || Filter.isInvisible(scalar))
    guard isControl, let (sequenceEnd, isCut) = sequence(value, from: end) else { return ([reading], false) }
    if isCut { return ([reading], true) }
    return ([reading, Reading(bytes: encoded + bytes[end..<sequenceEnd], end: sequenceEnd, isIgnored: true)], false)
  }

  /// The end of the escape sequence that a control character begins (ECMA-48), or whether the text ends first.
  private func sequence(_ introducer: UInt32, from place: Int) -> (end: Int, isCut: Bool)? {
    var place = place
    var kind = UInt8(truncatingIfNeeded: introducer &- 0x40)
    if introducer == 0x1B {
      guard place < bytes.count else { return (place, true) }
      kind = bytes[place]
      place += 1
    } else if introducer < 0x80 {
      return nil
    }
    let rest = bytes[place...].prefix(EscapedText.sequenceLimit)
    let last: Int?
    switch kind {
    case UInt8(ascii: "["): last = rest.firstIndex { !(0x20...0x3F ~= $0) }
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
      last = rest.indices.first { endsString($0) }
    case 0x20...0x2F: last = rest.firstIndex { !(0x20...0x2F ~= $0) }
    default: return introducer == 0x1B ? (place, false) : nil
    }
    guard let last else { return rest.count < EscapedText.sequenceLimit ? (place, true) : nil }
    return (last + 1, false)
  }

  /// BEL, ESC `\` or U+009C.
  private func endsString(_ place: Int) -> Bool {
    switch bytes[place] {
    case 0x07: true
    case UInt8(ascii: "\\"): bytes[place - 1] == 0x1B
    case 0x9C: bytes[place - 1] == 0xC2
    default: false
    }
  }

  private func number(at place: Int, digits: Int) -> UInt32? {
    guard place + digits <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[place..<(place + digits)] {
      guard let digit = byte.hexValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Whether the text ends within so many digits.
  private func isCut(within count: Int, digitsAt place: Int) -> Bool {
    let digits = bytes[place...].prefix(count)
    return digits.count < count && digits.allSatisfy { $0.hexValue != nil }
  }
}

extension UInt8 {
  fileprivate var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46, 0x61...0x66: (self | 0x20) - 0x57
    default: nil
    }
  }

  fileprivate var isAlphanumeric: Bool {
    0x30...0x39 ~= self || 0x41...0x5A ~= self || 0x61...0x7A ~= self
  }

  fileprivate var isPunctuation: Bool { 0x21...0x7E ~= self && !isAlphanumeric && self != UInt8(ascii: "\\") }
}

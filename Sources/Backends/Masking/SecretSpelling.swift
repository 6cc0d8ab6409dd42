import Text

/// Compares text with a secret in every spelling that programs give a text: as it is, with the escapes of JSON (also of
/// JSON within JSON), of addresses and of web pages, and with characters between its own that nobody sees: invisible
/// ones, Markdown's marks and tags. Whatever shows the text removes those, which would join the secret again
/// (docs/rules.md C6).
struct SecretSpelling {
  enum Match: Equatable {
    case none
    /// The secret ends before this place.
    case whole(end: Int)
    /// The text ends within the secret, or within an escape, after so many bytes of the secret.
    case cut(matched: Int)
  }

  /// One of the ways to read the text at a place.
  private struct Reading {
    var bytes: [UInt8]
    var end: Int
    var isInvisible = false
  }

  /// A limit for secrets and texts that are made of backslashes.
  private static let stepLimit = 1 << 16
  private static let tagLimit = 64
  private static let marks = Array(#"\%&<*_~`"#.utf8) + [0]

  let text: UnsafeBufferPointer<UInt8>
  let secret: UnsafeBufferPointer<UInt8>

  func match(at start: Int) -> Match {
    var place = start
    var matched = 0
    while matched < secret.count {
      guard place < text.count else { return .cut(matched: matched) }
      let byte = text[place]
      if SecretSpelling.hasReadings(byte) { return branch(from: place, matched) }
      guard byte == secret[matched] else { return .none }
      place += 1
      matched += 1
    }
    return .whole(end: place)
  }

  /// Whether a byte may begin something else than itself.
  private static func hasReadings(_ byte: UInt8) -> Bool { byte >= 0x80 || marks.contains(byte) }

  /// Tries the readings of each place, depth first.
  private func branch(from place: Int, _ matched: Int) -> Match {
    var open = [(place: place, matched: matched)]
    var longestCut: Int?
    var steps = 0
    while let (place, matched) = open.popLast(), steps < SecretSpelling.stepLimit {
      steps += 1
      if matched == secret.count { return .whole(end: place) }
      guard place < text.count else {
        longestCut = max(longestCut ?? 0, matched)
        continue
      }
      let (readings, isCut) = readings(at: place)
      if isCut { longestCut = max(longestCut ?? 0, matched) }
      for reading in readings {
        if reading.isInvisible, matched > 0 { open.append((reading.end, matched)) }
        if secret[matched...].starts(with: reading.bytes) { open.append((reading.end, matched + reading.bytes.count)) }
      }
    }
    return longestCut.map { .cut(matched: $0) } ?? .none
  }

  private func readings(at place: Int) -> (readings: [Reading], isCut: Bool) {
    switch text[place] {
    case UInt8(ascii: "\\"): backslash(at: place)
    case UInt8(ascii: "%"): percent(at: place)
    case UInt8(ascii: "&"): entity(at: place)
    case UInt8(ascii: "<"): tag(at: place)
    case 0x80...: character(at: place)
    default:
      ([Reading(bytes: [text[place]], end: place + 1, isInvisible: SecretSpelling.marks.contains(text[place]))], false)
    }
  }
}

extension SecretSpelling {
  /// `\/`, `\"`, `\u0063`; with more backslashes where JSON is written within JSON.
  private func backslash(at place: Int) -> (readings: [Reading], isCut: Bool) {
    let next = text[place...].firstIndex { $0 != UInt8(ascii: "\\") } ?? text.count
    let count = next - place
    var readings = [1, 2, 4].filter { $0 <= count }.map {
      Reading(bytes: [UInt8(ascii: "\\")], end: place + $0)
    }
    guard next < text.count else { return (readings, true) }
    let byte = text[next]
    guard byte == UInt8(ascii: "u") else {
      if byte.isPunctuation { readings.append(Reading(bytes: [byte], end: next + 1)) }
      return (readings, false)
    }
    guard var unit = number(at: next + 1, digits: 4) else {
      return (readings, isCut(text[(next + 1)...].prefix(4), of: 4, where: { $0.hexValue != nil }))
    }
    var end = next + 5
    if 0xD800...0xDBFF ~= unit {
      let low = text[end...].firstIndex { $0 != UInt8(ascii: "\\") } ?? text.count
      guard low < text.count, low + 5 <= text.count || text[low] != UInt8(ascii: "u") else { return (readings, true) }
      guard low > end, text[low] == UInt8(ascii: "u"), let other = number(at: low + 1, digits: 4),
        0xDC00...0xDFFF ~= other
      else { return (readings, false) }
      unit = 0x10000 + (unit - 0xD800) << 10 + (other - 0xDC00)
      end = low + 5
    }
    if let reading = reading(of: unit, end: end) { readings.append(reading) }
    return (readings, false)
  }

  /// `%2F`, and `%252F` where an address is written within an address.
  private func percent(at place: Int) -> (readings: [Reading], isCut: Bool) {
    var readings = [Reading(bytes: [UInt8(ascii: "%")], end: place + 1)]
    var next = place + 1
    while text[next...].starts(with: "25".utf8) {
      next += 2
      readings.append(Reading(bytes: [UInt8(ascii: "%")], end: next))
    }
    guard let byte = number(at: next, digits: 2) else {
      return (readings, isCut(text[next...].prefix(2), of: 2, where: { $0.hexValue != nil }))
    }
    readings.append(Reading(bytes: [UInt8(byte)], end: next + 2))
    return (readings, false)
  }

  /// `&amp;`, `&#47;`, `&#x2F;`.
  private func entity(at place: Int) -> (readings: [Reading], isCut: Bool) {
    let literal = Reading(bytes: [UInt8(ascii: "&")], end: place + 1)
    let name = text[(place + 1)...].prefix(9).prefix { $0 != UInt8(ascii: ";") }
    let end = place + 1 + name.count
    guard name.count < 9, name.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "#") }) else {
      return ([literal], false)
    }
    guard end < text.count else { return ([literal], true) }
    let word = String(decoding: name, as: UTF8.self)
    let names: [String: UInt32] = ["amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27]
    let scalar =
      if word.lowercased().hasPrefix("#x") {
        UInt32(word.dropFirst(2), radix: 16)
      } else if word.hasPrefix("#") {
        UInt32(word.dropFirst())
      } else {
        names[word]
      }
    guard let reading = scalar.flatMap({ reading(of: $0, end: end + 1) }) else { return ([literal], false) }
    return ([literal, reading], false)
  }

  /// `<b>`, `<!-- -->`.
  private func tag(at place: Int) -> (readings: [Reading], isCut: Bool) {
    let literal = Reading(bytes: [UInt8(ascii: "<")], end: place + 1)
    let rest = text[place...].prefix(SecretSpelling.tagLimit)
    guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
      return ([literal], rest.count < SecretSpelling.tagLimit)
    }
    return ([literal, Reading(bytes: Array(text[place...end]), end: end + 1, isInvisible: true)], false)
  }

  private func character(at place: Int) -> (readings: [Reading], isCut: Bool) {
    let length =
      switch text[place] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    let bytes = Array(text[place...].prefix(length))
    let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first
    let isInvisible = bytes.count == length && length > 1 && scalar.map(Filter.isInvisible) ?? false
    return ([Reading(bytes: bytes, end: place + bytes.count, isInvisible: isInvisible)], bytes.count < length)
  }

  private func reading(of value: UInt32, end: Int) -> Reading? {
    guard let scalar = Unicode.Scalar(value) else { return nil }
    return Reading(
      bytes: Array(String(scalar).utf8), end: end, isInvisible: value == 0 || Filter.isInvisible(scalar))
  }

  private func number(at place: Int, digits: Int) -> UInt32? {
    guard place + digits <= text.count else { return nil }
    var value: UInt32 = 0
    for byte in text[place..<(place + digits)] {
      guard let digit = byte.hexValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Whether the text ends within an escape of so many signs.
  private func isCut(_ signs: Slice<UnsafeBufferPointer<UInt8>>, of count: Int, where isSign: (UInt8) -> Bool) -> Bool {
    signs.count < count && signs.allSatisfy(isSign)
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

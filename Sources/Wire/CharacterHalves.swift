/// Halves of characters that a server cut in two: each is an escape such as `\ud83c` in a JSON string of its own.
///
/// A `JSONReader` that keeps halves replaces each with a mark: a noncharacter, which valid text never contains, and a
/// private-use character that identifies the half. Every such text must pass `joiningHalves` or a `HalfJoiner`.
enum CharacterHalf {
  /// U+FDD0, which Swift does not allow in a literal.
  private static let sign = Unicode.Scalar(UInt32(0xFDD0)) ?? "\u{FFFD}"
  private static let base: UInt32 = 0xF0000
  /// The first byte of the sign in UTF-8.
  static let firstByte: UInt8 = 0xEF

  /// Appends the mark of a half. Returns false if the value is not a half.
  static func append(_ unit: UInt32, to text: inout [UInt8]) -> Bool {
    guard 0xD800...0xDFFF ~= unit, let stand = Unicode.Scalar(base + unit) else { return false }
    for scalar in [sign, stand] { text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) }
    return true
  }

  /// Whether a private character stands for the first half of a character.
  static func stands(_ stand: Unicode.Scalar, forFirstHalfOf scalar: Unicode.Scalar) -> Bool {
    stand.value == base + 0xD800 + (scalar.value - 0x10000) >> 10
  }

  /// The text with its marks resolved: two halves are a character, and one alone is U+FFFD.
  static func resolved(_ text: String) -> String {
    guard text.unicodeScalars.contains(sign) else { return text }
    var output = String.UnicodeScalarView()
    var high: UInt32?
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      var half: UInt32?
      if scalar == sign, let stand = rest.first, base + 0xD800...base + 0xDFFF ~= stand.value {
        half = stand.value - base
        rest.removeFirst()
      }
      if let first = high, let low = half, low >= 0xDC00 {
        output.append(Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}")
        high = nil
        continue
      }
      if high != nil { output.append("\u{FFFD}") }
      high = half.flatMap { $0 < 0xDC00 ? $0 : nil }
      if half == nil { output.append(scalar) } else if high == nil { output.append("\u{FFFD}") }
    }
    if high != nil { output.append("\u{FFFD}") }
    return String(output)
  }
}

extension String {
  /// The text with the halves of characters joined.
  package var joiningHalves: String { utf8.contains(CharacterHalf.firstByte) ? CharacterHalf.resolved(self) : self }
}

extension JSON {
  /// The same with the halves of characters joined in each of its texts.
  package var joiningHalves: JSON {
    switch self {
    case .string(let text): .string(text.joiningHalves)
    case .array(let elements): .array(elements.map(\.joiningHalves))
    case .object(let members):
      .object(members.map { Member($0.key, $0.value.joiningHalves) })
    default: self
    }
  }
}

extension [UInt8] {
  /// Whether the bytes start with a whole character whose first half is `half`, as `countOfFirstHalf` bytes have it.
  package func startsWithCharacter(ofFirstHalf half: [UInt8]) -> Bool {
    let pair = String(decoding: half, as: UTF8.self).unicodeScalars.last
    let scalar = String(decoding: prefix(4), as: UTF8.self).unicodeScalars.first
    guard let pair, let scalar, scalar.value > 0xFFFF else { return false }
    return CharacterHalf.stands(pair, forFirstHalfOf: scalar)
  }

  /// The number of bytes at the end that mark a first half, whose other half may follow.
  package var countOfFirstHalf: Int {
    guard count >= 7 else { return 0 }
    let mark = suffix(7)
    let isFirst = mark.starts(with: [0xEF, 0xB7, 0x90, 0xF3, 0xBD]) && 0xA0...0xAF ~= self[count - 2]
    return isFirst ? 7 : 0
  }
}

/// Joins the halves of characters over the pieces of a text.
package struct HalfJoiner: Sendable {
  private var held: [UInt8] = []

  package init() {}

  /// Returns the next piece without a first half at its end.
  package mutating func take(_ piece: String) -> String {
    guard !held.isEmpty || piece.utf8.contains(CharacterHalf.firstByte) else { return piece }
    var bytes = held + Array(piece.utf8)
    held = bytes.suffix(bytes.countOfFirstHalf)
    bytes.removeLast(held.count)
    return String(decoding: bytes, as: UTF8.self).joiningHalves
  }
}

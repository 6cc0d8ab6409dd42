extension JSONReader {
  /// Resolves the escapes of a string that has been validated; half a surrogate pair becomes U+FFFD, or a mark if it is
  /// to be kept.
  static func unescape(
    _ raw: Slice<UnsafeBufferPointer<UInt8>>, into text: inout [UInt8], keepsHalves: Bool = false
  ) {
    var index = raw.startIndex
    while index < raw.endIndex {
      let whole = UnsafeBufferPointer(rebasing: raw[index...])
      let count = whole.first(UInt8(ascii: "\\"), from: 0) ?? whole.count
      text.append(contentsOf: UnsafeBufferPointer(rebasing: whole[..<count]))
      index += count + 1
      guard index < raw.endIndex else { return }
      let letter = raw[index]
      index += 1
      guard letter == UInt8(ascii: "u") else {
        text.append(character(ofEscape: letter))
        continue
      }
      var unit = hexUnit(raw[index...])
      index = min(index + 4, raw.endIndex)
      if unit & 0xFC00 == 0xD800, let low = lowSurrogate(raw[index...]) {
        unit = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
        index += 6
      }
      if keepsHalves, CharacterHalf.append(unit, to: &text) { continue }
      append(Unicode.Scalar(unit) ?? "\u{FFFD}", to: &text)
    }
  }

  private static func character(ofEscape letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  private static func hexUnit(_ raw: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32 {
    raw.prefix(4).reduce(0) { $0 << 4 | UInt32(hexDigit($1) ?? 0) }
  }

  private static func lowSurrogate(_ raw: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
    guard raw.count >= 6, raw.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return nil }
    let unit = hexUnit(raw.dropFirst(2))
    return unit & 0xFC00 == 0xDC00 ? unit : nil
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}

/// The value of a hexadecimal digit in ASCII.
func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

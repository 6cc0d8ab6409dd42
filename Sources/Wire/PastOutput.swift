/// Output of a terminal that is shown again. A screen would answer what asks it something as if that were asked now, and
/// the answer be typed into the shell; titles, the clipboard and the bell are of then too (xterm's control sequences).
package enum PastOutput {
  /// The same bytes without those.
  package static func harmless(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let length = self.length(of: bytes[index...])
      let piece = bytes[index..<(index + length)]
      if !isSpokenTo(piece) { out += piece }
      index += length
    }
    return out
  }

  /// Of the character or sequence that bytes begin with.
  private static func length(of bytes: ArraySlice<UInt8>) -> Int {
    guard let first = bytes.first else { return 0 }
    let rest = bytes.dropFirst()
    switch (first, rest.first) {
    case (0x1B, UInt8(ascii: "[")): return 2 + toFinal(rest.dropFirst())
    case (0x1B, UInt8(ascii: "]")), (0x1B, UInt8(ascii: "P")), (0x1B, UInt8(ascii: "X")), (0x1B, UInt8(ascii: "^")),
      (0x1B, UInt8(ascii: "_")), (0x1B, UInt8(ascii: "k")):
      return 2 + toTerminator(rest.dropFirst())
    // Broken off, or with a control in it that acts within: what follows may go on as a sequence, and is text without it.
    case (0x1B, .some(0x00...0x1F)), (0x1B, 0x7F?): return 1
    case (0x1B, .some): return 2
    // The same controls in one character.
    case (0xC2, 0x9B?): return 2 + toFinal(rest.dropFirst())
    case (0xC2, .some(0x80...0x9F)): return 2
    default: return 1
    }
  }

  private static func toFinal(_ bytes: ArraySlice<UInt8>) -> Int {
    for (count, byte) in bytes.enumerated() {
      if 0x40...0x7E ~= byte { return count + 1 }
      // What breaks it off begins anew.
      if byte == 0x1B || byte == 0x18 || byte == 0x1A { return count }
    }
    return bytes.count
  }

  private static func toTerminator(_ bytes: ArraySlice<UInt8>) -> Int {
    var wasEscape = false
    for (count, byte) in bytes.enumerated() {
      if byte == 0x07 || byte == 0x18 || byte == 0x1A || wasEscape && byte == UInt8(ascii: "\\") { return count + 1 }
      if wasEscape { return count - 1 }
      wasEscape = byte == 0x1B
    }
    return bytes.count
  }

  /// Whether a sequence asks something, or does what was meant for another moment.
  private static func isSpokenTo(_ piece: ArraySlice<UInt8>) -> Bool {
    guard let first = piece.first else { return false }
    if piece.count == 1 { return first == 0x05 || first == 0x07 || first == 0x1B }
    if first == 0xC2 { return true }
    guard first == 0x1B, let second = piece.dropFirst().first, let last = piece.last else { return false }
    guard second == UInt8(ascii: "[") else { return "]PX^_kZ".utf8.contains(second) }
    let parameters = piece.dropFirst(2).dropLast()
    switch last {
    case UInt8(ascii: "c"), UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "x"), UInt8(ascii: "i"),
      UInt8(ascii: "|"):
      return true
    case UInt8(ascii: "p"), UInt8(ascii: "w"): return parameters.contains(UInt8(ascii: "$"))
    case UInt8(ascii: "y"): return parameters.contains(UInt8(ascii: "*"))
    case UInt8(ascii: "R"): return parameters.contains(UInt8(ascii: "#"))
    case UInt8(ascii: "S"), UInt8(ascii: "m"): return parameters.first == UInt8(ascii: "?")
    case UInt8(ascii: "q"): return parameters.first == UInt8(ascii: ">")
    case UInt8(ascii: "u"): return parameters.first == UInt8(ascii: "?") || parameters.contains(UInt8(ascii: "$"))
    default: return false
    }
  }
}

import TestSupport

/// Random text, as nobody would write it.
extension SeededNumbers {
  mutating func scalar() -> Unicode.Scalar {
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0x61...0x7A, 0x61...0x7A, 0x20...0x20, 0x00...0x1F, 0x09...0x0D, 0x7F...0x9F,
      0xA0...0x24F,
      0x300...0x36F, 0x600...0x6FF, 0x900...0x97F, 0xE00...0xE7F, 0x1100...0x11FF, 0x200B...0x200F,
      0x200C...0x200D,
      0x2028...0x202E, 0x2060...0x206F, 0x20D0...0x20F0, 0x2600...0x27BF, 0x3000...0x30FF,
      0x4E00...0x9FFF,
      0xAC00...0xD7A3, 0xD7B0...0xD7FF, 0xE000...0xF8FF, 0xFDD0...0xFDEF, 0xFE00...0xFE0F,
      0xFF00...0xFFFF,
      0x1F1E6...0x1F1FF, 0x1F300...0x1F6FF, 0x1F3FB...0x1F3FF, 0x1F900...0x1FAFF,
      0xE0000...0xE0FFF, 0x0...0x10FFFF,
    ]
    let range = pick(ranges)
    return Unicode.Scalar(range.lowerBound + UInt32(below(range.count))) ?? "\u{FFFD}"
  }

  mutating func text(upTo count: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<below(count + 1) { scalars.append(scalar()) }
    return String(scalars)
  }

  /// Mostly UTF-8, damaged here and there.
  mutating func bytes(upTo count: Int) -> [UInt8] {
    var bytes = Array(text(upTo: count).utf8)
    for _ in 0..<below(4) where !bytes.isEmpty {
      let index = below(bytes.count)
      if below(2) == 0 { bytes[index] = UInt8(truncatingIfNeeded: next()) } else { bytes.remove(at: index) }
    }
    return bytes
  }

  mutating func pieces<Whole: RangeReplaceableCollection>(of whole: Whole) -> [Whole] {
    var pieces: [Whole] = []
    var rest = whole[...]
    while !rest.isEmpty {
      let piece = rest.prefix(below(6))
      pieces.append(Whole(piece))
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }

  mutating func pieces(of text: String) -> [String] {
    pieces(of: text.unicodeScalars).map { String($0) }
  }
}

import CText

/// The scalar at `i`, which moves behind it; the bytes are well formed because a `String` lent them.
@inline(__always) func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ i: inout Int) -> UInt32 {
  let first = UInt32(bytes[i])
  func next(_ offset: Int) -> UInt32 { UInt32(bytes[i + offset]) & 0x3F }
  switch first {
  case ..<0x80:
    i += 1
    return first
  case ..<0xE0:
    defer { i += 2 }
    return (first & 0x1F) << 6 | next(1)
  case ..<0xF0:
    defer { i += 3 }
    return (first & 0x0F) << 12 | next(1) << 6 | next(2)
  default:
    defer { i += 4 }
    return (first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3)
  }
}

/// Where the printable ASCII that starts at `start` ends.
@inline(__always) func endOfPrintableASCII(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
  guard let base = bytes.baseAddress else { return start }
  return ctext_printable_end(base, start, bytes.count)
}

/// Where the text that starts at `start` ends of which no filter changes anything: printable ASCII and well-formed scalars
/// that make a grapheme of their own (`Cells.simpleWidth`).
func endOfSimpleText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
  var i = endOfPrintableASCII(bytes, from: start)
  while i < bytes.count, bytes[i] >= 0xC2, bytes[i] < 0xF0 {
    let isLong = bytes[i] >= 0xE0
    let end = i + (isLong ? 3 : 2)
    guard end <= bytes.count, bytes[i + 1] & 0xC0 == 0x80, bytes[end - 1] & 0xC0 == 0x80 else { return i }
    var next = i
    let scalar = decode(bytes, &next)
    // Longer than it has to be is ill-formed.
    guard scalar >= (isLong ? 0x800 : 0x80), Cells.simpleWidth(scalar) > 0 else { return i }
    i = endOfPrintableASCII(bytes, from: end)
  }
  return i
}

/// Bytes that arrive in pieces, decoded strictly: each ill-formed part becomes U+FFFD by the maximal-subpart rule
/// (Unicode, section 3.9; WHATWG Encoding), wherever the pieces were cut.
struct UTF8Pieces: Sendable {
  private var unfinished: [UInt8] = []

  mutating func feed(_ bytes: [UInt8]) -> String {
    let all = unfinished.isEmpty ? bytes : unfinished + bytes
    let tail = Self.unfinishedTail(of: all)
    unfinished = Array(all.suffix(tail))
    return String(decoding: all.dropLast(tail), as: UTF8.self)
  }

  /// What an interrupted scalar leaves behind.
  mutating func finish() -> String {
    defer { unfinished.removeAll() }
    return unfinished.isEmpty ? "" : "\u{FFFD}"
  }

  var isWhole: Bool { unfinished.isEmpty }

  /// How many bytes at the end begin a well-formed scalar without finishing it (Unicode, table 3-7).
  private static func unfinishedTail(of bytes: [UInt8]) -> Int {
    for back in 1...3 where back <= bytes.count {
      let lead = bytes[bytes.count - back]
      if lead & 0xC0 == 0x80 { continue }
      guard length(after: lead) > back else { return 0 }
      return back == 1 || secondBytes(after: lead).contains(bytes[bytes.count - back + 1]) ? back : 0
    }
    return 0
  }

  private static func length(after lead: UInt8) -> Int {
    switch lead {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  private static func secondBytes(after lead: UInt8) -> ClosedRange<UInt8> {
    switch lead {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
  }
}

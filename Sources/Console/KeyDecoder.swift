/// One thing that came from the keyboard.
enum Key: Equatable {
  case scalar(UInt32)
  /// A whole escape sequence of a function key, ESC included (ECMA-48 control sequences, SS3, and ESC Return).
  case sequence([UInt8])
  /// What stood between the marks of a bracketed paste.
  case paste([UInt8])
}

/// Terminal input to keys, indifferent to where reads were split.
struct KeyDecoder {
  private var bytes: [UInt8] = []
  private var start = 0
  private var pasteBegan: Int?
  /// Up to here the paste or the reply of the terminal has no end mark.
  private var searched = 0
  private var areKeys = false

  /// Whether what was taken is overwritten.
  private let keepsSecrets: Bool

  /// - Parameter keepsSecrets: what is decoded stays in one place, and is overwritten once it is taken.
  init(keepsSecrets: Bool = false) {
    self.keepsSecrets = keepsSecrets
    if keepsSecrets { bytes.reserveCapacity(2 * SecretBytes.limit) }
  }

  private static let pasteBegin: [UInt8] = Array("\u{1B}[200~".utf8)
  private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

  mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  var isEmpty: Bool { start == bytes.count }

  var isInPaste: Bool { pasteBegan != nil }

  /// Whether nothing but an ESC waits: the key itself, or the beginning of a sequence.
  var holdsLoneEscape: Bool { pasteBegan == nil && bytes.count - start == 1 && bytes[start] == 0x1B }

  /// Whether the buffer starts with an Alt key that may be the start of a terminal reply.
  var holdsPossibleReply: Bool {
    pasteBegan == nil && bytes.count - start > 1 && bytes[start] == 0x1B
      && TerminalReply.matches(bytes[(start + 1)...]) == nil
  }

  /// Treats the buffered bytes as keys after the timeout.
  mutating func takePossibleReplyAsKeys() { areKeys = true }

  /// Whether the end mark of a paste is here. What follows at once may show that the mark was part of the paste.
  var holdsPasteEnd: Bool {
    mutating get {
      guard pasteBegan != nil else { return false }
      return findPasteEnd() != nil
    }
  }

  /// The ESC that waited alone, when it waited long enough.
  mutating func takeLoneEscape() -> Key? {
    guard holdsLoneEscape else { return nil }
    drop(1)
    return .scalar(0x1B)
  }

  /// What is not decoded yet.
  mutating func takeRest() -> [UInt8] {
    let rest = Array(bytes[start...])
    drop(rest.count)
    return rest
  }

  /// The next whole key; nil when more bytes are needed.
  mutating func next() -> Key? {
    while start < bytes.count {
      if let began = pasteBegan {
        guard let end = findPasteEnd() else { return nil }
        return takePaste(from: began, to: end)
      }
      let byte = bytes[start]
      if byte == 0x1B {
        switch escapeLength() {
        case nil: return nil
        case 1:
          switch areKeys ? false : TerminalReply.matches(bytes[(start + 1)...]) {
          case nil: return nil
          case false?:
            drop(1)
            return .scalar(0x1B)
          case true?:
            guard dropReply() else { return nil }
          }
        case let length?:
          let sequence = Array(bytes[start..<start + length])
          drop(length)
          guard sequence == Self.pasteBegin else { return .sequence(sequence) }
          pasteBegan = start
          searched = start
        }
      } else if byte < 0x80 {
        drop(1)
        return .scalar(UInt32(byte))
      } else {
        guard let length = multibyteLength() else { return nil }
        let scalar = String(decoding: bytes[start..<start + length], as: UTF8.self).unicodeScalars.first
        drop(length)
        // C1 controls are not keys; libedit's table uses their places for ours.
        if let scalar, scalar.value >= 0xA0, scalar.value != 0xFFFD { return .scalar(scalar.value) }
      }
    }
    return nil
  }

  private mutating func drop(_ count: Int) {
    start += count
    (searched, areKeys) = (0, false)
    if start == bytes.count {
      if keepsSecrets { bytes.wipe() }
      bytes.removeAll(keepingCapacity: keepsSecrets || bytes.capacity < 65536)
      start = 0
    }
  }

  /// Drops the reply of a terminal that begins here, up to its end (ST or BEL) or to a control character that cuts it off.
  /// - Returns: false while the end is missing.
  private mutating func dropReply() -> Bool {
    // Behind ESC and the character after it.
    searched = max(searched, start + 2)
    while searched < bytes.count, bytes[searched] >= 0x20 { searched += 1 }
    guard searched < bytes.count else { return false }
    var end = searched
    if bytes[end] == 0x07 {
      end += 1
    } else if bytes[end] == 0x1B {
      guard end + 1 < bytes.count else { return false }
      if bytes[end + 1] == UInt8(ascii: "\\") { end += 2 }
    }
    drop(end - start)
    return true
  }

  /// The length of the sequence that begins here, 1 for an ESC that begins none, nil while it is not complete.
  private func escapeLength() -> Int? {
    let rest = bytes[start...]
    guard rest.count > 1 else { return nil }
    switch rest[start + 1] {
    case 0x0D, 0x0A: return 2
    case UInt8(ascii: "O"): return rest.count > 2 ? 3 : nil
    case UInt8(ascii: "["):
      for (offset, byte) in rest.enumerated().dropFirst(2) {
        // The Linux console's F1 to F5 are ESC [ [ and a letter.
        if offset == 2, byte == UInt8(ascii: "[") { continue }
        if (0x40...0x7E).contains(byte) { return offset + 1 }
        if !(0x20...0x3F).contains(byte) || offset > 32 { return 1 }
      }
      return nil
    default: return 1
    }
  }

  /// The length of the UTF-8 sequence that begins here, 1 for a byte that begins none, nil while it is not complete.
  private func multibyteLength() -> Int? {
    let wanted =
      switch bytes[start] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    for offset in 1..<max(2, wanted) where wanted > 1 {
      guard start + offset < bytes.count else { return nil }
      if bytes[start + offset] & 0xC0 != 0x80 { return 1 }
    }
    return wanted
  }

  private mutating func findPasteEnd() -> Int? {
    let mark = Self.pasteEnd
    while searched + mark.count <= bytes.count {
      if bytes[searched] == 0x1B, bytes[searched..<searched + mark.count].elementsEqual(mark) { return searched }
      searched += 1
    }
    return nil
  }

  /// A pasted end mark would let the rest of the paste act as typed keys: the last mark of the burst is the true one, and
  /// those before it are left out.
  private mutating func takePaste(from began: Int, to firstEnd: Int) -> Key {
    var pasted = Array(bytes[began..<firstEnd])
    var place = firstEnd + Self.pasteEnd.count
    var end = place
    while place + Self.pasteEnd.count <= bytes.count {
      if bytes[place] == 0x1B {
        let six = bytes[place..<place + Self.pasteEnd.count]
        if six.elementsEqual(Self.pasteBegin) { break }
        if six.elementsEqual(Self.pasteEnd) {
          pasted += bytes[end..<place]
          end = place + Self.pasteEnd.count
          place = end
          continue
        }
      }
      place += 1
    }
    pasteBegan = nil
    drop(end - start)
    return .paste(pasted)
  }
}

/// A terminal's reply to a query: a control string of ECMA-48. It may arrive late, in a program that sent no query.
enum TerminalReply {
  /// Whether a reply begins with these bytes, which follow an ESC; nil while more are needed to tell it from keys with Alt.
  static func matches(_ bytes: ArraySlice<UInt8>) -> Bool? {
    guard let introducer = bytes.first else { return nil }
    var rest = bytes.dropFirst()
    switch introducer {
    case UInt8(ascii: "]"):
      // OSC: a number and a value such as a colour; `l` and `L` are the titles of window and icon.
      if rest.first == UInt8(ascii: "l") || rest.first == UInt8(ascii: "L") { return true }
      let hasNumber = dropNumbers(&rest, or: nil)
      guard let next = rest.first else { return nil }
      return hasNumber && [UInt8(ascii: ";"), 0x07, 0x1B].contains(next)
    case UInt8(ascii: "P"):
      // DCS: numbers, an intermediate character and a final one, such as `1$r`, `1+r`, `>|`, `!|`.
      _ = dropNumbers(&rest, or: UInt8(ascii: ";"))
      guard let intermediate = rest.popFirst() else { return nil }
      guard "!$+>".utf8.contains(intermediate) else { return false }
      guard let final = rest.first else { return nil }
      return (0x61...0x7E).contains(final)
    case UInt8(ascii: "_"):
      // APC: kitty's graphics protocol.
      return rest.first.map { $0 == UInt8(ascii: "G") }
    default: return false
    }
  }

  private static func dropNumbers(_ bytes: inout ArraySlice<UInt8>, or separator: UInt8?) -> Bool {
    let count = bytes.prefix { (0x30...0x39).contains($0) || $0 == separator }.count
    bytes = bytes.dropFirst(count)
    return count > 0
  }
}

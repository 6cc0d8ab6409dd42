/// Cuts what a program says to a terminal into text, controls and sequences (ECMA-48; the states are those of a VT500,
/// and controls within a sequence act at once). The bytes may be cut anywhere.
struct SequenceParser: Sendable {
  enum Token: Sendable, Equatable {
    /// Printable ASCII, and where it stands in the bytes.
    case text(Range<Int>)
    /// A character beyond ASCII; what is no UTF-8 is U+FFFD.
    case scalar(UInt32)
    case control(UInt8)
    /// ESC. - Parameter intermediate: 0 where there is none.
    case escape(intermediate: UInt8, final: UInt8)
    /// CSI, whose numbers are in `numbers`. - Parameter marker: as `?`; 0 where there is none.
    case sequence(marker: UInt8, intermediate: UInt8, final: UInt8)
  }

  private enum State: Sendable {
    case ground, escape, escapeIntermediate, sequence, sequenceIntermediate
    /// A sequence of a form that means nothing here, to its end.
    case sequenceIgnored
    /// Of a device or an application: pictures come so.
    case string
    /// A title or the like, which ends with its line at the latest.
    case title
  }

  /// The numbers of the last sequence; one that was left out is 0.
  private(set) var numbers: [Int] = []

  /// The bytes of a string that nobody ends, before what follows is text again.
  private static let stringLimit = 1 << 20
  private static let numberLimit = 99_999
  private static let most = 16

  private var state = State.ground
  private var marker: UInt8 = 0
  private var intermediate: UInt8 = 0
  private var number = 0
  private var swallowed = 0
  private var character = PartialScalar()

  /// A number of the last sequence, at least 1.
  func count(_ index: Int = 0) -> Int { max(1, value(index)) }

  /// A number of the last sequence.
  func value(_ index: Int = 0) -> Int { index < numbers.count ? numbers[index] : 0 }

  /// The next token; nil when these bytes have no further one that is whole.
  mutating func next(_ bytes: [UInt8], _ index: inout Int) -> Token? {
    while index < bytes.count {
      let byte = bytes[index]
      if character.isBegun {
        guard character.takes(byte) else { return .scalar(character.abandon()) }
        index += 1
        guard let scalar = character.add(byte) else { continue }
        if let token = take(scalar: scalar) { return token }
      } else if state == .ground, 0x20...0x7E ~= byte {
        let start = index
        repeat { index += 1 } while index < bytes.count && 0x20...0x7E ~= bytes[index]
        return .text(start..<index)
      } else {
        index += 1
        if let token = take(byte) { return token }
      }
    }
    return nil
  }

  /// A control of the second half is what ESC and a letter are (ECMA-48, 5.3).
  private mutating func take(scalar: UInt32) -> Token? {
    guard 0x80...0x9F ~= scalar else { return .scalar(scalar) }
    return escape(UInt8(scalar - 0x40))
  }

  private mutating func take(_ byte: UInt8) -> Token? {
    switch (byte, state) {
    case (0x1B, _): beginEscape()
    case (0x18, _), (0x1A, _): state = .ground
    case (_, .string), (_, .title): return swallow(byte)
    case (0x00...0x1F, _): return .control(byte)
    case (0x80..., .ground): if !character.begin(byte) { return .scalar(0xFFFD) }
    case (0x7F..., _), (_, .ground): break
    case (_, .escape): return escape(byte)
    case (_, .escapeIntermediate): return escapeIntermediate(byte)
    default: return sequence(byte)
    }
    return nil
  }

  private mutating func beginEscape() {
    state = .escape
    marker = 0
    intermediate = 0
  }

  private mutating func escape(_ byte: UInt8) -> Token? {
    switch byte {
    case UInt8(ascii: "["):
      state = .sequence
      (marker, intermediate, number) = (0, 0, 0)
      numbers.removeAll(keepingCapacity: true)
    case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"): beginString(.string)
    // A title, as screen and tmux have it, among them.
    case UInt8(ascii: "]"), UInt8(ascii: "k"): beginString(.title)
    case 0x20...0x2F:
      state = .escapeIntermediate
      intermediate = byte
    default:
      state = .ground
      return .escape(intermediate: 0, final: byte)
    }
    return nil
  }

  private mutating func escapeIntermediate(_ byte: UInt8) -> Token? {
    guard byte >= 0x30 else {
      // None of more than one means anything here.
      intermediate = 0xFF
      return nil
    }
    state = .ground
    return .escape(intermediate: intermediate, final: byte)
  }

  private mutating func sequence(_ byte: UInt8) -> Token? {
    switch byte {
    case 0x40...:
      let isIgnored = state == .sequenceIgnored
      state = .ground
      addNumber()
      return isIgnored ? nil : .sequence(marker: marker, intermediate: intermediate, final: byte)
    case 0x20...0x2F:
      if state == .sequence { state = .sequenceIntermediate }
      intermediate = intermediate == 0 ? byte : 0xFF
    case _ where state != .sequence: state = .sequenceIgnored
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      number = min(number * 10 + Int(byte - UInt8(ascii: "0")), SequenceParser.numberLimit)
    case UInt8(ascii: ";"): addNumber()
    case 0x3C...0x3F where marker == 0 && number == 0 && numbers.isEmpty: marker = byte
    // Numbers in parts, as colours have them, among them.
    default: state = .sequenceIgnored
    }
    return nil
  }

  private mutating func addNumber() {
    if numbers.count < SequenceParser.most { numbers.append(number) }
    number = 0
  }

  private mutating func beginString(_ kind: State) {
    state = kind
    swallowed = 0
  }

  private mutating func swallow(_ byte: UInt8) -> Token? {
    swallowed += 1
    let endsLine = byte == UInt8(ascii: "\n") && state == .title
    if endsLine || byte == 0x07 || swallowed >= SequenceParser.stringLimit { state = .ground }
    return endsLine ? .control(byte) : nil
  }
}

/// A character of UTF-8 that is not whole yet; each ill-formed part is one U+FFFD (Unicode, section 3.9).
private struct PartialScalar: Sendable {
  private var missing = 0
  private var value: UInt32 = 0
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  var isBegun: Bool { missing > 0 }

  /// Whether a byte can be the first of one.
  mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xC2...0xDF: (missing, value) = (1, UInt32(byte & 0x1F))
    case 0xE0...0xEF: (missing, value) = (2, UInt32(byte & 0x0F))
    case 0xF0...0xF4: (missing, value) = (3, UInt32(byte & 0x07))
    default: return false
    }
    allowed =
      switch byte {
      case 0xE0: 0xA0...0xBF
      case 0xED: 0x80...0x9F
      case 0xF0: 0x90...0xBF
      case 0xF4: 0x80...0x8F
      default: 0x80...0xBF
      }
    return true
  }

  func takes(_ byte: UInt8) -> Bool { allowed.contains(byte) }

  /// The scalar, once it is whole.
  mutating func add(_ byte: UInt8) -> UInt32? {
    value = value << 6 | UInt32(byte & 0x3F)
    missing -= 1
    allowed = 0x80...0xBF
    return missing == 0 ? value : nil
  }

  mutating func abandon() -> UInt32 {
    missing = 0
    return 0xFFFD
  }
}

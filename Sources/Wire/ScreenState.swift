/// What a terminal's output has made of a screen, as far as it is to be undone or told apart: whether a program has all of
/// the screen, and whether a shell reads a line (xterm's control sequences, DEC private modes).
package struct ScreenState: Sendable, Equatable {
  /// Whether the other screen is shown, which full-screen programs have for themselves.
  package private(set) var isAlternate = false
  /// Whether pastes are to be marked, as shells have it while they read a line; nil where that was never said.
  package private(set) var marksPastes: Bool?
  /// Whether keys may come in another form than usual, as some editors ask for it (xterm's modifyOtherKeys, kitty's
  /// keyboard protocol).
  package private(set) var changesKeys = false

  /// A sequence that is not whole yet.
  private var partial: [UInt8] = []
  private static let longest = 64

  package init() {}

  /// Takes the next bytes, however they are cut.
  package mutating func feed(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        if partial.isEmpty {
          // Most of what comes has none.
          guard let escape = bytes.first(0x1B, from: index) else { return }
          index = escape
          partial.append(0x1B)
        } else {
          take(bytes[index])
        }
        index += 1
      }
    }
  }

  private mutating func take(_ byte: UInt8) {
    if byte == 0x1B {
      partial = [byte]
    } else if isInside(byte) {
      partial.append(byte)
    } else {
      end(with: byte)
      partial = []
    }
  }

  /// Whether a sequence goes on behind a byte.
  private func isInside(_ byte: UInt8) -> Bool {
    switch partial.count {
    case 1: byte == UInt8(ascii: "[")
    case 2: 0x3C...0x3F ~= byte
    default: 0x30...0x3B ~= byte && partial.count < Self.longest
    }
  }

  private mutating func end(with byte: UInt8) {
    if partial.count == 1, byte == UInt8(ascii: "c") { self = ScreenState() }
    guard partial.count > 3 else { return }
    switch (partial[2], byte) {
    case (UInt8(ascii: "?"), UInt8(ascii: "h")): set(partial.dropFirst(3), to: true)
    case (UInt8(ascii: "?"), UInt8(ascii: "l")): set(partial.dropFirst(3), to: false)
    case (UInt8(ascii: ">"), UInt8(ascii: "m")), (UInt8(ascii: ">"), UInt8(ascii: "u")),
      (UInt8(ascii: "="), UInt8(ascii: "u")):
      changesKeys = true
    default: break
    }
  }

  private mutating func set(_ numbers: ArraySlice<UInt8>, to isOn: Bool) {
    for number in numbers.split(separator: UInt8(ascii: ";")) {
      switch Int(String(decoding: number, as: UTF8.self)) {
      case 47, 1047, 1049: isAlternate = isOn
      case 2004: marksPastes = isOn
      default: break
      }
    }
  }
}

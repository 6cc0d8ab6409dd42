/// What the output of a terminal says in lines: without the sequences that move a cursor, colour or name things (ECMA-48),
/// however the bytes are cut. What a carriage return or a backspace writes over is gone, as it is on a screen. The text is
/// as untrusted as before.
package struct TerminalOutput: Sendable {
  private enum State: Sendable {
    case ground, escape, escapeIntermediate, sequence
    /// Of a device or an application: to its end mark.
    case string, stringEscape
    /// A title or the like: to its end mark, or the end of the line.
    case title, titleEscape
  }

  /// The bytes of a line that are kept before it is handed out as it is.
  private static let lineLimit = 64 << 10

  private var state = State.ground
  private var line: [UInt8] = []
  private var followsReturn = false

  package init() {}

  /// The lines that these bytes finish, each with its end; of one that is longer than is kept a piece without.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> String {
    var out: [UInt8] = []
    for byte in bytes { take(byte, &out) }
    return String(decoding: out, as: UTF8.self)
  }

  /// What is left without an end of its line.
  package mutating func finish() -> String {
    defer { self = TerminalOutput() }
    return String(decoding: line, as: UTF8.self)
  }

  private mutating func take(_ byte: UInt8, _ out: inout [UInt8]) {
    switch state {
    case .ground: takePlain(byte, &out)
    case .escape:
      switch byte {
      case UInt8(ascii: "["): state = .sequence
      case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"): state = .string
      // A title, as screen and tmux have it, among them.
      case UInt8(ascii: "]"), UInt8(ascii: "k"): state = .title
      case 0x20...0x2F: state = .escapeIntermediate
      case 0x1B: break
      default: state = .ground
      }
    case .escapeIntermediate: if !(0x20...0x2F).contains(byte) { state = byte == 0x1B ? .escape : .ground }
    case .sequence:
      // An escape breaks a sequence off; so do cancel and substitute.
      if byte == 0x1B { state = .escape } else if byte == 0x18 || byte == 0x1A { state = .ground }
      if (0x40...0x7E).contains(byte) { state = .ground }
      // One that nobody finishes must not hide the lines behind it.
      if byte == UInt8(ascii: "\n") {
        state = .ground
        takePlain(byte, &out)
      }
    case .string:
      if byte == 0x1B { state = .stringEscape } else if byte == 0x07 || byte == 0x18 || byte == 0x1A { state = .ground }
    case .title, .titleEscape:
      if byte == UInt8(ascii: "\n") {
        state = .ground
        return takePlain(byte, &out)
      }
      let isEnd = byte == 0x07 || byte == 0x18 || byte == 0x1A || state == .titleEscape && byte == UInt8(ascii: "\\")
      state = isEnd ? .ground : byte == 0x1B ? .titleEscape : .title
    case .stringEscape: state = byte == UInt8(ascii: "\\") ? .ground : byte == 0x1B ? .stringEscape : .string
    }
  }

  private mutating func takePlain(_ byte: UInt8, _ out: inout [UInt8]) {
    if followsReturn, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r"), byte != 0x1B {
      followsReturn = false
      line.removeAll(keepingCapacity: true)
    }
    switch byte {
    case 0x1B: state = .escape
    case UInt8(ascii: "\n"):
      followsReturn = false
      out += line
      out.append(byte)
      line.removeAll(keepingCapacity: true)
    case UInt8(ascii: "\r"): followsReturn = true
    case 0x08: while let last = line.popLast(), last & 0xC0 == 0x80 {}
    case UInt8(ascii: "\t"), 0x20...0x7E, 0x80...: line.append(byte)
    default: break
    }
    if line.count >= TerminalOutput.lineLimit {
      // Not within a character.
      let tail = line.suffix(4)
      let start = tail.lastIndex { $0 & 0xC0 != 0x80 } ?? tail.startIndex
      let cut = line[start] >= 0xC0 ? start : line.endIndex
      out += line[..<cut]
      line.removeFirst(cut)
    }
  }
}

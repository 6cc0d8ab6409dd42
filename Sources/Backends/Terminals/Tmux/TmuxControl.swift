/// What tmux says to a client in control mode, a line each (tmux(1), CONTROL MODE).
struct TmuxControl {
  enum Notice: Equatable {
    /// A pane has written these bytes.
    case output(pane: String, [UInt8])
    /// A command of ours was carried out, or refused.
    case done(isError: Bool)
    /// The client has nothing more to listen to.
    case exit
    /// A pane or a window has gone, perhaps ours.
    case changed
  }

  /// The most bytes of one line.
  private static let limit = 8 << 20

  private var partial: [UInt8] = []

  /// Takes the next bytes and hands out what they complete, in order.
  mutating func feed(_ bytes: [UInt8]) -> [Notice] {
    var notices: [Notice] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      partial += rest[..<end]
      if let notice = TmuxControl.notice(partial[...]) { notices.append(notice) }
      partial.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    if partial.count + rest.count <= TmuxControl.limit { partial += rest }
    return notices
  }

  private static func notice(_ line: ArraySlice<UInt8>) -> Notice? {
    let word = line.prefix { $0 != UInt8(ascii: " ") }
    switch String(decoding: word, as: UTF8.self) {
    case "%output":
      let rest = line.dropFirst(word.count + 1)
      let pane = rest.prefix { $0 != UInt8(ascii: " ") }
      return .output(pane: String(decoding: pane, as: UTF8.self), unescaped(rest.dropFirst(pane.count + 1)))
    case "%end": return .done(isError: false)
    case "%error": return .done(isError: true)
    case "%exit": return .exit
    case "%window-close", "%unlinked-window-close", "%layout-change", "%window-pane-changed": return .changed
    default: return nil
    }
  }

  /// Bytes below the blank, and the backslash, are three octal digits behind one.
  static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let digits = bytes[(index + 1)...].prefix(3)
      if bytes[index] == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ 0x30...0x37 ~= $0 }) {
        out.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }))
        index += 4
      } else {
        out.append(bytes[index])
        index += 1
      }
    }
    return out
  }
}

/// The keys by which a person leaves a terminal that they are attached to: `~.` as ssh has it, where a line begins. What is
/// pasted leaves nothing.
struct DetachKeys {
  enum Wish: Equatable { case leave, help, stop }

  private var isAtStart = true
  private var hasTilde = false
  /// The end of what was typed, as far as it may begin a mark of a paste.
  private var recent: [UInt8] = []
  private var isInPaste = false
  private static let pasteBegins = Array("\u{1B}[200~".utf8)
  private static let pasteEnds = Array("\u{1B}[201~".utf8)

  /// Takes keys that came together; gives those that are for the terminal, and what else the person wants. What goes on
  /// behind `~.` is a paste, whether or not it is marked.
  mutating func take(_ keys: [UInt8]) -> (keys: [UInt8], wishes: [Wish]) {
    var out: [UInt8] = []
    var wishes: [Wish] = []
    for (index, key) in keys.enumerated() {
      if let wish = take(key, isLast: index == keys.count - 1, &out) { wishes.append(wish) }
    }
    return (out, wishes)
  }

  private mutating func take(_ key: UInt8, isLast: Bool, _ out: inout [UInt8]) -> Wish? {
    if hasTilde {
      hasTilde = false
      switch key {
      case UInt8(ascii: ".") where isLast: return .leave
      case UInt8(ascii: "?"):
        isAtStart = true
        return .help
      case 0x1A:
        isAtStart = true
        return .stop
      case UInt8(ascii: "~"): break
      default: pass(UInt8(ascii: "~"), &out)
      }
    } else if key == UInt8(ascii: "~"), isAtStart, !isInPaste {
      hasTilde = true
      return nil
    }
    pass(key, &out)
    return nil
  }

  private mutating func pass(_ key: UInt8, _ out: inout [UInt8]) {
    out.append(key)
    // Behind Ctrl-C, Ctrl-D and Ctrl-U too, to whoever types.
    isAtStart = [0x0D, 0x0A, 0x03, 0x04, 0x15].contains(key)
    recent = recent.suffix(DetachKeys.pasteBegins.count - 1) + [key]
    if recent == DetachKeys.pasteBegins { isInPaste = true }
    if recent == DetachKeys.pasteEnds { isInPaste = false }
  }
}

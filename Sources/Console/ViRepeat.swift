/// vi's `.`: what the last change was, as it was typed. libedit's own forgets that a new line begins in the insert mode, and
/// takes what is typed there for commands.
struct ViRepeat {
  private enum Mode { case inserting, recording, commanding, searching }

  /// The keys of the last change, the Esc behind what was inserted among them.
  private(set) var change: EditText = []
  private var mode = Mode.inserting
  /// What the last key began or changed, which is undone where libedit refuses the command.
  private var former: (mode: Mode, change: EditText)?
  /// The command that is not yet whole, or the insertion.
  private var typed: EditText = []

  /// A line is read, which begins in the insert mode.
  mutating func beginLine() { (mode, typed) = (.inserting, []) }

  /// A key that sends a sequence, or a paste: the insertion is no longer what was typed.
  mutating func breakOff() {
    if mode == .recording { mode = .inserting }
    typed = []
  }

  /// The command of the last key did nothing: nothing was found, or libedit does not know it.
  mutating func refuse() {
    guard let former else { return }
    (mode, change, typed) = (former.mode, former.change, [])
    self.former = nil
  }

  mutating func note(_ character: EditUnit) {
    former = mode == .commanding ? (mode, change) : nil
    let isEscape = character == 0x1B
    switch mode {
    case .inserting:
      if isEscape { mode = .commanding }
    case .recording:
      typed.append(character)
      if isEscape { end(asChange: true) }
    case .searching:
      if isEscape || character == 13 { end(asChange: false) }
    case .commanding:
      typed.append(character)
      if isEscape { end(asChange: false) } else { judge() }
    }
  }

  private mutating func end(asChange isChange: Bool) {
    if isChange { change = typed }
    (mode, typed) = (.commanding, [])
  }

  private mutating func judge() {
    var rest = typed[...]
    guard let command = Self.command(in: &rest) else { return }
    switch command {
    case "d", "c", "y":
      guard let motion = Self.command(in: &rest) else { return }
      if "ftFTia".unicodeScalars.contains(motion), rest.isEmpty { return }
      if command == "c" { mode = .recording } else { end(asChange: command == "d") }
    case "r": if !rest.isEmpty { end(asChange: true) }
    case "f", "F", "t", "T": if !rest.isEmpty { end(asChange: false) }
    case "i", "I", "a", "A", "o", "O", "s", "S", "C", "R": mode = .recording
    case "/", "?": mode = .searching
    default: end(asChange: "xXDJpP~".unicodeScalars.contains(command))
    }
  }

  /// The next letter behind a count.
  private static func command(in keys: inout ArraySlice<EditUnit>) -> Unicode.Scalar? {
    if keys.first != 0x30 { keys = keys.drop { (0x30...0x39).contains($0) } }
    return keys.popFirst().flatMap { Unicode.Scalar(UInt32(bitPattern: $0)) }
  }

  /// The last change with another count before it.
  func change(count: Int?) -> EditText {
    guard let count else { return change }
    return EditText("\(count)") + change.drop { (0x30...0x39).contains($0) }
  }
}

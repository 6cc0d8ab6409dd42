import CTerminal

/// vi's commands for a line, in a text of several: libedit takes the whole text for the line.
extension Editor {
  /// What libedit's operator is done with, under codes that no key sends: it keeps what was taken for its `p`, and knows
  /// when to insert.
  enum ViOperator: EditUnit, CaseIterable {
    case delete = 0x93
    case change = 0x94
    case yank = 0x95

    var letter: EditUnit {
      switch self {
      case .delete: 0x64
      case .change: 0x63
      case .yank: 0x79
      }
    }

    var libedits: String {
      switch self {
      case .delete: "vi-delete-meta"
      case .change: "vi-change-meta"
      case .yank: "vi-yank"
      }
    }
  }

  /// libedit's other commands that are needed.
  static let viForward: EditUnit = 0x96
  static let viInsert: EditUnit = 0x98

  /// An operator and what it is for: the line (its letter again), a place in the line, an object, or what libedit knows.
  /// - Returns: whether libedit goes on, with the count that it has.
  func viOperate(_ function: ViOperator) -> Bool {
    var count = viCount()
    guard let motion = nextCharacter() else { return false }
    var digits: EditText = []
    var last = motion
    while (0x31...0x39).contains(last) || (!digits.isEmpty && last == 0x30) {
      digits.append(last)
      guard let next = nextCharacter() else { return false }
      last = next
    }
    let (text, cursor) = (buffer.text, buffer.cursor)
    switch last {
    case function.letter:
      count *= Int(digits)
      let takesNewline = function == .delete
      viTake(
        function, takesNewline ? text.wholeLines(count, at: cursor) : text.content(ofLines: count, at: cursor),
        returningTo: function == .yank ? cursor : nil)
    case 0x24: viTake(function, cursor..<text.content(ofLines: count * Int(digits), at: cursor).upperBound)
    case 0x30: viTake(function, text.lineStart(of: cursor)..<cursor)
    case 0x5E:
      let first = text.lineIndent(of: cursor)
      viTake(function, min(first, cursor)..<max(first, cursor))
    case 0x69, 0x61:
      // libedit has no objects, and would insert. Several at once are none of ours.
      guard let object = nextCharacter() else { return false }
      keys = []
      guard count * Int(digits) == 1, let part = text.viObject(object, around: last == 0x61, at: cursor) else {
        return false
      }
      viTake(function, part)
    default:
      enqueue([function.rawValue] + digits + [last])
      return true
    }
    return false
  }

  /// `D`, `C`, `S` and `Y`.
  func viOperate(_ function: ViOperator, toEnd: Bool) {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let lines = text.content(ofLines: viCount(), at: cursor)
    viTake(function, toEnd ? cursor..<lines.upperBound : lines)
  }

  /// Has libedit do it, with so many characters from the first; its yank leaves the cursor on that one.
  private func viTake(_ function: ViOperator, _ part: Range<Int>, returningTo place: Int? = nil) {
    guard !part.isEmpty else {
      if function == .change { viInsert(at: part.lowerBound) }
      return
    }
    viPlace = place
    buffer.move(to: part.lowerBound)
    let step = function == .change ? [] : [KeyFunction.viStep.code]
    enqueue([function.rawValue] + EditText("\(part.count)") + [Self.viForward] + step)
  }

  /// What is queued behind libedit's part.
  func viStep() {
    if let place = viPlace { buffer.move(to: place) }
    viPlace = nil
    stepOntoLetter()
  }

  /// `I` and `A`.
  func viInsert(at place: Int) {
    buffer.move(to: place)
    enqueue([Self.viInsert])
  }

  /// `$`: onto the last letter.
  func viLineEnd() {
    let (text, cursor) = (buffer.text, buffer.cursor)
    buffer.move(to: text.content(ofLines: viCount(), at: cursor).upperBound)
    stepOntoLetter()
  }

  /// Notes a character before libedit has it; the one that `r f F t T` take is neither a count nor a command.
  func noteForVi(_ character: EditUnit) {
    let isTaken = keys.last.map { [0x72, 0x66, 0x46, 0x74, 0x54].contains($0) } ?? false
    if character == 0x30, !isTaken, console_is_vi(editLine) { viZero = state }
    keys = isTaken ? [] : keys.suffix(8) + [character]
  }

  /// The count before the command, which libedit keeps to itself.
  private func viCount() -> Int {
    let digits = keys.dropLast().reversed().prefix { (0x30...0x39).contains($0) }.reversed().drop { $0 == 0x30 }
    return Int(Array(digits))
  }

  /// `0` is a digit too, as only libedit knows; where it went to the beginning of the text, that was the command.
  func mendViZero() {
    guard let before = viZero else { return }
    viZero = nil
    guard buffer.cursor == 0, before.cursor > 0, buffer.text == before.text else { return }
    buffer.move(to: before.text.lineStart(of: before.cursor))
  }
}

extension Int {
  /// A count as it was typed, 1 without one.
  fileprivate init(_ digits: EditText) {
    let number = digits.prefix(6).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    self = Swift.max(1, number)
  }
}

extension EditText {
  /// The first letter of a line that is no blank.
  func lineIndent(of place: Int) -> Int {
    let line = lineStart(of: place)..<lineEnd(of: place)
    return line.first { self[$0] != 32 && self[$0] != 9 } ?? line.upperBound
  }

  /// So many lines without the last one's newline.
  func content(ofLines count: Int, at place: Int) -> Range<Int> {
    let start = lineStart(of: place)
    var end = lineEnd(of: place)
    for _ in 1..<Swift.max(2, count) where count > 1 && end < self.count { end = lineEnd(of: end + 1) }
    return start..<end
  }

  /// So many lines with their newlines; the last of the text takes the one before it.
  func wholeLines(_ count: Int, at place: Int) -> Range<Int> {
    let lines = content(ofLines: count, at: place)
    if lines.upperBound < self.count { return lines.lowerBound..<lines.upperBound + 1 }
    return Swift.max(0, lines.lowerBound - 1)..<lines.upperBound
  }
}

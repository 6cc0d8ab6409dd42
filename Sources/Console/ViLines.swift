import CTerminal

/// What vi's commands need to know beside the line.
struct ViState {
  /// The characters that were typed last, for the counts.
  var keys: EditText = []
  /// Where the cursor goes back to, once libedit has done what is queued.
  var place: Int?
  /// The line before `0`.
  var zero: EditedLine.State?
  /// The lines that were taken last, unless it was a part of one.
  var lines: EditText?
  /// What `;` looks for again.
  var find: ViFind?
  /// What `.` does again, and what of it is still to come.
  var last = ViRepeat()
  var again: EditText = []
  /// Whether the last character was of that.
  var isDoneAgain = false
}

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
    let count = viCount()
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
    case 0x1B: return viRefuse()
    case function.letter: viTake(function, lines: count * Int(digits))
    case 0x24: viTake(function, cursor..<text.content(ofLines: count * Int(digits), at: cursor).upperBound)
    case 0x30: viTake(function, text.lineStart(of: cursor)..<cursor)
    case 0x5E:
      let first = text.lineIndent(of: cursor)
      viTake(function, min(first, cursor)..<max(first, cursor))
    case 0x6A, 0x6B: viTakeLines(function, with: count * Int(digits), isForward: last == 0x6A)
    case 0x77 where function != .change, 0x57 where function != .change:
      // libedit's word has the newline behind it, and is what its `.` takes again.
      let end = text.viWordsEnd(count * Int(digits), from: cursor, isBlanked: last == 0x57)
      guard end == text.lineEnd(of: end) else { return viGoOn(with: [function.rawValue] + digits + [last]) }
      viTake(function, cursor..<end)
    case 0x66, 0x46, 0x74, 0x54, 0x3B, 0x2C:
      guard let part = viPart(upToFound: last, count: count * Int(digits)) else { return viRefuse() }
      viTake(function, part)
    case 0x69, 0x61:
      // libedit has no objects, and would insert. Several at once are none of ours.
      guard let object = nextCharacter() else { return false }
      vi.keys = []
      guard count * Int(digits) == 1, let part = text.viObject(object, around: last == 0x61, at: cursor) else {
        return viRefuse()
      }
      viTake(function, part)
    default: return viGoOn(with: [function.rawValue] + digits + [last])
    }
    return false
  }

  /// Esc where no key waits for another. A sequence that nothing is bound to must not become commands.
  func viEscape() { dropSequence() }

  private func viRefuse() -> Bool {
    vi.last.refuse()
    return false
  }

  private func viGoOn(with command: EditText) -> Bool {
    vi.lines = nil
    enqueue(command)
    return true
  }

  /// `D` and `C`.
  func viOperateToEnd(_ function: ViOperator) {
    let (text, cursor) = (buffer.text, buffer.cursor)
    viTake(function, cursor..<text.content(ofLines: viCount(), at: cursor).upperBound)
  }

  /// `x`, `X` and `s`: characters, as far as the line goes.
  func viOperate(_ function: ViOperator, isForward: Bool) {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let line = text.lineStart(of: cursor)..<text.lineEnd(of: cursor)
    var end = cursor
    for _ in 0..<min(viCount(), text.count) where isForward ? end < line.upperBound : end > line.lowerBound {
      end = isForward ? text.characterEnd(after: end) : text.characterStart(before: end)
    }
    viTake(function, min(cursor, end)..<max(cursor, end))
  }

  /// `dd`, `cc`, `S`, `yy` and `Y`: whole lines, which `p` puts as such.
  func viTake(_ function: ViOperator, lines count: Int? = nil) {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let count = count ?? viCount()
    let lines = text.content(ofLines: count, at: cursor)
    viTake(
      function, function == .delete ? text.wholeLines(count, at: cursor) : lines,
      returningTo: function == .yank ? cursor : nil)
    vi.lines = EditText(text[lines])
  }

  /// The line of the cursor and so many next to it, where there are as many.
  private func viTakeLines(_ function: ViOperator, with others: Int, isForward: Bool) {
    let (text, cursor) = (buffer.text, buffer.cursor)
    if isForward {
      guard text[cursor...].count(where: { $0 == 10 }) >= others else { return }
    } else {
      guard text[..<cursor].count(where: { $0 == 10 }) >= others else { return }
      var start = text.lineStart(of: cursor)
      for _ in 0..<others { start = text.lineStart(of: start - 1) }
      buffer.move(to: start)
    }
    viTake(function, lines: others + 1)
  }

  /// Has libedit do it, with so many characters from the first; its yank leaves the cursor on that one.
  private func viTake(_ function: ViOperator, _ part: Range<Int>, returningTo place: Int? = nil) {
    vi.lines = nil
    guard !part.isEmpty else {
      if function == .change { viInsert(at: part.lowerBound) }
      return
    }
    // libedit steps back from the end of the text, onto another line too.
    vi.place = place ?? part.lowerBound
    buffer.move(to: part.lowerBound)
    let step = function == .change ? [] : [KeyFunction.viStep.code]
    enqueue([function.rawValue] + EditText("\(part.count)") + [Self.viForward] + step)
  }

  /// What is queued behind libedit's part.
  func viStep() {
    if let place = vi.place { buffer.move(to: place) }
    vi.place = nil
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

  /// `|`: to a column of the line, the first without a count.
  func viColumn() {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let line = text.lineStart(of: cursor)..<text.lineEnd(of: cursor)
    buffer.move(to: min(line.lowerBound + viCount() - 1, line.upperBound))
    stepOntoLetter()
  }

  /// Notes a character before libedit has it; the one that `r f F t T` take is neither a count nor a command.
  func noteForVi(_ character: EditUnit) {
    let isTaken = vi.keys.last.map { [0x72, 0x66, 0x46, 0x74, 0x54].contains($0) } ?? false
    if character == 0x30, !isTaken, console_is_vi(editLine) { vi.zero = state }
    vi.keys = isTaken ? [] : vi.keys.suffix(8) + [character]
    vi.last.note(character)
  }

  /// The count before the command, which libedit keeps to itself.
  func viCount() -> Int { viCountTyped ?? 1 }

  private var viCountTyped: Int? {
    let digits = vi.keys.dropLast().reversed().prefix { (0x30...0x39).contains($0) }.reversed().drop { $0 == 0x30 }
    return digits.isEmpty ? nil : Int(Array(digits))
  }

  /// `.`
  func viRepeatChange() {
    // A change has no `.` in it that would do the change again.
    guard !vi.isDoneAgain else { return }
    vi.again = vi.last.change(count: viCountTyped)
  }

  /// `0` is a digit too, as only libedit knows; where it went to the beginning of the text, that was the command.
  func mendViZero() {
    guard let before = vi.zero else { return }
    vi.zero = nil
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
    for _ in 1..<Swift.max(2, Swift.min(count, self.count + 1)) where count > 1 && end < self.count {
      end = lineEnd(of: end + 1)
    }
    return start..<end
  }

  /// So many lines with their newlines; the last of the text takes the one before it.
  func wholeLines(_ count: Int, at place: Int) -> Range<Int> {
    let lines = content(ofLines: count, at: place)
    if lines.upperBound < self.count { return lines.lowerBound..<lines.upperBound + 1 }
    return Swift.max(0, lines.lowerBound - 1)..<lines.upperBound
  }
}

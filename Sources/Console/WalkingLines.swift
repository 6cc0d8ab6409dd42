import Text

/// Up and Down: within text of several lines they move, from its first and last line they recall.
extension Editor {
  func up() {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let start = text.lineStart(of: cursor)
    guard start > 0 else { return recall(line.place + 1) }
    walk(to: text.lineStart(of: start - 1)..<(start - 1))
  }

  func down() {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let end = text.lineEnd(of: cursor)
    guard end < text.count else { return recall(line.place - 1) }
    walk(to: end + 1..<text.lineEnd(of: end + 1))
  }

  /// In vi's command mode the cursor stands on a letter, not behind the last one.
  func stepOntoLetter() {
    let (text, cursor) = (buffer.text, buffer.cursor)
    guard cursor == text.lineEnd(of: cursor), cursor > text.lineStart(of: cursor) else { return }
    let column = line.goal.flatMap { $0.from == state ? $0.column : nil }
    buffer.move(to: text.characterStart(before: cursor))
    line.goal = column.map { (state, $0) }
  }

  /// To the column that the first step of the walk began in, however short the lines in between are.
  private func walk(to other: Range<Int>) {
    let text = buffer.text
    let column: Int
    if let goal = line.goal, goal.from == state {
      column = goal.column
    } else {
      column = text.column(of: buffer.cursor, label: line.label)
    }
    buffer.move(to: text.place(at: column, in: other, label: line.label))
    line.goal = (state, column)
  }

  private func recall(_ place: Int) {
    guard place >= -1, place != line.place else { return }
    if line.place == -1 { line.draft = state }
    if place == -1 {
      buffer.replaceAll(with: line.draft.text, cursor: line.draft.cursor)
    } else {
      guard let recalled = line.shown(place, knowing: pastes) else { return }
      buffer.replaceAll(with: recalled)
    }
    line.place = place
  }
}

/// Columns, in cells from the beginning of a line of the text.
extension EditText {
  func column(of place: Int, label: (EditUnit) -> String) -> Int {
    var (index, column) = (lineStart(of: place), 0)
    while index < place { column += cells(ofCharacterAt: &index, column: column, label) }
    return column
  }

  /// The place in a line that is nearest before a column.
  func place(at column: Int, in line: Range<Int>, label: (EditUnit) -> String) -> Int {
    var (index, reached) = (line.lowerBound, 0)
    while index < line.upperBound {
      var next = index
      reached += cells(ofCharacterAt: &next, column: reached, label)
      guard reached <= column else { break }
      index = next
    }
    return index
  }

  private func cells(ofCharacterAt index: inout Int, column: Int, _ label: (EditUnit) -> String) -> Int {
    let start = index
    index = characterEnd(after: index)
    guard let first = Unicode.Scalar(UInt32(bitPattern: self[start])) else { return label(self[start]).count }
    var scalars = String.UnicodeScalarView([first])
    scalars += self[start + 1..<index].compactMap { Unicode.Scalar(UInt32(bitPattern: $0)) }
    return String(scalars).first.map { width(of: $0, at: column) } ?? 0
  }
}

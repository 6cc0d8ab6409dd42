extension DrawnScreen {
  /// What scrolled off and what stands there, oldest first: lines that were too long for a row are whole, blanks at
  /// their ends and empty lines at the end are gone. Where a program has the other screen, that is in the place of this one.
  package var lines: [String] {
    var lines = DrawnLines(screen: self)
    for index in 0..<primary.past.count {
      let row = primary.past[index]
      // The other screen goes on with nothing.
      lines.add(row, isWrapped: row.isWrapped && !(isAlternate && index == primary.past.count - 1))
    }
    for row in 0..<rows { lines.add(grid[row], isWrapped: grid[row].isWrapped) }
    return lines.finish()
  }

  /// The rows of the screen as they stand there.
  var shownRows: [String] {
    var lines = DrawnLines(screen: self)
    for row in 0..<rows { lines.add(grid[row], isWrapped: false) }
    return lines.finish()
  }
}

/// Makes text of rows.
private struct DrawnLines {
  let screen: DrawnScreen
  private var lines: [String] = []
  private var line: [UInt8] = []

  init(screen: DrawnScreen) { self.screen = screen }

  mutating func add(_ row: ScreenRow, isWrapped: Bool) {
    for cell in row.cells {
      if cell.scalar < 0x80 { line.append(UInt8(cell.scalar)) } else { add(cell) }
    }
    if !isWrapped { endLine() }
  }

  private mutating func add(_ cell: ScreenCell) {
    guard cell != .secondHalf else { return }
    for scalar in screen.scalars(of: cell).compactMap(Unicode.Scalar.init) {
      line.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }

  private mutating func endLine() {
    while line.last == 0x20 { line.removeLast() }
    lines.append(String(decoding: line, as: UTF8.self))
    line.removeAll(keepingCapacity: true)
  }

  mutating func finish() -> [String] {
    if !line.isEmpty { endLine() }
    while lines.last == "" { lines.removeLast() }
    return lines
  }
}

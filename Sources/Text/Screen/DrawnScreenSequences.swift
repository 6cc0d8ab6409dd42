/// What controls and sequences do to the screen; those that are not here do nothing that can be read on it.
extension DrawnScreen {
  mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x08: column = max(0, place.column - 1)
    case 0x09: if column < columns { column = nextStop(after: column) }
    case 0x0A...0x0C:
      column = place.column
      feedLine()
    case 0x0D: column = 0
    case 0x0E: modes.graphics.isShifted = true
    case 0x0F: modes.graphics.isShifted = false
    default: break
    }
  }

  mutating func escape(_ intermediate: UInt8, _ final: UInt8) {
    let isGraphics = final == UInt8(ascii: "0")
    switch (intermediate, final) {
    case (0, UInt8(ascii: "7")): save()
    case (0, UInt8(ascii: "8")): restore()
    case (0, UInt8(ascii: "D")): control(0x0A)
    case (0, UInt8(ascii: "E")):
      column = 0
      feedLine()
    case (0, UInt8(ascii: "H")): if column < columns { stops[column] = true }
    case (0, UInt8(ascii: "M")): feedLineBack()
    case (0, UInt8(ascii: "c")): reset()
    case (UInt8(ascii: "("), _): modes.graphics.first = isGraphics
    case (UInt8(ascii: ")"), _): modes.graphics.second = isGraphics
    case (UInt8(ascii: "#"), UInt8(ascii: "8")):
      if affords(rows) { grid.fill(with: ScreenCell(scalar: 0x45)) }
      (top, bottom, row, column) = (0, rows - 1, 0, 0)
    default: break
    }
  }

  mutating func sequence(_ marker: UInt8, _ intermediate: UInt8, _ final: UInt8) {
    switch (marker, intermediate, final) {
    case (0, 0, UInt8(ascii: "A")...UInt8(ascii: "H")), (0, 0, UInt8(ascii: "`")), (0, 0, UInt8(ascii: "a")),
      (0, 0, UInt8(ascii: "d")...UInt8(ascii: "f")), (0, 0, UInt8(ascii: "I")), (0, 0, UInt8(ascii: "Z")):
      move(final)
    case (0, 0, UInt8(ascii: "J")...UInt8(ascii: "X")), (0, 0, UInt8(ascii: "@")): change(final)
    case (0, 0, UInt8(ascii: "b")): repeatLast()
    case (0, 0, UInt8(ascii: "g")): clearStops()
    case (0, 0, UInt8(ascii: "h")), (0, 0, UInt8(ascii: "l")):
      if parser.numbers.contains(4) { modes.inserts = final == UInt8(ascii: "h") }
    case (0, 0, UInt8(ascii: "r")): setRegion()
    case (0, 0, UInt8(ascii: "s")): if parser.numbers == [0] { save() }
    case (0, 0, UInt8(ascii: "u")): restore()
    case (0, UInt8(ascii: "!"), UInt8(ascii: "p")): resetModes()
    case (UInt8(ascii: "?"), 0, UInt8(ascii: "h")), (UInt8(ascii: "?"), 0, UInt8(ascii: "l")):
      for mode in parser.numbers { set(mode, to: final == UInt8(ascii: "h")) }
    // The selective forms erase what no program protects.
    case (UInt8(ascii: "?"), 0, UInt8(ascii: "J")), (UInt8(ascii: "?"), 0, UInt8(ascii: "K")): change(final)
    default: break
    }
  }

  // Moving

  /// Where the cursor is seen: a line that waits to be wrapped has it in the last column.
  private var place: (row: Int, column: Int) { (row, min(column, columns - 1)) }

  private mutating func move(_ final: UInt8) {
    let count = parser.count()
    switch final {
    case UInt8(ascii: "A"): moveUp(count)
    case UInt8(ascii: "B"), UInt8(ascii: "e"): moveDown(count)
    case UInt8(ascii: "C"), UInt8(ascii: "a"): column = min(place.column + count, columns - 1)
    case UInt8(ascii: "D"): column = max(place.column - count, 0)
    case UInt8(ascii: "E"):
      column = 0
      moveDown(count)
    case UInt8(ascii: "F"):
      column = 0
      moveUp(count)
    case UInt8(ascii: "G"), UInt8(ascii: "`"): column = min(count, columns) - 1
    case UInt8(ascii: "H"), UInt8(ascii: "f"):
      column = min(parser.count(1), columns) - 1
      move(toRow: count)
    case UInt8(ascii: "d"):
      column = place.column
      move(toRow: count)
    case UInt8(ascii: "I"): for _ in 0..<min(count, columns) where column < columns { column = nextStop(after: column) }
    case UInt8(ascii: "Z"): for _ in 0..<min(count, columns) { column = lastStop(before: place.column) }
    default: break
    }
  }

  private mutating func moveUp(_ count: Int) {
    (row, column) = (max(row - count, row < top ? 0 : top), place.column)
  }

  private mutating func moveDown(_ count: Int) {
    (row, column) = (min(row + count, row > bottom ? rows - 1 : bottom), place.column)
  }

  /// - Parameter number: from 1 on.
  private mutating func move(toRow number: Int) {
    row = modes.isRelative ? min(top + number - 1, bottom) : min(number, rows) - 1
  }

  mutating func feedLine() {
    if row == bottom {
      grid.scrollUp(top...bottom, by: 1, keepsPast: keepsPast)
    } else if row < rows - 1 {
      row += 1
    }
  }

  /// What leaves a region below the top of the screen does not leave the screen there.
  private var keepsPast: Bool { !isAlternate && top == 0 }

  private mutating func feedLineBack() {
    column = place.column
    if row == top {
      grid.scrollDown(top...bottom, by: 1)
    } else if row > 0 {
      row -= 1
    }
  }

  private func nextStop(after column: Int) -> Int {
    stops[min(column + 1, columns)...].firstIndex(of: true) ?? max(column, columns - 1)
  }

  private func lastStop(before column: Int) -> Int { stops[..<column].lastIndex(of: true) ?? 0 }

  private mutating func clearStops() {
    switch parser.value() {
    case 0: if column < columns { stops[column] = false }
    case 3: stops = Array(repeating: false, count: columns)
    default: break
    }
  }

  // Changing what stands there

  private mutating func change(_ final: UInt8) {
    let count = parser.count()
    switch final {
    case UInt8(ascii: "J"): eraseScreen()
    case UInt8(ascii: "K"): if let span = span(parser.value()) { grid.erase(span, in: row) }
    case UInt8(ascii: "L"): if top...bottom ~= row { grid.scrollDown(row...bottom, by: count) }
    case UInt8(ascii: "M"): if top...bottom ~= row { grid.scrollUp(row...bottom, by: count, keepsPast: false) }
    case UInt8(ascii: "S"):
      if affords(min(count, rows)) { grid.scrollUp(top...bottom, by: count, keepsPast: keepsPast) }
    case UInt8(ascii: "T"): if parser.numbers.count == 1 { grid.scrollDown(top...bottom, by: count) }
    // A line that waits to be wrapped has no cell at the cursor.
    case _ where column == columns: break
    case UInt8(ascii: "@"): grid[row].insert(count, at: column, columns: columns)
    case UInt8(ascii: "P"): grid.delete(count, at: column, in: row)
    case UInt8(ascii: "X"): grid.erase(column..<min(column + count, columns), in: row)
    default: break
    }
  }

  /// Of the row, before and behind the cursor.
  private func span(_ which: Int) -> Range<Int>? {
    switch which {
    case 0: column == columns ? nil : column..<columns
    case 1: 0..<(place.column + 1)
    case 2: 0..<columns
    default: nil
    }
  }

  private mutating func eraseScreen() {
    let which = parser.value()
    switch which {
    case 0, 1:
      if let span = span(which) { grid.erase(span, in: row) }
      grid.clear(which == 0 ? (row + 1)..<rows : 0..<row)
    case 2: grid.clear(0..<rows)
    case 3: primary.forgetPast()
    default: break
    }
  }

  // Modes

  private mutating func setRegion() {
    let (first, last) = (parser.count(), parser.value(1) == 0 ? rows : min(parser.value(1), rows))
    guard first < last else { return }
    (top, bottom) = (first - 1, last - 1)
    column = 0
    move(toRow: 1)
  }

  private mutating func set(_ mode: Int, to isOn: Bool) {
    switch mode {
    case 6:
      modes.isRelative = isOn
      column = 0
      move(toRow: 1)
    case 7: modes.wraps = isOn
    case 47, 1047, 1049: isOn ? showAlternate(savesCursor: mode == 1049) : showPrimary(takesCursor: mode == 1049)
    default: break
    }
  }

  private mutating func showAlternate(savesCursor: Bool) {
    guard !isAlternate else { return }
    if savesCursor { left = (row, column) }
    isAlternate = true
    alternate.clear(0..<rows)
  }

  private mutating func showPrimary(takesCursor: Bool) {
    isAlternate = false
    if takesCursor, let left { (row, column) = left }
  }

  private mutating func save() {
    saved = SavedCursor(row: row, column: column, isRelative: modes.isRelative, graphics: modes.graphics)
  }

  private mutating func restore() {
    (row, column) = (saved.row, saved.column)
    (modes.isRelative, modes.graphics) = (saved.isRelative, saved.graphics)
  }

  private mutating func resetModes() {
    (modes, saved) = (ScreenModes(), SavedCursor())
    (top, bottom) = (0, rows - 1)
  }

  private mutating func reset() {
    resetModes()
    isAlternate = false
    left = nil
    stops = Self.defaultStops(columns)
    (row, column) = (0, 0)
    primary.clear(0..<rows)
  }
}

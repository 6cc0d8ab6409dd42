import Text

/// Keeps a few rows at the bottom of the screen equal to a layout, writing only what changed. It knows nothing of what
/// stands above, and never touches it.
struct Painter {
  var palette: Palette
  private var rows: [[Cell]] = []
  private var row = 0
  private var column = 0
  private var top = 0
  private var columns = 80
  /// Where what passes begins, which is not to be left behind.
  private var passing: (row: Int, cells: Int)?

  init(_ palette: Palette = .dark) { self.palette = palette }

  /// Whether anything is shown.
  var isShowing: Bool { !rows.isEmpty }

  /// The bytes that bring the screen from what it shows to the layout, of which as much as fits the height is shown.
  mutating func paint(_ layout: Layout, columns: Int, height: Int) -> [UInt8] {
    self.columns = columns
    let height = max(1, height)
    top = min(top, max(0, layout.rows.count - height), layout.cursorRow)
    top = max(top, layout.cursorRow - height + 1)
    passing = layout.passing.map { ($0.row - top, $0.cells) }
    // A list below the text gives way to the text.
    let visible = Array(layout.rows[top..<min(layout.rows.count, top + height)])
    return show(visible, cursorRow: layout.cursorRow - top, cursorColumn: layout.cursorColumn)
  }

  /// Shows the layout whole, however long, and leaves it behind with the cursor on a new line below.
  mutating func finish(_ layout: Layout) -> [UInt8] {
    var bytes: [UInt8] = []
    if layout.rows.count > rows.count || top > 0 { bytes += erase() }
    var rows = layout.rows
    // There for the cursor alone, after a row that is full.
    if rows.count > 1, rows[rows.count - 1].isEmpty, rows[rows.count - 2].reduce(0, { $0 + $1.width }) == columns {
      rows.removeLast()
    }
    bytes += show(rows, cursorRow: rows.count - 1, cursorColumn: 0) + Array("\r\n".utf8)
    forget()
    return bytes
  }

  /// Takes everything off the screen; the cursor stands where the first row began.
  mutating func erase() -> [UInt8] {
    guard isShowing else { return [] }
    let bytes = move(to: 0) + Array("\u{1B}[J".utf8)
    forget()
    return bytes
  }

  /// Shows the same again where the cursor stands now.
  mutating func again() -> [UInt8] {
    let (shown, cursorRow, cursorColumn, first, passing) = (rows, row, column, top, passing)
    forget()
    top = first
    self.passing = passing
    return show(shown, cursorRow: cursorRow, cursorColumn: cursorColumn)
  }

  /// Leaves what is shown where it is, but for what passes, with the cursor on a new line below.
  mutating func leave() -> [UInt8] {
    guard isShowing else { return [] }
    var bytes: [UInt8] = []
    if let passing, rows.indices.contains(passing.row) {
      var lasting = rows
      lasting[passing.row] = Array(lasting[passing.row].prefix(passing.cells))
      bytes = show(lasting, cursorRow: lasting.count - 1, cursorColumn: 0)
    }
    bytes += move(to: rows.count - 1) + Array("\r\n".utf8)
    forget()
    return bytes
  }

  /// Forgets what is shown: the screen was cleared, or somebody else has written to it.
  mutating func forget() {
    rows = []
    row = 0
    column = 0
    top = 0
    passing = nil
  }

  /// Takes everything off a screen whose width has changed.
  /// - Parameter reflows: whether the terminal reflows lines that no longer fit.
  mutating func eraseAfterResize(to newColumns: Int, reflows: Bool) -> [UInt8] {
    guard isShowing else { return [] }
    if reflows, newColumns < columns {
      func broken(_ width: Int) -> Int { max(1, (width + newColumns - 1) / newColumns) }
      let above = rows[..<row].reduce(0) { $0 + broken($1.reduce(0) { $0 + $1.width }) }
      row = above + column / newColumns
    }
    columns = newColumns
    return erase()
  }

  private mutating func show(_ new: [[Cell]], cursorRow: Int, cursorColumn: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in new.indices {
      let old = index < rows.count ? rows[index] : nil
      guard old != new[index] else { continue }
      bytes += write(new[index], over: old ?? [], at: index, isNew: old == nil)
    }
    if rows.count > new.count { bytes += move(to: new.count) + Array("\u{1B}[J".utf8) }
    rows = new
    return bytes + place(cursorRow, cursorColumn)
  }

  private mutating func write(_ new: [Cell], over old: [Cell], at index: Int, isNew: Bool) -> [UInt8] {
    var same = 0
    while same < new.count, same < old.count, new[same] == old[same], new[same].isASCII { same += 1 }
    var bytes: [UInt8] = []
    if row != index || column != same || same == 0 {
      bytes += move(to: index)
      if same > 0 { bytes += Array("\u{1B}[\(same)C".utf8) }
    }
    bytes += self.bytes(of: new[same...])
    column = new.reduce(0) { $0 + $1.width }
    // In the last column the cursor waits on the last cell, which an erase would take away.
    if column < columns, !isNew, column < old.reduce(0, { $0 + $1.width }) || old.contains(where: { !$0.isASCII }) {
      bytes += Array("\u{1B}[K".utf8)
    }
    return bytes
  }

  /// Puts the cursor at its place. Terminals disagree about the width of some characters: written again up to the cursor,
  /// the row puts it where this terminal believes it to be.
  private mutating func place(_ cursorRow: Int, _ cursorColumn: Int) -> [UInt8] {
    if row == cursorRow, column == cursorColumn, column < columns { return [] }
    var bytes = move(to: cursorRow)
    let before = Self.cells(of: rows.indices.contains(cursorRow) ? rows[cursorRow] : [], upTo: cursorColumn)
    if before.allSatisfy(\.isASCII) {
      if cursorColumn > 0 { bytes += Array("\u{1B}[\(cursorColumn)C".utf8) }
    } else {
      bytes += self.bytes(of: before)
    }
    column = cursorColumn
    return bytes
  }

  private static func cells(of row: [Cell], upTo column: Int) -> ArraySlice<Cell> {
    var width = 0
    var end = 0
    while end < row.count, width + row[end].width <= column {
      width += row[end].width
      end += 1
    }
    return row[..<end]
  }

  /// To the first column of a row; rows that do not exist yet come into being.
  private mutating func move(to index: Int) -> [UInt8] {
    defer {
      row = index
      column = 0
    }
    let vertical = index < row ? "\u{1B}[\(row - index)A" : String(repeating: "\n", count: index - row)
    return Array(("\r" + vertical).utf8)
  }

  private func bytes(of cells: some Sequence<Cell>) -> [UInt8] {
    var bytes: [UInt8] = []
    var style = Style.plain
    for cell in cells {
      if cell.style != style {
        if style != .plain { bytes += plainCode.utf8 }
        bytes += cell.style.code(palette).utf8
        style = cell.style
      }
      bytes += cell.text.utf8
    }
    if style != .plain { bytes += plainCode.utf8 }
    return bytes
  }
}

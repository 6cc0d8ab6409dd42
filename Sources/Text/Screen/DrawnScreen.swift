/// What bytes have made of a terminal's screen: how it would stand there now, and the lines that scrolled off its top
/// (xterm's control sequences, docs/terminals.md 2). Nothing is ever answered. The text is as untrusted as before.
package struct DrawnScreen: Sendable {
  /// Of the lines that scrolled off.
  package static let pastLimit = 10_000
  /// Of columns and rows; a screen that is said to be larger is not believed.
  static let sizeLimit = 500

  let columns: Int
  let rows: Int
  var parser = SequenceParser()
  var primary: ScreenGrid
  var alternate: ScreenGrid
  /// Whether the screen is shown that full-screen programs have for themselves.
  var isAlternate = false

  /// Where the next character goes; the column is that behind the last one while a line waits to be wrapped.
  var row = 0
  var column = 0
  var top = 0
  var bottom: Int
  var stops: [Bool]
  var modes = ScreenModes()
  var saved = SavedCursor()
  /// Where the cursor was when the other screen was shown.
  var left: (row: Int, column: Int)?
  /// What may be repeated.
  var lastPrinted: UInt32?
  /// Rows that few bytes may still have moved or filled: more than that only keeps the machine busy.
  private var rowsLeft = 1_000_000
  /// What each byte adds to them.
  private static let rowsForByte = 4
  /// Characters with their marks: each is what it was before, and one mark more.
  private var joined: [(before: ScreenCell, mark: UInt32)] = []
  /// The marks of one character; a screen shows no more of them either.
  private static let markLimit = 16

  /// - Parameters:
  ///   - columns: 2 to 500; what is beyond counts as that.
  ///   - rows: likewise.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 2), Self.sizeLimit)
    self.rows = min(max(rows, 2), Self.sizeLimit)
    primary = ScreenGrid(columns: self.columns, rows: self.rows, keeping: Self.pastLimit)
    alternate = ScreenGrid(columns: self.columns, rows: self.rows, keeping: 0)
    bottom = self.rows - 1
    stops = Self.defaultStops(self.columns)
  }

  static func defaultStops(_ columns: Int) -> [Bool] { (0..<columns).map { $0 > 0 && $0 % 8 == 0 } }

  /// Takes the next bytes, however they are cut.
  package mutating func feed(_ bytes: [UInt8]) {
    rowsLeft += bytes.count * Self.rowsForByte
    var index = 0
    while let token = parser.next(bytes, &index) {
      switch token {
      case .text(let range): write(bytes, range)
      case .scalar(let scalar): write(scalar)
      case .control(let byte):
        lastPrinted = nil
        control(byte)
      case .escape(let intermediate, let final):
        lastPrinted = nil
        escape(intermediate, final)
      case .sequence(let marker, let intermediate, let final):
        sequence(marker, intermediate, final)
        lastPrinted = nil
      }
    }
  }

  /// Whether so many rows may be moved or filled by one sequence.
  mutating func affords(_ count: Int) -> Bool {
    guard count <= rowsLeft else { return false }
    rowsLeft -= count
    return true
  }

  /// The screen that is shown.
  var grid: ScreenGrid {
    get { isAlternate ? alternate : primary }
    _modify { if isAlternate { yield &alternate } else { yield &primary } }
  }

  // What is written

  private mutating func write(_ bytes: [UInt8], _ range: Range<Int>) {
    guard !modes.drawsLines, !modes.inserts else {
      for byte in bytes[range] { write(UInt32(byte)) }
      return
    }
    var start = range.lowerBound
    while start < range.upperBound {
      if column == columns { beginNextRow() }
      let end = min(range.upperBound, start + columns - column)
      grid[row].write(bytes, start..<end, at: column)
      advance(by: end - start)
      start = end
    }
    lastPrinted = UInt32(bytes[range.upperBound - 1])
  }

  private mutating func write(_ scalar: UInt32) {
    let width = Cells.width(of: scalar)
    guard width > 0 else { return join(scalar) }
    lastPrinted = scalar
    // There is no place for half of it.
    if width == 2, !modes.wraps, column > columns - 2 { return }
    if column + width > columns { beginNextRow() }
    put(scalar, width: width, count: 1)
  }

  /// No further than to the end of the row.
  mutating func repeatLast() {
    guard let last = lastPrinted else { return }
    let width = Cells.width(of: last)
    let count = min(parser.count(), (columns - column) / width)
    if count > 0 { put(last, width: width, count: count) }
  }

  private mutating func put(_ scalar: UInt32, width: Int, count: Int) {
    if modes.inserts { grid[row].insert(width * count, at: column, columns: columns) }
    let shown = modes.drawsLines ? LineDrawing.character(scalar) : scalar
    grid[row].write(ScreenCell(scalar: shown), width: width, count: count, at: column)
    advance(by: width * count)
  }

  private mutating func advance(by width: Int) {
    column += width
    if column == columns, !modes.wraps { column = columns - 1 }
  }

  /// What does not fit goes on there.
  private mutating func beginNextRow() {
    guard modes.wraps else {
      column = columns - 1
      return
    }
    grid[row].isWrapped = true
    column = 0
    feedLine()
  }

  /// A mark joins the character before the cursor.
  private mutating func join(_ mark: UInt32) {
    guard column > 0 else { return }
    let place = grid[row].beginning(before: column)
    let cell = grid[row].cells[place]
    guard marks(of: cell) < Self.markLimit else { return }
    grid[row].replace(with: ScreenCell(joined: joined.count), at: place)
    joined.append((cell, mark))
  }

  private func marks(of cell: ScreenCell) -> Int {
    var (count, cell) = (0, cell)
    while let index = cell.joined {
      count += 1
      cell = joined[index].before
    }
    return count
  }

  /// The scalars of a cell.
  func scalars(of cell: ScreenCell) -> [UInt32] {
    var (marks, cell) = ([UInt32](), cell)
    while let index = cell.joined {
      marks.append(joined[index].mark)
      cell = joined[index].before
    }
    return [cell.scalar] + marks.reversed()
  }
}

/// How characters are taken.
struct ScreenModes: Sendable, Equatable {
  /// What is too long for a row goes on in the next (DECAWM).
  var wraps = true
  /// What is written moves what was there (IRM).
  var inserts = false
  /// Rows count from the top of the region that scrolls (DECOM).
  var isRelative = false
  var graphics = Graphics()

  var drawsLines: Bool { graphics.isShifted ? graphics.second : graphics.first }

  /// Which of the two sets of characters draw lines, and whether the second one is in use.
  struct Graphics: Sendable, Equatable {
    var first = false
    var second = false
    var isShifted = false
  }
}

/// What a program may come back to (DECSC).
struct SavedCursor: Sendable {
  var row = 0
  var column = 0
  var isRelative = false
  var graphics = ScreenModes.Graphics()
}

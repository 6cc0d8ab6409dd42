/// What stands in one place of a screen.
struct ScreenCell: Sendable, Equatable {
  /// A scalar, or where in the screen's `joined` the character is whose marks have joined it.
  private var bits: UInt32

  init(scalar: UInt32) { bits = scalar }
  init(joined index: Int) { bits = 1 << 31 | UInt32(index) }

  static let blank = ScreenCell(scalar: 0x20)
  /// The second cell of a wide character.
  static let secondHalf = ScreenCell(scalar: 0x7FFF_FFFF)

  var scalar: UInt32 { bits }
  var joined: Int? { bits >> 31 == 1 ? Int(bits & 0x7FFF_FFFF) : nil }
}

/// One row of a screen. Cells behind those that were ever used are blank; a wide character is never there by half.
struct ScreenRow: Sendable {
  private(set) var cells: ContiguousArray<ScreenCell> = []
  /// Whether its text goes on in the next row, because it was too long for this one.
  var isWrapped = false

  init() {}

  /// - Parameter cell: what stands in all of it.
  init(_ cell: ScreenCell, columns: Int) { cells = ContiguousArray(repeating: cell, count: columns) }

  /// Whether nothing has to be done to clear it.
  var isClear: Bool { cells.isEmpty && !isWrapped }

  /// Printable ASCII, in place of what was there.
  mutating func write(_ bytes: [UInt8], _ range: Range<Int>, at column: Int) {
    let end = column + range.count
    prepare(column..<end)
    let overlap = min(range.count, cells.count - column)
    for offset in 0..<overlap { cells[column + offset] = ScreenCell(scalar: UInt32(bytes[range.lowerBound + offset])) }
    guard overlap < range.count else { return }
    cells.reserveCapacity(end)
    for byte in bytes[(range.lowerBound + overlap)..<range.upperBound] {
      cells.append(ScreenCell(scalar: UInt32(byte)))
    }
  }

  /// - Parameters:
  ///   - width: 1 or 2.
  ///   - count: how often it stands there.
  mutating func write(_ cell: ScreenCell, width: Int, count: Int, at column: Int) {
    let end = column + width * count
    prepare(column..<end)
    if end > cells.count { fill(to: end) }
    for place in column..<end { cells[place] = (place - column) % width == 0 ? cell : .secondHalf }
  }

  /// Where the character begins that stands before a column; there is one then.
  mutating func beginning(before column: Int) -> Int {
    if column > cells.count { fill(to: column) }
    return cells[column - 1] == .secondHalf ? column - 2 : column - 1
  }

  /// One that takes as much room.
  mutating func replace(with cell: ScreenCell, at column: Int) { cells[column] = cell }

  mutating func erase(_ span: Range<Int>) {
    guard span.lowerBound < cells.count else { return }
    prepare(span)
    for column in span.lowerBound..<min(span.upperBound, cells.count) { cells[column] = .blank }
  }

  /// Moves what stands from a column on to the right; what leaves the screen is gone.
  mutating func insert(_ count: Int, at column: Int, columns: Int) {
    guard column < cells.count else { return }
    let count = min(count, columns - column)
    prepare(column..<column)
    cells.insert(contentsOf: repeatElement(.blank, count: count), at: column)
    guard cells.count > columns else { return }
    if cells[columns] == .secondHalf { cells[columns - 1] = .blank }
    cells.removeLast(cells.count - columns)
  }

  /// Moves what stands behind so many cells to the left.
  mutating func delete(_ count: Int, at column: Int) {
    guard column < cells.count else { return }
    let count = min(count, cells.count - column)
    prepare(column..<(column + count))
    cells.removeSubrange(column..<(column + count))
    cells.append(contentsOf: repeatElement(.blank, count: count))
  }

  /// Has cells up to the span, and no half of a wide character at its ends.
  private mutating func prepare(_ span: Range<Int>) {
    if span.lowerBound > cells.count { fill(to: span.lowerBound) }
    if span.lowerBound < cells.count, cells[span.lowerBound] == .secondHalf {
      cells[span.lowerBound - 1] = .blank
      cells[span.lowerBound] = .blank
    }
    if span.upperBound < cells.count, cells[span.upperBound] == .secondHalf {
      cells[span.upperBound - 1] = .blank
      cells[span.upperBound] = .blank
    }
  }

  private mutating func fill(to column: Int) {
    cells.append(contentsOf: repeatElement(.blank, count: column - cells.count))
  }
}

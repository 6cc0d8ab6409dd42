/// The rows of a screen, from the top, and those that scrolled off it.
struct ScreenGrid: Sendable {
  let columns: Int
  let rows: Int
  /// What scrolled off the top, as far as it is kept.
  private(set) var past: PastRows

  private var slots: [ScreenRow]
  /// Which slot each row is in: scrolling moves no rows.
  private var order: [UInt16]

  /// - Parameter limit: of the rows that are kept when they have scrolled off.
  init(columns: Int, rows: Int, keeping limit: Int) {
    self.columns = columns
    self.rows = rows
    past = PastRows(limit: limit)
    slots = Array(repeating: ScreenRow(), count: rows)
    order = Array(0..<UInt16(rows))
  }

  subscript(row: Int) -> ScreenRow {
    _read { yield slots[Int(order[row])] }
    _modify { yield &slots[Int(order[row])] }
  }

  /// Moves rows up; new ones come from below. - Parameter keepsPast: whether what leaves at the top is kept.
  mutating func scrollUp(_ region: ClosedRange<Int>, by count: Int, keepsPast: Bool) {
    let count = min(count, region.count)
    if keepsPast {
      for row in region.prefix(count) {
        past.append(self[row])
        self[row] = ScreenRow()
      }
    } else {
      clear(region.lowerBound..<(region.lowerBound + count))
    }
    rotate(region, by: count)
  }

  /// Moves rows down; new ones come from above.
  mutating func scrollDown(_ region: ClosedRange<Int>, by count: Int) {
    let count = min(count, region.count)
    clear((region.upperBound + 1 - count)..<(region.upperBound + 1))
    rotate(region, by: region.count - count)
    breakLine(above: region.lowerBound)
    // What it went on in is not behind it any more.
    if self[region.upperBound].isWrapped { self[region.upperBound].isWrapped = false }
  }

  mutating func clear(_ span: Range<Int>) {
    guard !span.isEmpty else { return }
    for row in span where !self[row].isClear { self[row] = ScreenRow() }
    breakLine(above: span.lowerBound)
  }

  /// Empties a part of a row, and the whole of it with what ties it to the others.
  mutating func erase(_ span: Range<Int>, in row: Int) {
    if span == 0..<columns { clear(row..<(row + 1)) } else { self[row].erase(span) }
  }

  /// Moves what stands behind so many cells to the left.
  mutating func delete(_ count: Int, at column: Int, in row: Int) {
    if column == 0, count >= columns { clear(row..<(row + 1)) } else { self[row].delete(count, at: column) }
  }

  mutating func fill(with cell: ScreenCell) {
    // One row that all share, until they are written to.
    let full = ScreenRow(cell, columns: columns)
    for row in 0..<rows { self[row] = full }
    breakLine(above: 0)
  }

  mutating func forgetPast() { past.removeAll() }

  private mutating func breakLine(above row: Int) {
    if row == 0 {
      past.breakLastLine()
    } else if self[row - 1].isWrapped {
      self[row - 1].isWrapped = false
    }
  }

  private mutating func rotate(_ region: ClosedRange<Int>, by count: Int) {
    guard count > 0, count < region.count else { return }
    if count == 1 {
      order.insert(order.remove(at: region.lowerBound), at: region.upperBound)
    } else {
      let moved = Array(order[region.lowerBound..<(region.lowerBound + count)])
      order.removeSubrange(region.lowerBound..<(region.lowerBound + count))
      order.insert(contentsOf: moved, at: region.upperBound + 1 - count)
    }
  }
}

/// The last rows that scrolled off a screen.
struct PastRows: Sendable {
  private let limit: Int
  private var rows: [ScreenRow] = []
  /// Where the oldest is.
  private var start = 0

  init(limit: Int) { self.limit = limit }

  var count: Int { rows.count }

  /// The oldest is 0.
  subscript(index: Int) -> ScreenRow { rows[place(index)] }

  mutating func append(_ row: ScreenRow) {
    if rows.count < limit {
      rows.append(row)
    } else if limit > 0 {
      rows[start] = row
      start = place(1)
    }
  }

  mutating func breakLastLine() {
    guard count > 0 else { return }
    let last = place(count - 1)
    if rows[last].isWrapped { rows[last].isWrapped = false }
  }

  mutating func removeAll() {
    rows = []
    start = 0
  }

  private func place(_ index: Int) -> Int { start + index < rows.count ? start + index : start + index - rows.count }
}

/// The rows that text takes on a screen, counted piece by piece.
package struct RowCount {
  private let columns: Int
  /// Those that are complete.
  private var finished = 0
  /// Cells of the line at the end, which may go on.
  private var open: Int?

  package init(columns: Int) { self.columns = max(1, columns) }

  package var rows: Int { finished + (open.map(rows(ofCells:)) ?? 0) }

  package mutating func add(_ text: StyledText) {
    for span in text {
      let lines = span.text.lines
      for (index, line) in lines.enumerated() {
        if index > 0 {
          finished += rows(ofCells: open ?? 0)
          open = nil
        }
        if !line.isEmpty { open = (open ?? 0) + line.cells }
      }
    }
  }

  /// A line is broken by the terminal where it is too wide, and an empty one takes a row too.
  private func rows(ofCells cells: Int) -> Int { max(1, (cells + columns - 1) / columns) }
}

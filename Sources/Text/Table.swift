/// Rows of cells: aligned lines for a terminal, tab-separated ones for a pipe.
package struct Table: Sendable, Equatable {
  package enum Alignment: Sendable, Equatable { case left, right }

  package let header: [SafeText]
  package let rows: [[SafeText]]
  /// How each column is aligned; those beyond the list are `left`.
  package let alignments: [Alignment]

  private static let gap = 2
  /// Cells below which a cut column says nothing.
  private static let readable = 8
  /// Cells of a screen on which rows are lists sooner.
  private static let narrow = 60

  /// Line ends and tabs inside cells become spaces; rows may differ in length.
  package init(header: [SafeText] = [], rows: [[SafeText]], alignments: [Alignment] = []) {
    self.header = header.map(\.onOneLine)
    self.rows = rows.map { $0.map(\.onOneLine) }
    self.alignments = alignments
  }

  /// The header, if there is one, and a line for each row, none wider than `columns` cells. The widest columns give
  /// way first; what does not fit in them is cut with `…`.
  package func lines(columns: Int) -> [SafeText] {
    let all = header.isEmpty ? rows : [header] + rows
    let widths = Self.fit(Self.naturalWidths(of: all), into: columns)
    return all.map { line($0, widths).cut(to: max(0, columns)) }
  }

  /// The same lines with a style for each cell, by its row and column; the header is dim.
  package func lines(columns: Int, style: (_ row: Int, _ column: Int) -> Style) -> [StyledText] {
    let all = header.isEmpty ? rows : [header] + rows
    let widths = Self.fit(Self.naturalWidths(of: all), into: columns)
    let first = header.isEmpty ? 0 : 1
    return all.enumerated().map { index, row in
      let isHeader = index < first
      var room = max(0, columns)
      var line: StyledText = []
      // What is behind the last cell with something in it would be blanks alone.
      for (column, cell) in self.cells(row, widths).enumerated() {
        let text = ((column == 0 ? "" : .spaces(Self.gap)) + cell).cut(to: room)
        room -= text.cells
        line.append(Span(text, isHeader ? .dim : style(index - first, column)))
      }
      while let last = line.last, last.text.withoutTrailingSpaces.isEmpty { line.removeLast() }
      if let last = line.popLast() { line.append(Span(last.text.withoutTrailingSpaces, last.style)) }
      return line
    }
  }

  /// Whether something would have to be cut.
  package func isWider(than columns: Int) -> Bool {
    let widths = Self.naturalWidths(of: header.isEmpty ? rows : [header] + rows)
    return widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) > columns
  }

  /// Whether a column would have to be cut to less than can be read. On a narrow screen names are not cut at all, and the
  /// last column keeps some words.
  package func isCramped(columns: Int) -> Bool {
    let widths = Self.naturalWidths(of: header.isEmpty ? rows : [header] + rows)
    let fitting = zip(widths, Self.fit(widths, into: columns))
    let isCut = fitting.contains { natural, width in width < min(natural, Self.readable) }
    guard !isCut, columns < Self.narrow else { return isCut }
    return fitting.dropLast().contains { natural, width in width < natural }
      || fitting.suffix(1).contains { natural, width in width < min(natural, 2 * Self.readable) }
  }

  /// The same lines with the last column broken at word ends rather than cut; nil when it would have less than 16 cells.
  package func wrapped(columns: Int) -> [SafeText]? {
    let all = header.isEmpty ? rows : [header] + rows
    let widths = Self.naturalWidths(of: all).dropLast()
    let indent = widths.reduce(0) { $0 + $1 + Self.gap }
    guard columns - indent >= 16 else { return nil }
    return all.map { row in
      let first = zip(row, widths).map { cell, width in cell.padded(to: width) + .spaces(Self.gap) }.joined()
      guard row.count > widths.count, let last = row.last else { return first.withoutTrailingSpaces }
      var wrapper = Wrapper(columns: columns, indent: indent, column: indent)
      let body = wrapper.feed(last)
      return (first + body + wrapper.finish()).withoutTrailingSpaces
    }
  }

  /// A line or more for each cell that is not empty, behind the name of its column, and an empty line between rows: for
  /// a screen that is too narrow for columns.
  package func stacked(columns: Int) -> [SafeText] {
    let label = (header.map(\.cells).max() ?? 0) + 1
    var lines: [SafeText] = []
    for row in rows {
      if !lines.isEmpty { lines.append("") }
      for (index, cell) in row.enumerated() where !cell.isEmpty {
        let name = index < header.count ? header[index] : ""
        var wrapper = Wrapper(columns: max(1, columns), indent: label, column: label)
        let body = wrapper.feed(cell)
        lines.append(name.padded(to: label) + body + wrapper.finish())
      }
    }
    return lines
  }

  /// A line for each row without the header, as `cut`, `sort` and `awk` want them.
  package var tsv: SafeText {
    rows.map { $0.joined(separator: "\t") + "\n" }.joined()
  }

  private func line(_ row: [SafeText], _ widths: [Int]) -> SafeText {
    cells(row, widths).joined(separator: .spaces(Self.gap)).withoutTrailingSpaces
  }

  private func cells(_ row: [SafeText], _ widths: [Int]) -> [SafeText] {
    row.enumerated().map { index, cell in
      let isLast = index == row.count - 1
      let isRight = index < alignments.count && alignments[index] == .right
      let shown = cell.cut(to: widths[index])
      return isLast && !isRight ? shown : shown.padded(to: widths[index], onLeft: isRight)
    }
  }

  private static func naturalWidths(of rows: [[SafeText]]) -> [Int] {
    var widths: [Int] = []
    for row in rows {
      for (index, cell) in row.enumerated() {
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], cell.cells)
      }
    }
    return widths
  }

  /// Lowers the widest columns to one common width, so that all fit; what the division leaves over goes to the first.
  private static func fit(_ widths: [Int], into columns: Int) -> [Int] {
    let room = max(0, columns - gap * max(0, widths.count - 1))
    guard widths.reduce(0, +) > room else { return widths }
    var remaining = room
    var most = 0
    var left = widths.count
    for width in widths.sorted() {
      most = remaining / left
      if width > most { break }
      remaining -= width
      left -= 1
    }
    var spare = left > 0 ? remaining - most * left : 0
    return widths.map { width in
      guard width > most else { return width }
      let share = max(1, most + (spare > 0 ? 1 : 0))
      spare = max(0, spare - 1)
      return share
    }
  }
}

extension SafeText {
  fileprivate var onOneLine: SafeText { Filter.inline(string) }

  var withoutTrailingSpaces: SafeText {
    var scalars = string.unicodeScalars[...]
    while scalars.last == " " { scalars.removeLast() }
    return SafeText(filtered: String(scalars))
  }
}

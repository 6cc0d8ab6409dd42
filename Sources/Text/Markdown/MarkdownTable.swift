/// A table of a document: aligned columns where they fit, with cells of several lines where that makes them fit, and else
/// each row as a list of what is in it.
struct MarkdownTable {
  /// The first is the header.
  let rows: [[StyledBytes]]
  /// 'l', 'c', 'r' or 0 for each column.
  let alignments: [UInt8]

  /// Cells below which a column of words cannot be read.
  private static let readable = 8
  private static let most = 200

  /// Its lines, none wider than `columns`.
  func lines(_ columns: Int, _ look: MarkdownLook) -> [StyledText] {
    guard let header = rows.first, !header.isEmpty, !look.isSpoken, header.count <= Self.most,
      let widths = widths(into: columns)
    else { return stacked(columns) }
    let isBroken = zip(widths, natural).contains { $0 < $1 }
    var lines: [StyledText] = []
    for (index, row) in rows.enumerated() {
      if index == 1 || index > 1 && isBroken { lines.append(rule(widths, look)) }
      lines += self.lines(of: row, widths, look)
    }
    if rows.count == 1 { lines.append(rule(widths, look)) }
    return lines
  }

  private var natural: [Int] {
    (0..<(rows.first?.count ?? 0)).map { column in
      rows.reduce(1) { max($0, $1.indices.contains(column) ? $1[column].cells : 0) }
    }
  }

  /// The widths of columns that fit together, nil where a column would be too narrow to be read. The widest give way.
  private func widths(into columns: Int) -> [Int]? {
    let natural = natural
    let room = columns - 3 * (natural.count - 1)
    guard natural.reduce(0, +) > room else { return natural }
    var remaining = room
    var widths = natural
    let order = natural.indices.sorted { natural[$0] < natural[$1] }
    for (place, column) in order.enumerated() {
      let share = remaining / (order.count - place)
      widths[column] = min(natural[column], share)
      guard widths[column] >= min(natural[column], Self.readable) else { return nil }
      remaining -= widths[column]
    }
    return widths
  }

  private func lines(of row: [StyledBytes], _ widths: [Int], _ look: MarkdownLook) -> [StyledText] {
    let cells = widths.indices.map { column in
      row.indices.contains(column) ? row[column].wrapped(first: widths[column], rest: widths[column]) : []
    }
    let bar = Span(look.drawsLines ? " │ " : " | ", .dim)
    return (0..<max(1, cells.map(\.count).max() ?? 1)).map { index in
      var line: StyledText = []
      for (column, width) in widths.enumerated() {
        if column > 0 { line.append(bar) }
        line += padded(cells[column].indices.contains(index) ? cells[column][index] : [], to: width, column)
      }
      while let last = line.last, last.text.withoutTrailingSpaces.isEmpty { line.removeLast() }
      return line
    }
  }

  private func padded(_ text: StyledText, to width: Int, _ column: Int) -> StyledText {
    let missing = max(0, width - text.cells)
    let alignment = alignments.indices.contains(column) ? alignments[column] : 0
    let before =
      switch alignment {
      case UInt8(ascii: "r"): missing
      case UInt8(ascii: "c"): missing / 2
      default: 0
      }
    return (before > 0 ? [Span(.spaces(before))] : []) + text
      + (missing > before ? [Span(.spaces(missing - before))] : [])
  }

  private func rule(_ widths: [Int], _ look: MarkdownLook) -> StyledText {
    let line = widths.map { String(repeating: look.drawsLines ? "─" : "-", count: $0) }
      .joined(separator: look.drawsLines ? "─┼─" : "-+-")
    return [Span(SafeText(filtered: line), .dim)]
  }

  /// Each cell on a line of its own behind the name of its column, with a blank line between rows.
  private func stacked(_ columns: Int) -> [StyledText] {
    guard let header = rows.first else { return [] }
    if rows.count == 1 { return header.flatMap { $0.wrapped(first: columns, rest: columns) } }
    var lines: [StyledText] = []
    for row in rows.dropFirst() {
      if !lines.isEmpty { lines.append([]) }
      for (column, cell) in row.enumerated() where !cell.isEmpty {
        var text = StyledBytes()
        if header.indices.contains(column), !header[column].isEmpty {
          text.append(header[column].name)
          text.append(": ", .strong)
        }
        text.append(cell)
        let wrapped = text.wrapped(first: columns, rest: max(1, columns - 2))
        lines += wrapped.prefix(1) + wrapped.dropFirst().map { [Span("  ")] + $0 }
      }
    }
    return lines
  }
}

extension StyledBytes {
  /// What stands before each cell of a column.
  fileprivate var name: StyledBytes {
    cells <= 30 ? self : StyledBytes(SafeText(filtered: String(decoding: bytes, as: UTF8.self)).cut(to: 30), .strong)
  }
}

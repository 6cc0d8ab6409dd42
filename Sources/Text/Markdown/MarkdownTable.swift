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

  /// Adds its lines, none wider than there is room.
  func add(to layout: inout MarkdownLayout, _ look: MarkdownLook) {
    guard let header = rows.first, !header.isEmpty, !look.isSpoken, header.count <= Self.most else {
      return addStacked(to: &layout)
    }
    let sizes = rows.map { row in row.map(\.cells) }
    let natural = header.indices.map { column in
      sizes.reduce(1) { max($0, $1.indices.contains(column) ? $1[column] : 0) }
    }
    guard let widths = Self.fit(natural, into: layout.room) else { return addStacked(to: &layout) }
    let isBroken = widths != natural
    let rule = Self.rule(widths, look)
    for (index, row) in rows.enumerated() {
      if index == 1 || index > 1 && isBroken { layout.addLine { $0.append(rule, .dim) } }
      add(row, sizes[index], widths, to: &layout, look)
    }
    if rows.count == 1 { layout.addLine { $0.append(rule, .dim) } }
  }

  /// The widths of columns that fit together, nil where a column would be too narrow to be read. The widest give way.
  private static func fit(_ natural: [Int], into columns: Int) -> [Int]? {
    let room = columns - 3 * (natural.count - 1)
    guard natural.reduce(0, +) > room else { return natural }
    var remaining = room
    var widths = natural
    let order = natural.indices.sorted { natural[$0] < natural[$1] }
    for (place, column) in order.enumerated() {
      let share = remaining / (order.count - place)
      widths[column] = min(natural[column], share)
      guard widths[column] >= min(natural[column], readable) else { return nil }
      remaining -= widths[column]
    }
    return widths
  }

  /// - Parameter sizes: cells of the widest line of each.
  private func add(
    _ row: [StyledBytes], _ sizes: [Int], _ widths: [Int], to layout: inout MarkdownLayout, _ look: MarkdownLook
  ) {
    let bar: SafeText = look.drawsLines ? " │ " : " | "
    var columns = zip(row, zip(sizes, widths)).map { Column(cell: $0, cells: $1.0, width: $1.1) }
    for index in 0..<max(1, columns.reduce(0) { max($0, $1.parts.count) }) {
      layout.addLine { line in
        for (column, width) in widths.enumerated() {
          if column > 0 { line.append(bar, .dim) }
          guard columns.indices.contains(column) else {
            line.append(spaces: width)
            continue
          }
          let missing = max(0, width - columns[column].cells(of: index))
          let before = spaces(before: column, of: missing)
          line.append(spaces: before)
          columns[column].add(index, to: &line)
          line.append(spaces: missing - before)
        }
      }
    }
  }

  /// A cell on its lines.
  private struct Column {
    let cell: StyledBytes
    let parts: [Range<Int>]
    /// Of its only line.
    private let cells: Int?
    private var run = 0

    init(cell: StyledBytes, cells: Int, width: Int) {
      self.cell = cell
      // Most cells are a line that fits.
      let isLine = cells <= width && !cell.bytes.contains(0x0A) && cell.bytes.last != 0x20
      parts = isLine ? [0..<cell.bytes.count] : cell.broken(first: width, rest: width)
      self.cells = isLine ? cells : nil
    }

    func cells(of line: Int) -> Int {
      guard parts.indices.contains(line) else { return 0 }
      return cells
        ?? cell.bytes.withUnsafeBufferPointer { Cells.cells(in: UnsafeBufferPointer(rebasing: $0[parts[line]])) }
    }

    mutating func add(_ line: Int, to text: inout StyledBytes) {
      if parts.indices.contains(line) { text.append(cell, parts[line], from: &run) }
    }
  }

  private func spaces(before column: Int, of missing: Int) -> Int {
    switch alignments.indices.contains(column) ? alignments[column] : 0 {
    case UInt8(ascii: "r"): missing
    case UInt8(ascii: "c"): missing / 2
    default: 0
    }
  }

  private static func rule(_ widths: [Int], _ look: MarkdownLook) -> SafeText {
    guard look.drawsLines else {
      return widths.map { SafeText(filtered: String(repeating: "-", count: $0)) }.joined(separator: "-+-")
    }
    return widths.map(MarkdownLayout.line).joined(separator: "─┼─")
  }

  /// Each cell on a line of its own behind the name of its column, with a blank line between rows.
  private func addStacked(to layout: inout MarkdownLayout) {
    guard let header = rows.first else { return }
    let columns = layout.room
    if rows.count == 1 {
      for cell in header { Self.add(cell, columns, columns, to: &layout) }
    }
    for (index, row) in rows.enumerated().dropFirst() {
      if index > 1 { layout.addLine { _ in } }
      for (column, cell) in row.enumerated() where !cell.isEmpty {
        var text = StyledBytes()
        if header.indices.contains(column), !header[column].isEmpty {
          text.append(header[column].name)
          text.append(": ", .strong)
        }
        text.append(cell)
        Self.add(text, columns, max(1, columns - 2), to: &layout)
      }
    }
  }

  private static func add(_ text: StyledBytes, _ first: Int, _ rest: Int, to layout: inout MarkdownLayout) {
    var run = 0
    for (index, part) in text.broken(first: first, rest: rest).enumerated() {
      layout.addLine { line in
        if index > 0, rest < first { line.append(spaces: 2) }
        line.append(text, part, from: &run)
      }
    }
  }
}

extension StyledBytes {
  /// What stands before each cell of a column.
  fileprivate var name: StyledBytes {
    cells <= 30 ? self : StyledBytes(SafeText(filtered: String(decoding: bytes, as: UTF8.self)).cut(to: 30), .strong)
  }
}

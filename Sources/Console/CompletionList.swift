import Shell
import Text

/// The rows under the line that show what Tab could put there.
enum CompletionList {
  static func rows(_ candidates: [Candidate], columns: Int, height: Int) -> [[Cell]] {
    let height = max(1, height)
    let hasSummaries = candidates.contains { !$0.summary.isEmpty }
    let layOut = hasSummaries ? table : grid
    let rows = layOut(candidates, columns)
    guard rows.count > height else { return rows }
    let perRow = (candidates.count + rows.count - 1) / rows.count
    let shown = Array(candidates.prefix((height - 1) * perRow))
    let more = cells(cut("… \(candidates.count - shown.count) more", cells: columns - 1), .dim)
    return layOut(shown, columns) + [more]
  }

  /// One to a row, its summary beside it.
  private static func table(_ candidates: [Candidate], _ columns: Int) -> [[Cell]] {
    let names = candidates.map { cut(Filter.inline($0.text).string, cells: max(8, columns - 1)) }
    let nameWidth = min(names.map { cellWidth($0) }.max() ?? 0, max(12, columns / 2))
    return zip(names, candidates).map { name, candidate in
      let width = cellWidth(name)
      var row = cells(name, .plain)
      let room = columns - 1 - max(nameWidth, width) - 2
      guard !candidate.summary.isEmpty, room >= 4 else { return row }
      row += cells(String(repeating: " ", count: max(nameWidth, width) - width + 2), .plain)
      row += cells(cut(Filter.inline(candidate.summary).string, cells: room), .dim)
      return row
    }
  }

  /// As many columns as fit, read downwards.
  private static func grid(_ candidates: [Candidate], _ columns: Int) -> [[Cell]] {
    let names = candidates.map { cut(Filter.inline($0.text).string, cells: max(1, columns - 1)) }
    let width = (names.map { cellWidth($0) }.max() ?? 1) + 2
    let across = max(1, (columns + 1) / width)
    let count = (names.count + across - 1) / across
    return (0..<count).map { row in
      var line: [Cell] = []
      for place in stride(from: row, to: names.count, by: count) {
        let name = names[place]
        line += cells(name, .plain)
        if place + count < names.count {
          line += cells(String(repeating: " ", count: width - cellWidth(name)), .plain)
        }
      }
      return line
    }
  }

  private static func cells(_ text: String, _ style: Style) -> [Cell] {
    text.map { Cell(String($0), cellWidth($0), style) }
  }
}

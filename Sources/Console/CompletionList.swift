import Shell
import Text

/// The rows under the line that show what Tab could put there.
enum CompletionList {
  /// - Parameter others: how many there are that are not among the candidates.
  static func rows(
    _ candidates: some RandomAccessCollection<Candidate>, besides others: Int = 0, columns: Int, height: Int
  ) -> [[Cell]] {
    let height = max(1, height)
    // Of thousands no more is looked at than the screen could show: a name takes three cells at least.
    let first = Array(candidates.prefix((height + 1) * max(1, columns / 3)))
    let isTable = first.contains { !$0.summary.isEmpty }
    let layOut = isTable ? table : grid
    let rows = layOut(isTable ? Array(first.prefix(height + 1)) : first, columns)
    guard rows.count > height || others > 0 || first.count < candidates.count else { return rows }
    let perRow = isTable ? 1 : (first.count + rows.count - 1) / rows.count
    let shown = Array(first.prefix((height - 1) * perRow))
    let more: SafeText = "… \(candidates.count + others - shown.count) more"
    return layOut(shown, columns) + [Cell.row(more.cut(to: columns - 1), .dim)]
  }

  /// One to a row, its summary beside it.
  private static func table(_ candidates: [Candidate], _ columns: Int) -> [[Cell]] {
    let names = candidates.map { Filter.inline($0.text, width: columns - 1) }
    let widest = min(names.map(\.cells).max() ?? 0, max(12, columns / 2))
    return zip(names, candidates).map { name, candidate in
      let padded = name.padded(to: widest) + "  "
      let room = columns - 1 - padded.cells
      guard !candidate.summary.isEmpty, room >= 4 else { return Cell.row(name, .plain) }
      return Cell.row(padded, .plain) + Cell.row(Filter.inline(candidate.summary, width: room), .dim)
    }
  }

  /// As many columns as fit, read downwards.
  private static func grid(_ candidates: [Candidate], _ columns: Int) -> [[Cell]] {
    let names = candidates.map { Filter.inline($0.text, width: columns - 1) }
    let width = (names.map(\.cells).max() ?? 1) + 2
    let across = max(1, (columns + 1) / width)
    let count = (names.count + across - 1) / across
    return (0..<count).map { row in
      stride(from: row, to: names.count, by: max(1, count)).flatMap { place in
        Cell.row(place + count < names.count ? names[place].padded(to: width) : names[place], .plain)
      }
    }
  }
}

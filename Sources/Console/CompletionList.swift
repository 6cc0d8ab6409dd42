import Shell
import Text

/// A page of completions under the line.
struct CompletionList {
  var rows: [[Cell]]
  /// The number of candidates on the page.
  var count: Int

  /// - Parameters:
  ///   - candidates: those that no earlier page has shown.
  ///   - others: the number of completions that are not among the candidates.
  init(_ candidates: some RandomAccessCollection<Candidate>, besides others: Int = 0, columns: Int, height: Int) {
    let height = max(1, height)
    // Of thousands no more is looked at than the screen could show: a name takes three cells at least.
    let first = Array(candidates.prefix((height + 1) * max(1, columns / 3)))
    let isTable = first.contains { !$0.summary.isEmpty }
    let layOut = isTable ? CompletionList.table : CompletionList.grid
    rows = layOut(isTable ? Array(first.prefix(height + 1)) : first, columns)
    count = candidates.count
    guard rows.count > height || others > 0 || first.count < candidates.count else { return }
    let perRow = isTable ? 1 : (first.count + rows.count - 1) / rows.count
    let shown = Array(first.prefix((height - 1) * perRow))
    count = shown.count
    let next: SafeText = 0 < count && count < candidates.count ? ", Tab shows the next" : ""
    let more: SafeText = "… \(candidates.count + others - count) more"
    rows = layOut(shown, columns) + [Cell.row((more + next).cut(to: columns - 1), .dim)]
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

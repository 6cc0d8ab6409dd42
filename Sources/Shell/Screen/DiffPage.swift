import Chat
import Text

/// A change of a file in lines, the removed ones before those that take their place.
enum DiffPage {
  /// The most lines that are shown of a change that was made.
  private static let shownLimit = 60
  /// Lines that are shown around a change.
  private static let around = 2

  enum Line: Equatable {
    case same(String)
    case removed(String)
    case added(String)
    /// The line before it has no newline behind it, while the other file's last one has.
    case noNewline
    /// So many lines that are left out.
    case gap(Int)
  }

  /// - Parameter limit: nil shows every line that changes.
  static func text(_ change: FileChange, columns: Int?, limit: Int? = shownLimit) -> StyledText {
    let width = max(20, columns ?? 100)
    var page: StyledText = VisibleText.hardWrapped(head(of: change), width - 4).enumerated().flatMap { index, part in
      StyledText.text((index == 0 ? "  " : "    ") + part + "\n", .strong)
    }
    let all = lines(of: change)
    if all.isEmpty {
      page += .text(change.old == nil ? "  it is empty\n" : "  nothing changes\n", .dim)
    }
    let shown = limit.map { min($0, all.count) } ?? all.count
    for line in all.prefix(shown) { page += text(of: line, width) }
    if all.count > shown { page += .text("  … \(all.count - shown) more lines\n", .dim) }
    return page
  }

  /// `/home/ada/notes.txt (new): 0 lines removed, 3 added`.
  static func summary(of change: FileChange) -> SafeText {
    let all = lines(of: change)
    let removed = all.count { if case .removed = $0 { true } else { false } }
    let added = all.count { if case .added = $0 { true } else { false } }
    return head(of: change) + ": \(removed == 1 ? "1 line" : "\(removed) lines") removed, \(added) added"
  }

  private static func head(of change: FileChange) -> SafeText {
    let what: SafeText =
      if change.old != nil {
        change.new.isEmpty ? " (emptied)" : ""
      } else {
        change.replacesUnseen ? " (replaces a file that cannot be shown)" : " (new)"
      }
    return VisibleText.oneLine(change.path) + what
  }

  private static func text(of line: Line, _ width: Int) -> StyledText {
    let (mark, text, style): (SafeText, String, Style) =
      switch line {
      case .same(let text): ("    ", text, .dim)
      case .removed(let text): ("  - ", text, .error)
      case .added(let text): ("  + ", text, .good)
      case .noNewline: ("  \\ ", "no newline at the end", .dim)
      case .gap(let count): ("  … ", count == 1 ? "1 line" : "\(count) lines", .dim)
      }
    return VisibleText.hardWrapped(VisibleText.oneLine(text), width - 5).enumerated().flatMap { index, part in
      StyledText.text((index == 0 ? mark : "  | ") + part + "\n", style)
    }
  }

  static func lines(of change: FileChange) -> [Line] {
    let (old, new) = (FileLines(change.old ?? ""), FileLines(change.new))
    var numbers: [[UInt8]: Int] = [:]
    let kept = LineComparison.kept(old.numbered(by: &numbers), new.numbered(by: &numbers))
    // That neither has one is no news.
    let isTold = !old.texts.isEmpty && !new.texts.isEmpty && old.endsInNewline != new.endsInNewline
    var lines: [Line] = []
    func add(_ file: FileLines, _ index: Int, _ line: (String) -> Line) {
      lines.append(line(file.texts[index]))
      if isTold, !file.endsInNewline, index == file.texts.count - 1 { lines.append(.noNewline) }
    }
    var (place, other) = (0, 0)
    for pair in kept + [(old.texts.count, new.texts.count)] {
      while place < pair.0 {
        add(old, place, Line.removed)
        place += 1
      }
      while other < pair.1 {
        add(new, other, Line.added)
        other += 1
      }
      guard place < old.texts.count, other < new.texts.count else { break }
      lines.append(.same(old.texts[place]))
      place += 1
      other += 1
    }
    return shortened(lines)
  }

  /// Leaves out what is far from every change.
  private static func shortened(_ lines: [Line]) -> [Line] {
    var isNear = [Bool](repeating: false, count: lines.count)
    for (index, line) in lines.enumerated() {
      if case .same = line { continue }
      for near in max(0, index - around)...min(lines.count - 1, index + around) { isNear[near] = true }
    }
    var shown: [Line] = []
    var left = 0
    for (index, line) in lines.enumerated() {
      guard isNear[index] else {
        left += 1
        continue
      }
      if left > 0 { shown.append(.gap(left)) }
      left = 0
      shown.append(line)
    }
    if left > 0, !shown.isEmpty { shown.append(.gap(left)) }
    return shown
  }
}

/// A file cut at its line feeds, and nowhere else: a carriage return stays where it is seen.
private struct FileLines {
  /// Without their line feeds.
  let texts: [String]
  let endsInNewline: Bool

  init(_ text: String) {
    endsInNewline = text.utf8.last == UInt8(ascii: "\n")
    var texts = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if texts.last == "" { texts.removeLast() }
    self.texts = texts
  }

  /// A number for each line; equal ones have equal bytes, and a line feed behind both or neither.
  func numbered(by numbers: inout [[UInt8]: Int]) -> [Int] {
    texts.enumerated().map { index, text in
      var bytes = Array(text.utf8)
      if index < texts.count - 1 || endsInNewline { bytes.append(UInt8(ascii: "\n")) }
      if let known = numbers[bytes] { return known }
      numbers[bytes] = numbers.count
      return numbers.count - 1
    }
  }
}

/// Which lines of a file stay when another takes its place.
private enum LineComparison {
  /// The most pairs of lines that are looked at; beyond it nothing between the ends is taken for the same.
  private static let mostPairs = 4_000_000

  /// The places of lines that stay, in both, in order: a longest common subsequence.
  static func kept(_ old: [Int], _ new: [Int]) -> [(Int, Int)] {
    let shorter = min(old.count, new.count)
    var before = 0
    while before < shorter, old[before] == new[before] { before += 1 }
    var after = 0
    while after < shorter - before, old[old.count - 1 - after] == new[new.count - 1 - after] { after += 1 }
    return (0..<before).map { ($0, $0) }
      + between(old[before..<old.count - after], new[before..<new.count - after])
      + (0..<after).map { (old.count - after + $0, new.count - after + $0) }
  }

  private static func between(_ old: ArraySlice<Int>, _ new: ArraySlice<Int>) -> [(Int, Int)] {
    let (rows, columns) = (old.count, new.count)
    guard rows > 0, columns > 0, rows <= mostPairs / columns else { return [] }
    // How many stay of what is behind each pair of places.
    var lengths = [Int32](repeating: 0, count: (rows + 1) * (columns + 1))
    for row in (0..<rows).reversed() {
      for column in (0..<columns).reversed() {
        let place = row * (columns + 1) + column
        lengths[place] =
          old[old.startIndex + row] == new[new.startIndex + column]
          ? lengths[place + columns + 2] + 1 : max(lengths[place + columns + 1], lengths[place + 1])
      }
    }
    var kept: [(Int, Int)] = []
    var (row, column) = (0, 0)
    while row < rows, column < columns {
      let place = row * (columns + 1) + column
      if old[old.startIndex + row] == new[new.startIndex + column] {
        kept.append((old.startIndex + row, new.startIndex + column))
        row += 1
        column += 1
      } else if lengths[place + columns + 1] >= lengths[place + 1] {
        row += 1
      } else {
        column += 1
      }
    }
    return kept
  }
}

import Text

/// Searching the recall list as one types: the newest line that holds the pattern, whatever the case of its letters.
struct RecallSearch {
  private(set) var pattern: EditText
  private(set) var shown: EditText
  private(set) var cursor: Int
  private(set) var hasFailed = false
  /// Steps back of the line that is shown; -1 before anything was found.
  private(set) var place: Int
  private let original: EditedLine.State

  /// - Parameter pattern: what was sought before, where that goes on.
  init(from original: EditedLine.State, pattern: EditText = []) {
    self.original = original
    self.pattern = pattern
    place = pattern.isEmpty ? -1 : original.place
    shown = original.text
    cursor = original.cursor
  }

  var prompt: StyledText {
    let words = String(String.UnicodeScalarView(pattern.compactMap { Unicode.Scalar(UInt32(bitPattern: $0)) }))
    return [Span(hasFailed ? "no match " : "search ", .dim), Span("\(words)", .accent), Span(": ", .dim)]
  }

  /// Lines that are shown of a message that has more.
  private static let mostLines = 5

  /// What is shown of it: of a long message the lines around the match, and which they are.
  var excerpt: (text: EditText, cursor: Int, place: StyledText) {
    let ends = shown.indices.filter { shown[$0] == 10 } + [shown.count]
    guard ends.count > Self.mostLines else { return (shown, cursor, []) }
    let line = ends.firstIndex { $0 >= cursor } ?? 0
    let first = max(0, min(line - Self.mostLines / 2, ends.count - Self.mostLines))
    let start = first == 0 ? 0 : ends[first - 1] + 1
    return (
      EditText(shown[start..<ends[first + Self.mostLines - 1]]), cursor - start,
      .text("(line \(line + 1) of \(ends.count)) ", .dim)
    )
  }

  mutating func type(_ more: EditText, _ recalled: (Int) -> EditText?) {
    pattern += more
    find(from: max(0, place), step: 1, recalled)
  }

  mutating func eraseLast(_ recalled: (Int) -> EditText?) {
    pattern.removeLast(pattern.count - pattern.characterStart(before: pattern.count))
    (place, shown, cursor, hasFailed) = (-1, original.text, original.cursor, false)
    if !pattern.isEmpty { find(from: 0, step: 1, recalled) }
  }

  mutating func next(older: Bool, _ recalled: (Int) -> EditText?) {
    guard !pattern.isEmpty else { return }
    find(from: place + (older ? 1 : -1), step: older ? 1 : -1, recalled)
  }

  private mutating func find(from start: Int, step: Int, _ recalled: (Int) -> EditText?) {
    let wanted = pattern.map(Self.folded)
    var candidate = start
    while candidate >= 0, let line = recalled(candidate) {
      // The same line again is no news for the one who asks for another.
      if line != shown || candidate == place, let found = Self.first(wanted, in: line) {
        (place, shown, cursor, hasFailed) = (candidate, line, found, false)
        return
      }
      candidate += step
    }
    hasFailed = true
  }

  private static func first(_ wanted: EditText, in line: EditText) -> Int? {
    guard let head = wanted.first, line.count >= wanted.count else { return nil }
    return (0...line.count - wanted.count).first { start in
      folded(line[start]) == head && wanted.indices.allSatisfy { folded(line[start + $0]) == wanted[$0] }
    }
  }

  private static func folded(_ value: EditUnit) -> EditUnit {
    if value < 0x80 { return (65...90).contains(value) ? value + 32 : value }
    guard let scalar = Unicode.Scalar(UInt32(bitPattern: value)) else { return value }
    let lower = scalar.properties.lowercaseMapping.unicodeScalars
    guard lower.count == 1, let only = lower.first else { return value }
    return EditUnit(bitPattern: only.value)
  }
}

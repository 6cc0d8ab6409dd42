/// Lines of an answer in one piece: the bytes of all of them, the style of each run, and where each line ends.
package struct StyledLines: Sendable {
  package struct Line: Sendable, Equatable {
    /// Where it ends in the bytes.
    package let end: Int
    /// How many cells it takes.
    package let cells: Int
  }

  /// The lines behind one another, without line feeds.
  package private(set) var text = StyledBytes()
  package private(set) var lines: [Line] = []

  package var isEmpty: Bool { lines.isEmpty }

  package init() {}

  package static func + (left: StyledLines, right: StyledLines) -> StyledLines {
    if left.isEmpty { return right }
    var both = left
    both += right
    return both
  }

  package static func += (left: inout StyledLines, right: StyledLines) {
    if left.isEmpty { return left = right }
    let before = left.text.bytes.count
    left.text.append(right.text)
    left.lines.append(contentsOf: right.lines.lazy.map { Line(end: before + $0.end, cells: $0.cells) })
  }

  /// Puts together the next line, which ends without blanks.
  mutating func addLine(_ write: (inout StyledBytes) -> Void) {
    let start = lines.last?.end ?? 0
    write(&text)
    text.removeTrailingSpaces(after: start)
    let cells = text.bytes.withUnsafeBufferPointer { Cells.cells(in: UnsafeBufferPointer(rebasing: $0[start...])) }
    lines.append(Line(end: text.bytes.count, cells: cells))
  }

  /// Goes through them in order.
  /// - Parameters:
  ///   - part: is called for each run of a line with where it stands in the bytes,
  ///   - endOfLine: behind the last one of each line.
  package func read(
    part: (_ bytes: Range<Int>, _ style: Style, _ link: LinkTarget?) -> Void, endOfLine: (_ line: Line) -> Void
  ) {
    var start = 0
    var run = 0
    for line in lines {
      while start < line.end {
        let here = text.runs[run]
        part(start..<min(line.end, here.end), here.style, text.link(of: here))
        start = min(line.end, here.end)
        if here.end <= line.end { run += 1 }
      }
      endOfLine(line)
    }
  }

  /// Without the lines at its beginning that these begin with too.
  func dropping(_ others: [StyledText]) -> StyledLines {
    guard !others.isEmpty else { return self }
    let same = zip(spans, others).prefix { $0 == $1 }.count
    guard same > 0 else { return self }
    var rest = StyledLines()
    var run = 0
    for (index, line) in lines.enumerated().dropFirst(same) {
      rest.addLine { $0.append(text, lines[index - 1].end..<line.end, from: &run) }
    }
    return rest
  }

  /// Each line as spans.
  package var spans: [StyledText] {
    var all: [StyledText] = []
    var line: StyledText = []
    read { bytes, style, link in
      line.append(Span(SafeText(filtered: String(decoding: text.bytes[bytes], as: UTF8.self)), style, link: link))
    } endOfLine: { _ in
      all.append(line)
      line = []
    }
    return all
  }
}

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

  /// The text without what depends on the width of the screen: blanks, and the bars beside quotes.
  package var words: [UInt8] {
    var (words, place) = ([UInt8](), startOfWord(from: 0))
    while place < text.bytes.count {
      words.append(text.bytes[place])
      place = startOfWord(from: place + 1)
    }
    return words
  }

  /// The lines behind these words, with which they begin, and the words that are missing at their end.
  /// - Returns: nil if the lines begin with other words.
  package func dropping(words: ArraySlice<UInt8>) -> (lines: StyledLines, missing: ArraySlice<UInt8>)? {
    guard !words.isEmpty else { return (self, words) }
    var (place, missing) = (0, words)
    while let word = missing.first {
      let start = startOfWord(from: place)
      guard start < text.bytes.count else { return (StyledLines(), missing) }
      guard text.bytes[start] == word else { return nil }
      place = start + 1
      missing.removeFirst()
    }
    guard let first = lines.firstIndex(where: { $0.end >= place }) else { return (StyledLines(), missing) }
    var (rest, run) = (StyledLines(), 0)
    place = startOfWord(from: place)
    if place < lines[first].end { rest.addLine { $0.append(text, place..<lines[first].end, from: &run) } }
    for (index, line) in lines.enumerated().dropFirst(first + 1) {
      rest.addLine { $0.append(text, lines[index - 1].end..<line.end, from: &run) }
    }
    return (rest, missing)
  }

  private func startOfWord(from start: Int) -> Int {
    var place = start
    while place < text.bytes.count {
      if text.bytes[place] == 0x20 || text.bytes[place] == UInt8(ascii: ">") {
        place += 1
      } else if text.bytes[place...].starts(with: "│".utf8) {
        place += 3
      } else {
        break
      }
    }
    return place
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

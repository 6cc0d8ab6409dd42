/// Filtered text while it is put together: its bytes, and the style of each run of them.
struct StyledBytes {
  struct Run {
    /// Where it ends in the bytes.
    var end: Int
    var style: Style
    var link: LinkTarget?
  }

  private(set) var bytes: [UInt8] = []
  private(set) var runs: [Run] = []
  /// How many characters were taken out that serve only to hide or reorder text.
  private(set) var hidden = 0

  var isEmpty: Bool { bytes.isEmpty }

  init() {}

  init(_ text: SafeText, _ style: Style) { append(text, style) }

  mutating func append(_ other: StyledBytes) {
    let start = bytes.count
    bytes += other.bytes
    runs += other.runs.map { Run(end: start + $0.end, style: $0.style, link: $0.link) }
    hidden += other.hidden
  }

  mutating func append(_ text: SafeText, _ style: Style = .plain, link: LinkTarget? = nil) {
    bytes.append(contentsOf: text.string.utf8)
    note(style, link)
  }

  /// Takes text from anywhere through the filter.
  mutating func append(
    untrusted text: UnsafeBufferPointer<UInt8>, _ style: Style, link: LinkTarget? = nil,
    profile: Filter.Profile = .block
  ) {
    if endOfPrintableASCII(text, from: 0) == text.count {
      bytes.append(contentsOf: text)
    } else {
      var filter = Filter(profile)
      bytes.append(contentsOf: filter.feed(bytes: Array(text)).string.utf8)
      bytes.append(contentsOf: filter.finish().string.utf8)
      hidden += filter.hidden
    }
    note(style, link)
  }

  private mutating func note(_ style: Style, _ link: LinkTarget?) {
    guard bytes.count > (runs.last?.end ?? 0) else { return }
    if let last = runs.last, last.style == style, last.link == link {
      runs[runs.count - 1].end = bytes.count
    } else {
      runs.append(Run(end: bytes.count, style: style, link: link))
    }
  }

  /// The spans of each of these parts, which are in order.
  func lines(_ parts: [Range<Int>]) -> [StyledText] {
    var lines: [StyledText] = []
    lines.reserveCapacity(parts.count)
    var run = 0
    for part in parts {
      var line: StyledText = []
      var start = part.lowerBound
      while run > 0, runs[run - 1].end > start { run -= 1 }
      while run < runs.count, runs[run].end <= start { run += 1 }
      while start < part.upperBound {
        let end = min(part.upperBound, runs[run].end)
        let text = SafeText(filtered: String(decoding: bytes[start..<end], as: UTF8.self))
        line.append(Span(text, runs[run].style, link: runs[run].link))
        start = end
        if start < part.upperBound { run += 1 }
      }
      lines.append(line)
    }
    return lines
  }

  /// Broken into lines of so many cells, at line feeds and where a line may end.
  func wrapped(first: Int, rest: Int) -> [StyledText] {
    lines(bytes.withUnsafeBufferPointer { LineBreaks.lines(in: $0, first: first, rest: rest) })
  }

  /// Cells of its widest line.
  var cells: Int {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .map { Cells.cells(in: String($0)) }.max() ?? 0
  }
}

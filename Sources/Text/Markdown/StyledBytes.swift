/// Filtered text while it is put together: its bytes, and the style of each run of them.
///
/// An answer has tens of thousands of runs: as spans, each would be a string of its own.
package struct StyledBytes: Sendable {
  package struct Run: Sendable {
    /// Where it ends in the bytes.
    package internal(set) var end: Int
    package let style: Style
    /// Its place among the links; -1 for none.
    let link: Int32
  }

  package private(set) var bytes: [UInt8] = []
  package private(set) var runs: [Run] = []
  private var links: [LinkTarget] = []
  /// How many characters were taken out that serve only to hide or reorder text.
  private(set) var hidden = 0

  package var isEmpty: Bool { bytes.isEmpty }

  package init() {}

  init(_ text: SafeText, _ style: Style) { append(text, style) }

  /// With room for so much.
  init(bytes: Int, runs: Int) {
    self.bytes.reserveCapacity(bytes)
    self.runs.reserveCapacity(runs)
  }

  /// Where a run leads.
  package func link(of run: Run) -> LinkTarget? { run.link < 0 ? nil : links[Int(run.link)] }

  mutating func append(_ other: StyledBytes) {
    guard !other.isEmpty else { return hidden += other.hidden }
    var run = 0
    append(other, 0..<other.bytes.count, from: &run)
    hidden += other.hidden
  }

  /// A part of another text.
  /// - Parameter run: the first of its runs that may reach into the part; afterwards, into one that follows.
  mutating func append(_ other: StyledBytes, _ part: Range<Int>, from run: inout Int) {
    guard !part.isEmpty else { return }
    let offset = bytes.count - part.lowerBound
    other.bytes.withUnsafeBufferPointer { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[part])) }
    while other.runs[run].end <= part.lowerBound { run += 1 }
    while true {
      let here = other.runs[run]
      note(here.style, other.link(of: here), until: min(here.end, part.upperBound) + offset)
      if here.end >= part.upperBound { return }
      run += 1
    }
  }

  mutating func append(_ text: SafeText, _ style: Style = .plain, link: LinkTarget? = nil) {
    bytes.append(contentsOf: text.string.utf8)
    note(style, link, until: bytes.count)
  }

  mutating func append(spaces count: Int) {
    guard count > 0 else { return }
    for _ in 0..<count { bytes.append(0x20) }
    note(.plain, nil, until: bytes.count)
  }

  /// Takes text from anywhere through the filter.
  mutating func append(
    untrusted text: UnsafeBufferPointer<UInt8>, _ style: Style, link: LinkTarget? = nil,
    profile: Filter.Profile = .block
  ) {
    if endOfSimpleText(text, from: 0) == text.count {
      bytes.append(contentsOf: text)
    } else {
      var filter = Filter(profile)
      bytes.append(contentsOf: filter.feed(bytes: Array(text)).string.utf8)
      bytes.append(contentsOf: filter.finish().string.utf8)
      hidden += filter.hidden
    }
    note(style, link, until: bytes.count)
  }

  /// Takes blanks away from the end, as far as the text is longer than so many bytes.
  mutating func removeTrailingSpaces(after start: Int) {
    guard bytes.count > start, bytes.last == 0x20 else { return }
    while bytes.count > start, bytes.last == 0x20 { bytes.removeLast() }
    while let last = runs.last, last.end > bytes.count {
      runs.removeLast()
      guard (runs.last?.end ?? 0) < bytes.count else { continue }
      runs.append(Run(end: bytes.count, style: last.style, link: last.link))
    }
  }

  private mutating func note(_ style: Style, _ link: LinkTarget?, until end: Int) {
    guard end > (runs.last?.end ?? 0) else { return }
    var place: Int32 = -1
    if let link {
      if links.last != link { links.append(link) }
      place = Int32(links.count - 1)
    }
    if let last = runs.last, last.style == style, last.link == place {
      runs[runs.count - 1].end = end
    } else {
      runs.append(Run(end: end, style: style, link: place))
    }
  }

  /// Where its lines are when it is broken at line feeds and where a line may end.
  /// - Parameters:
  ///   - first: cells of the first line.
  ///   - rest: cells of those after it.
  func broken(first: Int, rest: Int) -> [Range<Int>] {
    bytes.withUnsafeBufferPointer { LineBreaks.lines(in: $0, first: first, rest: rest) }
  }

  /// Cells of its widest line.
  var cells: Int {
    bytes.withUnsafeBufferPointer { bytes in
      if endOfPrintableASCII(bytes, from: 0) == bytes.count { return bytes.count }
      return bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        .reduce(0) { max($0, Cells.cells(in: UnsafeBufferPointer(rebasing: $1))) }
    }
  }
}

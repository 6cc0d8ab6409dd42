/// Breaks text into lines of a width while it arrives, by words and whole graphemes.
///
/// What was given out never changes: only the word at the end is held back until it is known where it ends. The
/// lines do not depend on how the text was cut into pieces.
package struct Wrapper: Sendable {
  /// Cells in a line, at least 1; it may change between two pieces.
  package var columns: Int
  /// Spaces before each line that is begun here, at most half of the line.
  package let indent: Int

  private var out: [UInt8] = []
  private var column: Int
  /// Whether the indent of this line was written, or stands before it already.
  private var isBegun: Bool
  /// Whether something stands on this line after which it may be broken.
  private var hasWord: Bool
  /// Spaces after the last word, which a break swallows.
  private var spaces = 0

  /// The word at the end; its last grapheme, from `openStart` on, may still grow.
  private var word: [UInt8] = []
  private var openStart = 0
  private var closedWidth = 0
  private var open = CellCounter()
  private var openKind = BreakKind.none
  private var last = BreakKind.none
  private var beforeLast = BreakKind.none

  /// `column` is how many cells of the first line are taken by what was written before it.
  package init(columns: Int, indent: Int = 0, column: Int = 0) {
    self.columns = columns
    self.indent = max(0, indent)
    self.column = max(0, column)
    isBegun = column > 0
    hasWord = column > 0
  }

  /// What can be shown now that this text came; tabs become spaces.
  package mutating func feed(_ text: SafeText) -> SafeText {
    var string = text.string
    string.withUTF8 { bytes in
      var i = 0
      while i < bytes.count {
        switch bytes[i] {
        case 0x20:
          endWord()
          spaces += 1
          i += 1
        case 0x0A:
          endLine()
          i += 1
        case 0x09:
          endWord()
          spaces += 8 - (lineStart + spaces) % 8
          i += 1
        default:
          let start = i
          let scalar = decode(bytes, &i)
          take(scalar, bytes[start..<i])
        }
      }
    }
    return takeOut()
  }

  /// The rest, without a line feed of its own.
  package mutating func finish() -> SafeText {
    endWord()
    writeTrailingSpaces()
    return takeOut()
  }

  private mutating func takeOut() -> SafeText {
    defer { out.removeAll(keepingCapacity: true) }
    return out.isEmpty ? "" : SafeText(filtered: String(decoding: out, as: UTF8.self))
  }
}

/// The word at the end, which waits.
extension Wrapper {
  @inline(__always)
  private mutating func take(_ scalar: UInt32, _ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    let width = open.clusterWidth
    if open.add(scalar) {
      if word.count > openStart { closeGrapheme(width) }
      openKind = BreakKind(scalar)
    }
    if scalar < 0x80 { word.append(UInt8(scalar)) } else { word.append(contentsOf: bytes) }
  }

  /// The grapheme at the end is whole: settles whether a line may end before it.
  private mutating func closeGrapheme(_ width: Int) {
    let kind = openKind.withWidth(width)
    if openStart > 0 {
      if BreakKind.canBreak(beforeLast, last, kind) || closedWidth + width > room { placeClosed() }
    }
    closedWidth += width
    openStart = word.count
    beforeLast = last
    last = kind
  }

  private mutating func endWord() {
    guard !word.isEmpty else { return }
    closeGrapheme(open.clusterWidth)
    placeClosed()
    open = CellCounter()
    last = .none
    beforeLast = .none
  }

  /// Puts the whole graphemes of the word on this line or the next, and leaves the rest.
  private mutating func placeClosed() {
    if hasWord, column + spaces + closedWidth > limit { breakLine() }
    begin()
    writeSpaces(hasWord ? spaces : leadingSpaces)
    if column + closedWidth > limit {
      placeByGrapheme()
    } else {
      out.append(contentsOf: word[..<openStart])
      column += closedWidth
    }
    hasWord = true
    word.removeFirst(openStart)
    openStart = 0
    closedWidth = 0
  }

  /// For a word that is wider than the line, because the line became narrower or because it is tiny.
  private mutating func placeByGrapheme() {
    let text = String(decoding: word[..<openStart], as: UTF8.self)
    var counter = CellCounter()
    var grapheme: [UInt8] = []
    for scalar in text.unicodeScalars {
      let before = counter.clusterWidth
      if counter.add(scalar.value) {
        placeHard(grapheme, before)
        grapheme.removeAll(keepingCapacity: true)
      }
      grapheme.append(contentsOf: UTF8.encode(scalar) ?? .init())
    }
    placeHard(grapheme, counter.clusterWidth)
  }

  private mutating func placeHard(_ grapheme: [UInt8], _ width: Int) {
    if column + width > limit, column > margin {
      breakLine()
      begin()
    }
    out.append(contentsOf: grapheme)
    column += width
  }
}

/// The line that is being filled.
extension Wrapper {
  private var limit: Int { max(1, columns) }
  private var margin: Int { limit > 2 ? min(indent, limit / 2) : 0 }
  private var lineStart: Int { isBegun ? column : margin }
  /// Code that is indented beyond the line still shows where it begins.
  private var leadingSpaces: Int { min(spaces, max(0, limit - lineStart - 2)) }
  /// Cells for a word on a line where it comes first.
  private var room: Int { limit - (hasWord ? margin : lineStart + leadingSpaces) }

  private mutating func begin() {
    guard !isBegun else { return }
    column = 0
    writeCells(margin)
    isBegun = true
  }

  private mutating func writeSpaces(_ count: Int) {
    writeCells(count)
    spaces = 0
  }

  private mutating func writeCells(_ count: Int) {
    guard count > 0 else { return }
    out.append(contentsOf: repeatElement(0x20, count: count))
    column += count
  }

  private mutating func writeTrailingSpaces() {
    guard spaces > 0 else { return }
    if lineStart + spaces <= limit {
      begin()
      writeSpaces(spaces)
    }
    spaces = 0
  }

  private mutating func endLine() {
    endWord()
    writeTrailingSpaces()
    breakLine()
  }

  private mutating func breakLine() {
    out.append(0x0A)
    column = 0
    spaces = 0
    isBegun = false
    hasWord = false
  }
}

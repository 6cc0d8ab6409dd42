/// Where the lines of a text are that is here as a whole, by the rules of `Wrapper`.
struct LineBreaks {
  private let text: UnsafeBufferPointer<UInt8>
  private var room: Int
  private let laterRoom: Int
  private var lines: [Range<Int>] = []

  private var lineStart = 0
  /// Cells from the start of the line.
  private var width = 0
  /// The last place where this line may end: where its text ends, where the next one begins, and the cells up to there.
  private var place: (end: Int, next: Int, width: Int)?
  private var last = BreakKind.none
  private var beforeLast = BreakKind.none

  /// The parts of filtered text that are its lines; blanks at a break are in none.
  /// - Parameters:
  ///   - first: cells of the first line.
  ///   - rest: cells of those after it.
  static func lines(in text: UnsafeBufferPointer<UInt8>, first: Int, rest: Int) -> [Range<Int>] {
    var breaks = LineBreaks(text: text, room: max(1, first), laterRoom: max(1, rest))
    breaks.run()
    return breaks.lines
  }

  private init(text: UnsafeBufferPointer<UInt8>, room: Int, laterRoom: Int) {
    self.text = text
    self.room = room
    self.laterRoom = laterRoom
  }

  private mutating func run() {
    var i = 0
    while i < text.count {
      let byte = text[i]
      if byte == 0x20 {
        blank(at: i)
        i += 1
      } else if byte == 0x0A {
        end(at: i, next: i + 1)
        (width, last, beforeLast) = (0, .none, .none)
        i += 1
      } else if byte < 0x80, i + 1 == text.count || text[i + 1] < 0x80 {
        let kind = BreakKind(UInt32(byte))
        take(i, kind, 1)
        i += 1
        if kind == .letter { i = takeLetters(from: i) }
      } else {
        i = takeGrapheme(at: i)
      }
    }
    end(at: text.count, next: text.count)
  }

  /// The letters of a word behind its first that have room, since no line ends between two.
  private mutating func takeLetters(from start: Int) -> Int {
    var i = start
    let most = min(text.count, start + max(0, room - width))
    while i < most, (text[i] | 0x20) >= 0x61, (text[i] | 0x20) <= 0x7A { i += 1 }
    // A mark may follow the last one.
    if i > start, i < text.count, text[i] >= 0x80 { i -= 1 }
    guard i > start else { return start }
    width += i - start
    beforeLast = .letter
    return i
  }

  private mutating func takeGrapheme(at start: Int) -> Int {
    var i = start
    let first = decode(text, &i)
    let width = Cells.simpleWidth(first)
    // Most make one with nothing that follows.
    if width > 0, i == text.count || text[i] < 0x80 || isSimple(at: i) {
      take(start, BreakKind(first).withWidth(width), width)
      return i
    }
    var counter = CellCounter()
    counter.add(first)
    var next = i
    while i < text.count {
      guard !counter.add(decode(text, &next)) else { break }
      i = next
    }
    var whole = CellCounter()
    var again = start
    while again < i { whole.add(decode(text, &again)) }
    take(start, BreakKind(first).withWidth(whole.cells), whole.cells)
    return i
  }

  private func isSimple(at i: Int) -> Bool {
    var next = i
    return Cells.simpleWidth(decode(text, &next)) > 0
  }

  private mutating func blank(at i: Int) {
    let isFirst = last != .none || i == lineStart
    place = (isFirst ? i : place?.end ?? i, i + 1, width + 1)
    width += 1
    last = .none
    beforeLast = .none
  }

  @inline(__always)
  private mutating func take(_ start: Int, _ kind: BreakKind, _ cells: Int) {
    if BreakKind.canBreak(beforeLast, last, kind) { place = (start, start, width) }
    if width + cells > room { breakBefore(start, cells) }
    width += cells
    beforeLast = last
    last = kind
  }

  private mutating func breakBefore(_ start: Int, _ cells: Int) {
    // What would not fit on a line of its own either is broken where it is.
    if let place, place.end > lineStart, width - place.width + cells <= laterRoom {
      let used = place.width
      end(at: place.end, next: place.next)
      width -= used
    } else if start > lineStart {
      end(at: start, next: start)
      width = 0
    }
    if width >= room, start > lineStart {
      end(at: start, next: start)
      width = 0
    }
  }

  private mutating func end(at end: Int, next: Int) {
    var upper = end
    while upper > lineStart, text[upper - 1] == 0x20 { upper -= 1 }
    lines.append(lineStart..<upper)
    lineStart = next
    place = nil
    room = laterRoom
  }
}

import CText

/// Markdown on its way to a terminal: lines that will never change are given out as soon as they are known, and what the
/// block at the end looks like so far can be asked for (docs/screen.md 1).
///
/// What is given out does not depend on how the text was cut into pieces.
/// It has one owner: a copy reads with the same parser.
package struct MarkdownFlow {
  private var reader: MarkdownReader
  private var look: MarkdownLook
  private let data: LongData
  /// What is finished and was not given out: parts up to the last image, and lines below it.
  private var parts: [MarkdownPart] = []
  private var lines = StyledLines()
  private var shown: Shown?
  /// The line that is not whole yet.
  private var partial: [UInt8] = []
  /// What ends the formula whose lines are being read, and the fence that is put behind it.
  private var formula: (end: [UInt8], fence: [UInt8])?
  /// Whether the last line ended in a carriage return, whose line feed may follow.
  private var followsReturn = false
  /// Rows of the table at the end.
  private var rows = 0

  /// What stands behind the fence that is put around a formula of several lines.
  static let mathsInfo = "\u{1}maths"

  /// A paragraph or a line of one that is longer is broken there: its words would be gone over again at each piece.
  private static let longest = 16_384

  /// Columns of a table, and cells in all: cmark makes each that a row lacks.
  private static let mostColumns = 100, mostCells = 50_000

  /// Marks of lists and quotes within one another that count; no person writes more.
  private static let deepest = 40

  /// What the block at the end of a text that was cut looked like, until more of it is there.
  private struct Shown {
    var lines: [StyledText]
    var images: Int
  }

  /// - Parameter images: says what images are that stand in the text as data.
  package init(_ look: MarkdownLook, images: MarkdownImages = .undescribed) {
    self.look = look
    data = LongData(most: images.mostBytes)
    reader = MarkdownReader(look, DataImages(images, data))
  }

  /// How many characters were taken out that serve only to hide or reorder text.
  package var hidden: Int { reader.hidden }

  /// May change while the text flows, when the terminal is resized.
  package var columns: Int {
    get { look.columns }
    set { look.columns = max(1, newValue) }
  }

  /// Takes text that was shown before as a whole, and that what is fed goes on with: what its end looks like with more
  /// behind it is shown from the first line on that is another now (docs/screen.md 1).
  package mutating func resume(after earlier: String) {
    _ = feed(earlier)
    reader.cut()
    var whole = MarkdownFlow(look, images: reader.images.reading)
    _ = whole.feed(earlier)
    let end = whole.finish()
    shown = Shown(lines: end.lines.spans, images: end.count { if case .image = $0 { true } else { false } })
  }

  /// What is finished now that this piece came.
  package mutating func feed(_ piece: String) -> [MarkdownPart] {
    read(piece)
    return takeParts()
  }

  /// The rest; the flow is over.
  package mutating func finish() -> [MarkdownPart] {
    if !partial.isEmpty { endLine() }
    add(reader.finish())
    return takeParts()
  }

  /// What stands below the finished lines for now: the block at the end as it is so far.
  package func draft() -> StyledLines {
    MarkdownDraft(reader, look).lines(with: partial).dropping(shown?.lines ?? [])
  }

  private mutating func takeParts() -> [MarkdownPart] {
    defer {
      parts = []
      lines = StyledLines()
    }
    return lines.isEmpty ? parts : parts + [.lines(lines)]
  }

  // Lines of the source.

  private mutating func read(_ piece: String) {
    // As cmark does it, but for the words of a draft, which it would end the program for.
    var piece = piece
    let hasNUL = piece.withUTF8 { ctext_contains($0.baseAddress, $0.count, 0) }
    if hasNUL { piece = piece.replacing("\0", with: "\u{FFFD}") }
    piece.withUTF8 { bytes in
      var start = 0
      if followsReturn, bytes.first == 0x0A { start = 1 }
      if !bytes.isEmpty { followsReturn = false }
      while start < bytes.count {
        let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D }
        partial.append(contentsOf: bytes[start..<(end ?? bytes.count)])
        if partial.count > LongData.shortest || data.isOpen { growLongLine() }
        guard let end else { break }
        start = end + 1
        if bytes[end] == 0x0D {
          if start == bytes.count { followsReturn = true } else if bytes[start] == 0x0A { start += 1 }
        }
        endLine()
      }
    }
  }

  private mutating func endLine() {
    take(partial)
    partial.removeAll(keepingCapacity: true)
    data.endLine()
  }

  private mutating func take(_ line: [UInt8]) {
    if let formula {
      readLine(line)
      if !reader.isInCode {
        // Its block is over: a list or a quote was left.
        self.formula = nil
      } else if Maths.contains(line, formula.end) || line.allSatisfy({ $0 == 0x20 }) {
        self.formula = nil
        readLine(formula.fence)
      }
    } else if reader.isInCode {
      readLine(line)
    } else if !begin(line) {
      readLine(Self.bounded(Self.flattened(line)))
      if let paragraph = reader.openParagraph, paragraph.count > Self.longest { readLine([]) }
      endLargeTable()
    }
  }

  /// A formula that has lines to itself is read as if a fence stood around it.
  private mutating func begin(_ line: [UInt8]) -> Bool {
    guard Maths.mayOpen(line), !reader.isInHTML else { return false }
    let before = reader.containers(of: line).length
    guard let opening = Maths.opening(of: line[before...]), opening.indent < 4 else { return false }
    let fence = Array(line[..<(before + opening.indent)]) + Array(repeating: UInt8(ascii: "~"), count: 12)
    readLine(fence + Array(Self.mathsInfo.utf8))
    if reader.isInCode { formula = (opening.end, fence) }
    readLine(line)
    return true
  }

  /// What follows a table with too many rows is text.
  private mutating func endLargeTable() {
    guard let columns = reader.openTable else { return rows = 0 }
    rows += 1
    if rows * columns > Self.mostCells { readLine([]) }
  }

  /// The row below the header that makes a table, but for one of too many columns.
  private static func bounded(_ line: [UInt8]) -> [UInt8] {
    guard line.count > mostColumns, line.allSatisfy({ "|:- \t>".utf8.contains($0) }),
      line.count(where: { $0 == UInt8(ascii: "|") }) > mostColumns
    else { return line }
    return [UInt8(ascii: "\\")] + line
  }

  /// Data is taken out of a long line, and a paragraph on one line without an end goes on in another.
  private mutating func growLongLine() {
    while true {
      // Fenced code is known for what it is; a line below code that is indented may be anything.
      if !reader.isInFence { data.take(from: &partial) }
      // Only where it is known that no data begins, so that it does not matter how the line comes.
      let known = reader.isInFence ? partial.count : data.looked
      guard known > Self.longest, !reader.isInCode || isBelowCode else { return }
      var end = partial[..<Self.longest].lastIndex(of: 0x20) ?? 0
      let isBlank = end > 0
      if !isBlank {
        end = Self.longest
        while end > 1, partial[end] & 0xC0 == 0x80 || LongData.isWithinMark(partial, end) { end -= 1 }
      }
      let head = Array(partial[..<end])
      partial.removeFirst(isBlank ? end + 1 : end)
      data.cutLine(to: partial.count)
      take(head)
      take([])
    }
  }

  /// Whether the line that has begun ends code that is indented: it has not as many blanks as that needs.
  private var isBelowCode: Bool {
    !reader.isInFence && !partial.prefix(4).contains(0x09) && partial.prefix(4).contains { $0 != 0x20 }
  }

  private mutating func readLine(_ line: [UInt8]) { add(reader.read(line, look)) }

  private mutating func add(_ blocks: [MarkdownBlock]) {
    for block in blocks {
      if case .image(let address) = block.content {
        add(image: address)
      } else {
        MarkdownLayout.add(block, look, to: &lines)
        if let end = shown { shown = leaveOut(end) }
      }
    }
  }

  /// Leaves out what a block has in common with what was shown.
  /// - Returns: what may still be left out of those behind it; the images of this one come next.
  private mutating func leaveOut(_ end: Shown) -> Shown? {
    guard !end.lines.isEmpty else { return nil }
    let all = lines.lines.count
    lines = lines.dropping(end.lines)
    let rest = lines.isEmpty ? Array(end.lines.dropFirst(all)) : []
    return Shown(lines: rest, images: end.images)
  }

  private mutating func add(image address: [UInt8]) {
    if let end = shown, end.images > 0 { return shown = Shown(lines: end.lines, images: end.images - 1) }
    if !lines.isEmpty { parts.append(.lines(lines)) }
    parts.append(.image(address))
    lines = StyledLines()
  }

  /// The line with what is too deep made plain text.
  private static func flattened(_ line: [UInt8]) -> [UInt8] {
    var marks = 0
    for (index, byte) in line.enumerated() {
      switch byte {
      case UInt8(ascii: ">"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "."),
        UInt8(ascii: ")"):
        marks += 1
        guard marks > deepest else { continue }
        // A line of dashes or stars alone is a rule.
        let isRule = "-*".utf8.contains(byte) && !line.contains { $0 != byte && $0 != 0x20 }
        return isRule ? line : line[..<index] + [UInt8(ascii: "\\")] + line[index...]
      case 0x20, 0x09, UInt8(ascii: "0")...UInt8(ascii: "9"): continue
      default: return line
      }
    }
    return line
  }
}

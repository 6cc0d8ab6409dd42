/// Markdown on its way to a terminal: lines that will never change are given out as soon as they are known, and what the
/// block at the end looks like so far can be asked for (docs/screen.md 1).
///
/// What is given out does not depend on how the text was cut into pieces.
// A class, since what it reads with is one.
package final class MarkdownFlow {
  private let reader: MarkdownReader
  private var look: MarkdownLook
  /// The line that is not whole yet.
  private var partial: [UInt8] = []
  /// What ends the formula whose lines are being read, with what stands before them.
  private var mathsEnd: (indent: Int, end: [UInt8])?

  /// What stands behind the fence that is put around a formula of several lines.
  static let mathsInfo = "\u{1}maths"

  /// A paragraph or a line of one that is longer is broken there: its words would be gone over again at each piece.
  private static let longest = 16_384

  /// Marks of lists and quotes within one another that count; no person writes more.
  private static let deepest = 40

  package init(_ look: MarkdownLook) {
    self.look = look
    reader = MarkdownReader(look)
  }

  /// A whole document.
  package static func lines(of source: String, _ look: MarkdownLook) -> [StyledText] {
    let flow = MarkdownFlow(look)
    let lines = flow.feed(source)
    return lines + flow.finish()
  }

  /// How many characters were taken out that serve only to hide or reorder text.
  package var hidden: Int { reader.hidden }

  /// May change while the text flows, when the terminal is resized.
  package var columns: Int {
    get { look.columns }
    set { look.columns = max(1, newValue) }
  }

  /// The lines that are finished now that this piece came.
  package func feed(_ piece: String) -> [StyledText] {
    var lines: [StyledText] = []
    var piece = piece
    piece.withUTF8 { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: 0x0A)
        partial.append(contentsOf: bytes[start..<(end ?? bytes.count)])
        start = (end ?? bytes.count) + (end == nil ? 0 : 1)
        if end != nil { lines += endLine() } else { lines += breakLongLine() }
      }
    }
    return lines
  }

  /// The rest; the flow is over.
  package func finish() -> [StyledText] {
    var lines = partial.isEmpty ? [] : endLine()
    lines += laidOut(reader.finish())
    return lines
  }

  /// What stands below the finished lines for now: the block at the end as it is so far.
  package func draft() -> [StyledText] { MarkdownDraft(reader, look).lines(with: partial) }

  // Lines of the source.

  private func endLine() -> [StyledText] {
    var lines = breakLongLine()
    if partial.last == 0x0D { partial.removeLast() }
    let line = partial
    partial = []
    lines += take(line)
    return lines
  }

  private func take(_ line: [UInt8]) -> [StyledText] {
    if let (indent, end) = mathsEnd {
      let isOver = Maths.contains(line, end) || line.allSatisfy { $0 == 0x20 }
      var lines = read(line)
      if isOver {
        mathsEnd = nil
        lines += read(Self.fence(indent))
      }
      return lines
    }
    if !reader.isInCode, let opening = Maths.opening(of: line) {
      mathsEnd = opening
      return read(Self.fence(opening.indent) + Self.mathsInfo.utf8) + read(line)
    }
    var lines = read(Self.flattened(line))
    if let paragraph = reader.openParagraph, paragraph.count > Self.longest { lines += read([]) }
    return lines
  }

  private static func fence(_ indent: Int) -> [UInt8] {
    Array(repeating: 0x20, count: indent) + Array(repeating: UInt8(ascii: "~"), count: 12)
  }

  /// A paragraph on one line without an end goes on in another.
  private func breakLongLine() -> [StyledText] {
    var lines: [StyledText] = []
    while partial.count > Self.longest, !reader.isInCode, mathsEnd == nil {
      var end = partial[..<Self.longest].lastIndex(of: 0x20) ?? Self.longest
      while end > 0, partial[end] & 0xC0 == 0x80 { end -= 1 }
      let head = Array(partial[..<end])
      partial.removeFirst(end)
      lines += take(head) + take([])
    }
    return lines
  }

  private func read(_ line: [UInt8]) -> [StyledText] { laidOut(reader.read(line + [0x0A], look)) }

  private func laidOut(_ blocks: [MarkdownBlock]) -> [StyledText] {
    blocks.isEmpty ? [] : blocks.flatMap { MarkdownLayout.lines(of: $0, look) }
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

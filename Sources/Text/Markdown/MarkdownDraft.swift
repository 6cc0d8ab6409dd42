import CMarkdown

/// What the unfinished end of a document looks like for now: near enough to what it will be that little moves when it is
/// finished. Nothing here is ever kept.
struct MarkdownDraft {
  private let reader: MarkdownReader
  private let look: MarkdownLook

  /// Bytes of source that are looked at: what scrolled away is not shown.
  private static let most = 12_000

  init(_ reader: MarkdownReader, _ look: MarkdownLook) {
    self.reader = reader
    self.look = look
  }

  /// - Parameter partial: the line at the end.
  func lines(with partial: [UInt8]) -> StyledLines {
    guard let leaf = reader.openLeaf else { return opening(partial) }
    let place = Place(containers: reader.containers, isParted: reader.isParted(Int(markdown_start_line(leaf))))
    switch markdown_kind_of(leaf) {
    case MARKDOWN_PARAGRAPH: return paragraph(markdown_content(leaf).buffer, at: place, partial)
    case MARKDOWN_CODE where !markdown_is_fenced(leaf) && !isIndented(partial): return opening(partial)
    case MARKDOWN_CODE, MARKDOWN_HTML: return code(partial)
    case MARKDOWN_HEADING: return laidOut(heading(leaf), at: place) + opening(partial, isBelow: true)
    case MARKDOWN_TABLE: return laidOut(table(leaf), at: place)
    case MARKDOWN_RULE: return laidOut(.rule, at: place) + opening(partial, isBelow: true)
    default: return opening(partial)
    }
  }

  /// Whether code that is indented goes on with a line.
  private func isIndented(_ line: [UInt8]) -> Bool {
    line[reader.containers(of: line).length...].starts(with: [0x20, 0x20, 0x20, 0x20])
  }

  /// Where a block stands.
  private struct Place {
    var containers: [MarkdownContainer] = []
    /// Marks that the line itself begins with, beyond those of what is open.
    var marks: StyledText = []
    var isParted = false
  }

  private func paragraph(_ content: UnsafeBufferPointer<UInt8>, at place: Place, _ partial: [UInt8]) -> StyledLines {
    let start = start(of: partial)
    guard start.kind == .words, start.place.marks.isEmpty else {
      return laidOut(.paragraph(words(Array(content))), at: place) + opening(partial, isBelow: true)
    }
    let before = content.last == 0x0A ? Array(content.dropLast()) : Array(content)
    let more = partial[start.length...]
    return laidOut(.paragraph(words(before + (before.isEmpty || more.isEmpty ? [] : [0x0A]) + more)), at: place)
  }

  /// A block that begins with this line.
  /// - Parameter isBelow: whether the block before it is shown above, with the marks of what it is the first of.
  private func opening(_ partial: [UInt8], isBelow: Bool = false) -> StyledLines {
    var start = start(of: partial)
    if isBelow { for index in start.place.containers.indices { start.place.containers[index].isFresh = false } }
    let rest = Array(partial[start.length...])
    guard !rest.isEmpty else { return StyledLines() }
    switch start.kind {
    case .words: return laidOut(.paragraph(words(rest)), at: start.place)
    case .heading(let level): return laidOut(.heading(level: level, words(rest, style: .strong)), at: start.place)
    case .unclear: return StyledLines()
    }
  }

  private func heading(_ leaf: OpaqueNode) -> MarkdownBlock.Content {
    .heading(level: Int(markdown_heading_level(leaf)), words(Array(markdown_content(leaf).buffer), style: .strong))
  }

  private func code(_ partial: [UInt8]) -> StyledLines {
    let (containers, length) = reader.containers(of: partial)
    let line = partial[length...]
    guard !line.isEmpty, !line.allSatisfy({ "`~ ".utf8.contains($0) }) else { return StyledLines() }
    var text = StyledBytes()
    Array(line.suffix(Self.most)).withUnsafeBufferPointer {
      text.append(untrusted: $0, look.hasStyles ? Style(.code) : .plain, profile: .code)
    }
    // Broken here, since what is drawn over has to be as wide as it seems.
    return laidOut(.verbatim(text), at: Place(containers: containers))
  }

  /// The rows that are whole.
  private func table(_ leaf: OpaqueNode) -> MarkdownBlock.Content {
    var rows: [[StyledBytes]] = []
    var size = 0
    var row = markdown_first_child(leaf)
    // As much as can be on a screen.
    while let current = row, size < Self.most {
      var cells: [StyledBytes] = []
      var cell = markdown_first_child(current)
      while let here = cell {
        let content = markdown_content(here).buffer
        size += content.count + 1
        cells.append(reader.inlines(content, style: rows.isEmpty ? .strong : .plain))
        cell = markdown_next(here)
      }
      rows.append(cells)
      row = markdown_next(current)
    }
    return .table(MarkdownTable(rows: rows, alignments: Array(markdown_alignments(leaf).buffer)))
  }

  /// The words so far; marks that are open are taken for closed, so that nothing jumps when they are.
  private func words(_ source: [UInt8], style: Style = .plain) -> StyledBytes {
    var source = source.count > Self.most ? Array(source.suffix(Self.most)) : source
    // What closes emphasis does so only behind a word.
    while let last = source.last, "*` ".utf8.contains(last) { source.removeLast() }
    source += Self.closing(source)
    return source.withUnsafeBufferPointer { reader.inlines($0, style: style) }
  }

  private func laidOut(_ content: MarkdownBlock.Content, at place: Place) -> StyledLines {
    let most = look.columns / 2
    var first = place.containers.prefix(isFirst: true, most: most)
    var rest = place.containers.prefix(isFirst: false, most: most)
    for mark in place.marks {
      first.append(mark.text, mark.style)
      if mark.style == .dim { rest.append(mark.text, .dim) } else { rest.append(spaces: mark.text.cells) }
    }
    let margin = MarkdownBlock.Margin(first: first, rest: rest, gap: place.containers.gap(most: most))
    var lines = StyledLines()
    MarkdownLayout.add(
      MarkdownBlock(content: content, isParted: place.isParted, margin: margin), look, to: &lines)
    return lines
  }

  // The beginning of a line.

  private enum Kind: Equatable {
    case words, heading(Int)
    /// The beginning of something that a few more characters will tell.
    case unclear
  }

  /// What a line begins with, how long that is, and where it stands.
  private func start(of line: [UInt8]) -> (kind: Kind, length: Int, place: Place) {
    let (containers, begun) = reader.containers(of: line)
    var place = Place(containers: containers, isParted: reader.isParted())
    var length = begun
    while true {
      let rest = line[length...].prefix(80)
      let blanks = rest.prefix { $0 == 0x20 }.count
      let text = String(decoding: rest.dropFirst(blanks), as: UTF8.self)
      guard let first = text.first, !text.allSatisfy({ "#-*+=`~_|:".contains($0) }) else {
        return (.unclear, length + blanks, place)
      }
      if first == ">" {
        if place.marks.cells < look.columns / 4 { place.marks.append(Span(look.drawsLines ? "│ " : "> ", .dim)) }
        length += blanks + (text.dropFirst().first == " " ? 2 : 1)
      } else if let (marker, size) = item(text) {
        guard size > 0 else { return (.unclear, length + blanks, place) }
        if place.marks.cells < look.columns / 4 {
          place.marks += (blanks > 0 ? [Span(.spaces(min(blanks, 8)))] : []) + [Span(marker, .accent)]
        }
        length += blanks + size
      } else {
        let hashes = text.prefix { $0 == "#" }.count
        if (1...6).contains(hashes), text.dropFirst(hashes).first == " " {
          return (.heading(hashes), length + blanks + hashes + 1, place)
        }
        let isUnclear = ["```", "~~~", "|", "$$", "\\["].contains { text.hasPrefix($0) }
        return (isUnclear ? .unclear : .words, length + blanks, place)
      }
    }
  }

  /// An item's mark and its length in the source, which is 0 where it is not whole.
  private func item(_ text: String) -> (SafeText, Int)? {
    if let first = text.first, "-*+".contains(first), text.dropFirst().first == " " {
      for (box, shown) in [("[ ] ", "[ ] "), ("[x] ", "[x] "), ("[X] ", "[x] ")] as [(String, SafeText)]
      where text.dropFirst(2).hasPrefix(box) { return (shown, 6) }
      if "[ ] ".hasPrefix(text.dropFirst(2)) || "[x] ".hasPrefix(text.dropFirst(2)) { return ("", 0) }
      return (look.drawsLines ? "• " : "- ", 2)
    }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard (1...9).contains(digits.count) else { return nil }
    let rest = text.dropFirst(digits.count)
    if rest.isEmpty || rest == "." || rest == ")" { return ("", 0) }
    guard rest.hasPrefix(". ") || rest.hasPrefix(") ") else { return nil }
    return (Filter.inline(String(digits + rest.prefix(2))), digits.count + 2)
  }

  /// What closes code, strong words and the data of an image that are open.
  private static func closing(_ source: [UInt8]) -> [UInt8] {
    var ticks = 0
    var stars = 0
    var i = 0
    while i < source.count {
      if source[i] == UInt8(ascii: "`") { ticks += 1 }
      if ticks % 2 == 0, source[i] == UInt8(ascii: "*"), i + 1 < source.count, source[i + 1] == UInt8(ascii: "*") {
        stars += 1
        i += 1
      }
      i += 1
    }
    let isInCode = ticks % 2 == 1
    let inner = isInCode ? [UInt8(ascii: "`")] : endsInData(source) ? [UInt8(ascii: ")")] : []
    return inner + (stars % 2 == 1 ? [0x2A, 0x2A] : [])
  }

  private static func endsInData(_ source: [UInt8]) -> Bool {
    guard let end = source.lastIndex(of: UInt8(ascii: "(")), end > 0, source[end - 1] == UInt8(ascii: "]")
    else { return false }
    let address = source[(end + 1)...]
    guard !address.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: ")") }) else { return false }
    return String(decoding: address.prefix(5), as: UTF8.self).lowercased() == "data:"
  }
}

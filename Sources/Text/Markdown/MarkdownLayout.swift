/// Puts a block on lines of so many cells.
struct MarkdownLayout {
  private let look: MarkdownLook
  private let block: MarkdownBlock
  /// Cells of a line behind what stands before it.
  let room: Int
  private var lines: StyledLines
  private var isFirst = true

  /// Adds its lines. A line of code is as long as it was written: where nothing stands before it, the terminal breaks it, so
  /// that it is copied whole.
  static func add(_ block: MarkdownBlock, _ look: MarkdownLook, to lines: inout StyledLines) {
    if block.isParted { lines.addLine { if let margin = block.margin { $0.append(margin.gap) } } }
    var layout = MarkdownLayout(look, block, lines)
    // Taken over, so that nothing is copied.
    lines = StyledLines()
    layout.run()
    lines = layout.lines
  }

  private init(_ look: MarkdownLook, _ block: MarkdownBlock, _ lines: StyledLines) {
    self.look = look
    self.block = block
    self.lines = lines
    room = max(1, look.columns - (block.margin?.rest.cells ?? 0))
  }

  private mutating func run() {
    switch block.content {
    case .paragraph(let text), .verbatim(let text): addBroken(text)
    case .heading(let level, let text):
      var marked = StyledBytes(SafeText(filtered: String(repeating: "#", count: level) + " "), .dim)
      marked.append(text)
      addBroken(marked)
    case .codeBegin(let language): addFence(language)
    case .codeEnd: addFence(nil)
    case .codeLine(let text):
      if block.margin?.rest.isEmpty ?? true, !look.isSpoken { addLine { $0.append(text) } } else { addBroken(text) }
    case .table(let table): table.add(to: &self, look)
    case .rule:
      addLine { [look, room] in
        if look.drawsLines { $0.append(Self.line(min(room, Self.widest)), .dim) } else { $0.append("---", .dim) }
      }
    case .nothing, .image: break
    }
    // What stands before it is shown in any case.
    if isFirst { addLine { _ in } }
  }

  /// The next line, behind what stands before it.
  mutating func addLine(_ write: (inout StyledBytes) -> Void) {
    lines.addLine { line in
      if let margin = block.margin { line.append(isFirst ? margin.first : margin.rest) }
      write(&line)
    }
    isFirst = false
  }

  private mutating func addBroken(_ text: StyledBytes) {
    let first = max(1, look.columns - (block.margin?.first.cells ?? 0))
    let parts = text.broken(first: first, rest: room)
    var run = 0
    for part in parts { addLine { $0.append(text, part, from: &run) } }
  }

  private static let widest = 60

  private mutating func addFence(_ language: SafeText?) {
    guard look.drawsLines, look.hasStyles else {
      let words: SafeText =
        look.isSpoken
        ? language.map { $0.isEmpty ? "code:" : "code, \($0):" } ?? "end of code" : "```" + (language ?? "")
      return addLine { $0.append(words, .dim) }
    }
    let label: SafeText = language.map { $0.isEmpty ? "" : "── \($0) " } ?? ""
    let width = min(room, Self.widest)
    let shown = label.cut(to: width)
    addLine { line in
      if !shown.isEmpty { line.append(shown, .dim) }
      line.append(Self.line(width - shown.cells), .dim)
    }
  }

  /// A line across so many cells.
  static func line(_ cells: Int) -> SafeText {
    guard cells <= Self.longest else { return SafeText(filtered: String(repeating: "─", count: cells)) }
    return SafeText(filtered: String(Substring(rules.utf8.prefix(max(0, cells) * 3))))
  }

  /// Made once: each piece of code has two.
  private static let longest = 200, rules = String(repeating: "─", count: longest)
}

/// A block on lines of so many cells.
enum MarkdownLayout {
  /// Its lines, without line feeds. A line of code is as long as it was written: where nothing stands before it, the
  /// terminal breaks it, so that it is copied whole.
  static func lines(of block: MarkdownBlock, _ look: MarkdownLook) -> [StyledText] {
    let gap = block.gap.map { [$0] } ?? []
    let room = max(1, look.columns - block.rest.cells)
    let lines: [StyledText]
    switch block.content {
    case .paragraph(let text), .verbatim(let text):
      lines = text.wrapped(first: max(1, look.columns - block.first.cells), rest: room)
    case .heading(let level, let text):
      var marked = StyledBytes(SafeText(filtered: String(repeating: "#", count: level) + " "), .dim)
      marked.append(text)
      lines = marked.wrapped(first: max(1, look.columns - block.first.cells), rest: room)
    case .codeBegin(let language): lines = [fence(language, room, look)]
    case .codeEnd: lines = [fence(nil, room, look)]
    case .codeLine(let text):
      let isUnbroken = block.rest.isEmpty && !look.isSpoken
      lines = isUnbroken ? text.lines([0..<text.bytes.count]) : text.wrapped(first: room, rest: room)
    case .table(let table): lines = table.lines(room, look)
    case .rule: lines = [rule(room, look)]
    case .nothing: lines = [[]]
    }
    return gap
      + (lines.isEmpty ? [[]] : lines).enumerated().map { index, line in
        trimmed((index == 0 ? block.first : block.rest) + line)
      }
  }

  private static let widest = 60

  private static func fence(_ language: SafeText?, _ room: Int, _ look: MarkdownLook) -> StyledText {
    guard look.drawsLines, look.hasStyles else {
      return look.isSpoken
        ? [Span(language.map { $0.isEmpty ? "code:" : "code, \($0):" } ?? "end of code", .dim)]
        : [Span("```" + (language ?? ""), .dim)]
    }
    let label: SafeText = language.map { $0.isEmpty ? "" : "── \($0) " } ?? ""
    let width = min(room, widest)
    let shown = label.cut(to: width)
    return [Span(shown + SafeText(filtered: String(repeating: "─", count: max(0, width - shown.cells))), .dim)]
  }

  private static func rule(_ room: Int, _ look: MarkdownLook) -> StyledText {
    look.drawsLines
      ? [Span(SafeText(filtered: String(repeating: "─", count: min(room, widest))), .dim)] : [Span("---", .dim)]
  }

  /// Without blanks at its end.
  private static func trimmed(_ line: StyledText) -> StyledText {
    var line = line
    while let last = line.last {
      let text = last.text.withoutTrailingSpaces
      if text == last.text { break }
      line.removeLast()
      if !text.isEmpty {
        line.append(Span(text, last.style, link: last.link))
        break
      }
    }
    return line
  }
}

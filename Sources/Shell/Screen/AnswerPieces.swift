import Text

/// An earlier answer, some of it at a time.
struct AnswerPieces: Sequence, IteratorProtocol {
  private var rest: Substring?
  private var flow: TextFlow
  private var markdown: MarkdownFlow?

  init(_ answer: String, columns: Int?, look: MarkdownLook?) {
    rest = answer.isEmpty ? nil : answer[...]
    flow = TextFlow(columns: columns)
    markdown = look.map { MarkdownFlow($0, images: .described) }
  }

  mutating func next() -> StyledText? {
    guard let left = rest else { return nil }
    let piece = String(left.prefix(4096))
    rest = left.dropFirst(4096)
    let isLast = rest?.isEmpty == true
    if isLast { rest = nil }
    guard let parts = markdown?.feed(piece) else {
      let text = flow.feed(piece)
      return .text(isLast ? text + flow.finish() + "\n" : text)
    }
    let end = isLast ? markdown?.finish() ?? [] : []
    return (parts + end).lines.spans.flatMap { $0 + .text("\n") }
  }
}

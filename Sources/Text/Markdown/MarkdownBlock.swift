/// A piece of a document that is finished, and what stands before its lines.
struct MarkdownBlock {
  enum Content {
    case paragraph(StyledBytes)
    case heading(level: Int, StyledBytes)
    case codeBegin(language: SafeText)
    case codeLine(StyledBytes)
    case codeEnd
    /// Lines as they were written, such as a formula or HTML.
    case verbatim(StyledBytes)
    case table(MarkdownTable)
    case rule
    /// An item of a list with nothing in it.
    case nothing
  }

  var content: Content
  /// Before its first line: the marks of the lists and quotes that it is the first of, and room for the others.
  var first: StyledText = []
  /// Before those after it.
  var rest: StyledText = []
  /// What stands on a blank line before it; nil where there is none.
  var gap: StyledText?
}

/// A list's item or a quote that is being read.
struct MarkdownContainer {
  enum Kind {
    case document, list
    case quote(bar: SafeText)
    case item(marker: SafeText)
  }

  let kind: Kind
  /// Whether nothing of it was shown yet.
  var isFresh = true
  /// Items of it so far.
  var items = 0

  init(_ kind: Kind) { self.kind = kind }
}

extension [MarkdownContainer] {
  /// What stands before the next line in all of these.
  /// - Parameter most: cells that it takes at most; deeper ones have no room of their own.
  func prefix(isFirst: Bool, most: Int) -> StyledText {
    var prefix: StyledText = []
    var width = 0
    for container in self {
      let span: Span
      switch container.kind {
      case .document, .list: continue
      case .quote(let bar): span = Span(bar, .dim)
      case .item(let marker) where isFirst && container.isFresh: span = Span(marker, .accent)
      case .item(let marker): span = Span(.spaces(marker.cells))
      }
      let cells = span.text.cells
      let isMarker = span.style == .accent
      guard width + cells <= (isMarker ? most + most / 2 : most) else { continue }
      width += cells
      prefix.append(span)
    }
    return prefix
  }

  /// What stands on a blank line: the bars of quotes that go on.
  func gap(most: Int) -> StyledText {
    var bars = filter { !$0.isFresh }.prefix(isFirst: false, most: most)
    while let last = bars.last {
      let text = last.text.withoutTrailingSpaces
      bars.removeLast()
      guard text.isEmpty else {
        bars.append(Span(text, last.style))
        break
      }
    }
    return bars
  }
}

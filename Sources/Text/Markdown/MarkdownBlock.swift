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
    /// What stands behind `data:` in the address of an image of the paragraph above.
    case image([UInt8])
    /// An item of a list with nothing in it.
    case nothing
  }

  let content: Content
  /// Whether a blank line stands before it.
  var isParted = false
  /// What stands before its lines; nil for most, which stand in nothing.
  var margin: Margin?

  // A class, since a block is handed on often.
  final class Margin {
    /// Before its first line: the marks of the lists and quotes that it is the first of, and room for the others.
    let first: StyledBytes
    /// Before those after it.
    let rest: StyledBytes
    /// On the blank line before it.
    let gap: StyledBytes

    init(first: StyledBytes, rest: StyledBytes, gap: StyledBytes) {
      self.first = first
      self.rest = rest
      self.gap = gap
    }
  }
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
  func prefix(isFirst: Bool, most: Int) -> StyledBytes {
    var prefix = StyledBytes()
    var width = 0
    for container in self {
      let (text, style): (SafeText, Style)
      switch container.kind {
      case .document, .list: continue
      case .quote(let bar): (text, style) = (bar, .dim)
      case .item(let marker) where isFirst && container.isFresh: (text, style) = (marker, .accent)
      case .item(let marker): (text, style) = (.spaces(marker.cells), .plain)
      }
      let cells = text.cells
      guard width + cells <= (style == .accent ? most + most / 2 : most) else { continue }
      width += cells
      prefix.append(text, style)
    }
    return prefix
  }

  /// What stands on a blank line: the bars of quotes that go on.
  func gap(most: Int) -> StyledBytes {
    var bars = filter { !$0.isFresh }.prefix(isFirst: false, most: most)
    bars.removeTrailingSpaces(after: 0)
    return bars
  }
}

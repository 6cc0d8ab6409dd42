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

  var isItem: Bool { if case .item = kind { true } else { false } }
}

extension [MarkdownContainer] {
  /// What stands before the next line in all of these.
  /// - Parameter most: cells that it takes at most; deeper ones have no room of their own.
  func prefix(isFirst: Bool, most: Int) -> StyledBytes {
    var prefix = StyledBytes()
    var width = 0
    for container in self {
      let mark: SafeText
      switch container.kind {
      case .document, .list: continue
      case .quote(let bar): mark = bar
      case .item(let marker): mark = marker
      }
      let cells = mark.cells
      let isMarker = container.isItem && isFirst && container.isFresh
      guard width + cells <= (isMarker ? most + most / 2 : most) else { continue }
      width += cells
      if container.isItem, !isMarker {
        prefix.append(spaces: cells)
      } else {
        prefix.append(mark, isMarker ? .accent : .dim)
      }
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

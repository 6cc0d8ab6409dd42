/// How Markdown is shown where it is going.
package struct MarkdownLook: Sendable, Equatable {
  /// Cells of a line.
  package var columns: Int
  /// Whether bold, slanted and coloured text can be told from plain text; where it cannot, the marks of the source stay.
  package var hasStyles: Bool
  /// Whether lines and corners may be drawn, and signs beyond ASCII be used.
  package var drawsLines: Bool
  /// Whether a screen reader speaks it: a table is read row by row.
  package var isSpoken: Bool

  package init(columns: Int, hasStyles: Bool = true, drawsLines: Bool = true, isSpoken: Bool = false) {
    self.columns = max(1, columns)
    self.hasStyles = hasStyles
    self.drawsLines = drawsLines && !isSpoken
    self.isSpoken = isSpoken
  }
}

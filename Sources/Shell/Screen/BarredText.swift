import Text

/// Text of somebody else's that stands alone: a bar before each line of it, so that none can pass for one of ours.
enum BarredText {
  static func block(_ untrusted: String, indent: SafeText = "", width: Int?) -> StyledText {
    VisibleText.lines(untrusted).flatMap { line -> StyledText in
      let parts = width.map { VisibleText.hardWrapped(line, max(2, $0 - indent.cells - 4)) } ?? [line]
      return parts.flatMap { StyledText.text(indent + "| ", .dim) + .text($0 + "\n") }
    }
  }
}

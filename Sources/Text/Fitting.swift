extension [Span] {
  /// The same page on a narrower screen: a line that does not fit has each of its runs on lines of its own, broken at
  /// word ends, those after the first a little further in.
  package func fitted(to columns: Int) -> StyledText {
    lines.flatMap { line -> StyledText in
      if line.reduce(0, { $0 + $1.text.cells }) <= columns { return line + .text("\n") }
      var broken: StyledText = []
      for (index, span) in line.enumerated() {
        let words = span.text.withoutOuterSpaces
        guard !words.isEmpty else { continue }
        let margin = (line.first?.text.leadingSpaces ?? 0) + (index == 0 ? 0 : 2)
        var wrapper = Wrapper(columns: columns, indent: margin)
        let wrapped = wrapper.feed(words)
        broken.append(Span(wrapped + wrapper.finish() + "\n", span.style))
      }
      return broken
    }
  }

  /// The runs of each line, without the newlines.
  private var lines: [StyledText] {
    var lines: [StyledText] = [[]]
    for span in self {
      for (index, part) in span.text.lines.enumerated() {
        if index > 0 { lines.append([]) }
        if !part.isEmpty { lines[lines.count - 1].append(Span(part, span.style)) }
      }
    }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}

extension SafeText {
  fileprivate var leadingSpaces: Int { string.prefix { $0 == " " }.count }

  fileprivate var withoutOuterSpaces: SafeText {
    let start = string.drop { $0 == " " }
    return SafeText(filtered: String(start.reversed().drop { $0 == " " }.reversed()))
  }
}

import Text

/// What each style looks like in a palette, made once: an answer has tens of thousands of runs.
struct StyleCodes {
  private let codes: [[UInt8]]
  private static let traits = 16

  init(_ palette: Palette) {
    codes = Style.Meaning.allCases.flatMap { meaning in
      (0..<UInt8(Self.traits)).map { Array(Style(meaning, Style.Traits(rawValue: $0)).code(palette).utf8) }
    }
  }

  /// Nothing for text that is plain.
  subscript(style: Style) -> [UInt8] {
    codes[Int(style.meaning.rawValue) * Self.traits + Int(style.traits.rawValue)]
  }
}

extension StyledLines {
  /// Each line as bytes for a terminal, as `[Span].bytes` makes them.
  func rows(inColour: Bool, codes: StyleCodes, signs: Bool, links: Bool) -> [DraftPainter.Row] {
    var rows: [DraftPainter.Row] = []
    rows.reserveCapacity(lines.count)
    var bytes: [UInt8] = []
    read { part, style, target in
      bytes.append(
        run: text.bytes[part], code: inColour ? codes[style] : [], link: links ? target : nil, signs: signs)
    } endOfLine: { line in
      rows.append(DraftPainter.Row(bytes: bytes, cells: line.cells))
      bytes = []
    }
    return rows
  }
}

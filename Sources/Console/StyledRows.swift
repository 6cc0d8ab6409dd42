import Text

/// What each style looks like in a palette, made once: an answer has tens of thousands of runs.
struct StyleCodes {
  /// All of them behind one another, and where each one ends.
  private var codes: [UInt8] = []
  private var ends: [Int] = [0]
  private static let traits = 16

  init(_ palette: Palette) {
    for meaning in Style.Meaning.allCases {
      for traits in 0..<UInt8(Self.traits) {
        codes += Style(meaning, Style.Traits(rawValue: traits)).code(palette).utf8
        ends.append(codes.count)
      }
    }
  }

  /// Hands over the code of a style; nothing for text that is plain.
  func read<Result>(_ style: Style, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let index = Int(style.meaning.rawValue) * Self.traits + Int(style.traits.rawValue)
    return codes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[ends[index]..<ends[index + 1]])) }
  }
}

extension StyledLines {
  /// Each line as bytes for a terminal, as `[Span].bytes` makes them.
  func rows(inColour: Bool, codes: StyleCodes, signs: Bool, links: Bool) -> [DraftPainter.Row] {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    ends.reserveCapacity(lines.count)
    text.bytes.withUnsafeBufferPointer { all in
      read { part, style, target in
        let run = UnsafeBufferPointer(rebasing: all[part])
        let link = links ? target : nil
        guard inColour else { return bytes.append(run: run, code: [], link: link, signs: signs) }
        codes.read(style) { bytes.append(run: run, code: $0, link: link, signs: signs) }
      } endOfLine: { _ in
        ends.append(bytes.count)
      }
    }
    // They share one array.
    var start = 0
    return zip(lines, ends).map { line, end in
      defer { start = end }
      return DraftPainter.Row(bytes: bytes[start..<end], cells: line.cells)
    }
  }
}

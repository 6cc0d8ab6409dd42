import Text

/// Text of which every character is seen: nothing is hidden, reordered, cut, or pushed out of sight by blanks.
enum VisibleText {
  /// So many blanks in a row, and so many empty lines, are shown as they are.
  private static let (mostBlanks, mostEmptyLines) = (16, 3)

  /// Each line of a text, with the controls and hidden characters in it shown.
  static func lines(_ text: String) -> [SafeText] {
    var lines: [SafeText] = []
    var empty = 0
    func settle() {
      lines +=
        empty > mostEmptyLines ? ["<\(empty) empty lines>"] : Array(repeating: "" as SafeText, count: empty)
      empty = 0
    }
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.allSatisfy(isBlank) {
        empty += 1
      } else {
        settle()
        lines.append(oneLine(String(line)))
      }
    }
    settle()
    return lines
  }

  /// One line, in which a long run of blanks is a number.
  static func oneLine(_ text: String) -> SafeText {
    var shown: SafeText = ""
    let scalars = text.unicodeScalars
    var (kept, place) = (scalars.startIndex, scalars.startIndex)
    while let start = scalars[place...].firstIndex(where: isBlank) {
      let end = scalars[start...].firstIndex { !isBlank($0) } ?? scalars.endIndex
      let count = scalars.distance(from: start, to: end)
      if count > mostBlanks {
        shown += Filter.command(String(scalars[kept..<start])) + "<\(count) blanks>"
        kept = end
      }
      place = end
    }
    return kept == scalars.startIndex ? Filter.command(text) : shown + Filter.command(String(scalars[kept...]))
  }

  /// Whether nothing is seen where a character stands, whatever Unicode calls it.
  static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x21...0x7E: false
    // Letters and signs that fonts draw as nothing.
    case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0, 0x13441, 0x13442, 0x1D159: true
    case 0xAD, 0x034F, 0x180E, 0x200B...0x200F, 0x2060...0x2065, 0xFEFF: true
    default: scalar.properties.isWhitespace
    }
  }

  /// Cut into lines wherever they are full: a break at a word would swallow blanks.
  static func hardWrapped(_ text: SafeText, _ width: Int) -> [SafeText] {
    guard text.cells > width, width > 1 else { return [text] }
    var lines: [SafeText] = []
    var (line, cells) = ("", 0)
    for character in text.string {
      let size = character.isASCII ? 1 : Filter.command(String(character)).cells
      if cells + size > width, !line.isEmpty {
        lines.append(Filter.command(line))
        (line, cells) = ("", 0)
      }
      line.append(character)
      cells += size
    }
    return lines + [Filter.command(line)]
  }

  /// The beginning where it is too long, and how much is missing.
  static func cut(_ text: SafeText, to width: Int) -> SafeText {
    guard text.cells > width else { return text }
    let whole = text.string.unicodeScalars.count
    let kept = text.cut(to: max(2, width - " \(whole) characters".count))
    return (kept + " \(whole - kept.string.unicodeScalars.count + 1) characters").cut(to: width)
  }
}

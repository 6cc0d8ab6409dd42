import Text

/// Text of which every character is seen: nothing is hidden, reordered, cut, or pushed out of sight by blanks.
enum VisibleText {
  /// Each line of a text, with the controls and hidden characters in it shown.
  static func lines(_ text: String) -> [SafeText] {
    var lines: [SafeText] = []
    var empty = 0
    func settle() {
      if empty > 3 { lines.append("<\(empty) empty lines>") } else { lines += Array(repeating: "", count: empty) }
      empty = 0
    }
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      let isEmpty = line.allSatisfy { $0 == " " || $0 == "\t" }
      if isEmpty {
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
    var rest = text[...]
    while let start = rest.firstRange(of: String(repeating: " ", count: 17))?.lowerBound {
      let blanks = rest[start...].prefix { $0 == " " }
      shown += Filter.command(String(rest[..<start])) + "<\(blanks.count) blanks>"
      rest = rest[blanks.endIndex...]
    }
    return shown + Filter.command(String(rest))
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
}

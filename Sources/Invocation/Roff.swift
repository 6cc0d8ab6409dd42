import Shell

/// A man page in roff, line by line.
struct Roff {
  private(set) var text = ""

  /// Text as it must stand in a page: what roff would obey or replace is escaped.
  static func escaped(_ text: some StringProtocol) -> String {
    var out = ""
    for character in text {
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "'": out += "\\(aq"
      case "`": out += "\\(ga"
      case "^": out += "\\(ha"
      case "~": out += "\\(ti"
      case "\"": out += "\\(dq"
      case "…": out += "..."
      default: out.append(character)
      }
    }
    return out.hasPrefix(".") ? "\\&" + out : out
  }

  /// Words in capitals are what to fill in.
  static func usage(_ text: String) -> String {
    var out = ""
    var word = ""
    func flush() {
      guard !word.isEmpty else { return }
      let isPlaceholder =
        word.allSatisfy { $0.isUppercase || $0 == "-" } && word.contains(where: \.isUppercase) && !word.hasPrefix("-")
      out += isPlaceholder ? "\\fI\(escaped(word))\\fP" : "\\fB\(escaped(word))\\fP"
      word = ""
    }
    for character in text {
      if character.isLetter || character == "-" || character == "/" {
        word.append(character)
      } else {
        flush()
        out += escaped(String(character))
      }
    }
    flush()
    return out
  }

  mutating func line(_ line: String) { text += line + "\n" }
  mutating func section(_ name: String) { line(".SH \(name)") }
  mutating func subsection(_ name: String) { line(".SS \(name)") }

  /// A paragraph of plain text.
  mutating func paragraph(_ body: String) {
    line(".PP")
    prose(body)
  }

  /// Text that is filled, in source lines of a readable length.
  mutating func prose(_ body: String) {
    for part in Topic.wrapped(body, 66) { line(Roff.escaped(part)) }
  }

  /// A term, in roff already, and what it means.
  mutating func entry(_ term: String, _ body: String) {
    line(".TP")
    line(term)
    prose(body)
  }

  /// Lines as they are.
  mutating func example(_ lines: [String]) {
    line(".PP")
    line(".RS 4")
    line(".nf")
    for one in lines { line(Roff.escaped(one)) }
    line(".fi")
    line(".RE")
  }
}

/// A title as a model says it: mostly more than that, and not to be trusted.
enum SaidTitle {
  /// Cells are not counted: what does not fit is cut where it is shown.
  static let longest = 60
  private static let mostWords = 12
  /// Letters may be made of many signs, and it is the signs that are kept.
  private static let mostScalars = 4 * longest
  /// What is longer has been no title for long.
  static let mostBytes = 20_000

  /// The title in what a model said, on one line; nil where there is none. Characters that take over a terminal stay:
  /// they are filtered where it is shown.
  static func title(in said: String) -> String? {
    // Whatever it says, it is soon looked through.
    let lines = withoutThoughts(String(said.unicodeScalars.prefix(mostBytes)))
      .split(whereSeparator: \.isNewline).prefix(50).lazy.map { cleaned(String($0.unicodeScalars.prefix(500))) }
    return lines.first { isTitle($0) }.map(cut)
  }

  /// Whether more of it would change nothing: there is a whole line with a title.
  static func isWhole(_ said: String) -> Bool {
    guard let end = said.lastIndex(where: \.isNewline) else { return false }
    return title(in: String(said[..<end])) != nil
  }

  /// What stands behind the last thought; of one that does not end nothing is left.
  private static func withoutThoughts(_ text: String) -> Substring {
    let names = ["think", "thinking", "thought", "reasoning"]
    var rest = text[...]
    for name in names {
      while let end = rest.ranges(of: "</\(name)>").last { rest = rest[end.upperBound...] }
    }
    rest = rest.drop(while: \.isWhitespace)
    return names.contains { rest.hasPrefix("<\($0)>") } ? "" : rest
  }

  /// A line that is neither empty, for a reader too, nor leads to another, nor is prose.
  private static func isTitle(_ line: String) -> Bool {
    !line.isEmpty && line.last != ":" && line.last != "：" && line.unicodeScalars.contains { $0.isSeen }
      && line.split(separator: " ").count <= mostWords
  }

  private static func cleaned(_ line: String) -> String {
    var text = line.replacing("**", with: "").replacing("`", with: "")
    text.replace(/!?\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }
    text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    // Each may stand within the other: "Title: *Capitals*."
    while true {
      let before = text
      text.trimPrefix(/([#>•–—]+|[-*+]|[0-9]{1,2}[.)])\ +/)
      text.trimPrefix(
        /((chat|conversation|session|suggested)\ )?(title|titel|titre|t[ií]tulo|titolo|标题|標題|タイトル|제목)\ ?[:：]\ */
          .ignoresCase())
      text = unquoted(text)
      while let last = text.last, ".。．…,;".contains(last) { text.removeLast() }
      text = text.trimmed
      if text == before { return text }
    }
  }

  private static func unquoted(_ text: String) -> String {
    let always: Set<Character> = ["\"", "“", "”", "„", "«", "»", "「", "」", "『", "』"]
    var inner = text[...]
    while let first = inner.first, always.contains(first) { inner.removeFirst() }
    let isBegun = inner.startIndex > text.startIndex
    // A word in it may be quoted.
    while let last = inner.last, always.contains(last), isBegun || !inner.dropLast().contains(where: always.contains) {
      inner.removeLast()
    }
    // Alone each may be part of a word.
    for (opening, closing): (Character, Character) in [("'", "'"), ("‘", "’"), ("*", "*"), ("_", "_"), ("~", "~")]
    where inner.count > 2 && inner.first == opening && inner.last == closing {
      inner = inner.dropFirst().dropLast()
    }
    return String(inner)
  }

  /// As many words as there is room for; a word that is longer ends where the room does.
  private static func cut(_ line: String) -> String {
    func fits(_ text: String) -> Bool { text.count <= longest && text.unicodeScalars.count <= mostScalars }
    if fits(line) { return line }
    var title = ""
    for word in line.split(separator: " ") {
      let longer = title.isEmpty ? String(word) : title + " " + word
      guard fits(longer) else { break }
      title = longer
    }
    if !title.isEmpty { return title }
    return String(String(String.UnicodeScalarView(line.unicodeScalars.prefix(mostScalars))).prefix(longest))
  }
}

extension Unicode.Scalar {
  /// Whether a reader sees something of it.
  fileprivate var isSeen: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .mathSymbol, .currencySymbol, .otherSymbol:
      true
    default: false
    }
  }
}

/// The words of a command's arguments, split with shell quoting: `'…'`, `"…"` and `\`; behind a letter a `'` is one of the
/// word's own, as in `don't` (docs/shell.md 3).
package struct Words: Sendable, Equatable {
  package var words: [String]
  /// The quote that was never closed, when there is one; its word then reaches to the end.
  package var openQuote: Character?
  /// Where the last word begins, in Unicode scalars, for completion; the end of the text when it ends in a space.
  package var lastWordStart: Int
  /// Where each word begins, in Unicode scalars.
  private(set) var starts: [Int] = []

  /// - Parameter limit: what follows so many words is not looked at.
  package init(splitting text: some StringProtocol, atMost limit: Int = .max) {
    words = []
    lastWordStart = 0
    var word: String?
    var quote: Unicode.Scalar?
    var isEscaped = false
    // Whether what came before is a letter or a digit that stands outside quotes.
    var isBehindLetter = false
    for (index, scalar) in text.unicodeScalars.enumerated() {
      defer {
        isBehindLetter = quote == nil && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      }
      if isEscaped {
        if let quote, quote == "\"", scalar != "\"", scalar != "\\" { word?.unicodeScalars.append("\\") }
        word = (word ?? "") + String(scalar)
        isEscaped = false
        continue
      }
      switch (scalar, quote) {
      case ("\\", nil), ("\\", "\""):
        if word == nil { lastWordStart = index }
        word = word ?? ""
        isEscaped = true
      case ("'", nil) where isBehindLetter:
        word = (word ?? "") + "'"
      case ("'", nil), ("\"", nil):
        if word == nil { lastWordStart = index }
        word = word ?? ""
        quote = scalar
      case (_, .some(let open)) where scalar == open:
        quote = nil
      case (_, nil) where scalar.properties.isWhitespace:
        end(word)
        if words.count >= limit { return }
        word = nil
        lastWordStart = index + 1
      default:
        if word == nil { lastWordStart = index }
        word = (word ?? "") + String(scalar)
      }
    }
    if isEscaped { word = (word ?? "") + "\\" }
    end(word)
    openQuote = quote.map(Character.init)
  }

  private mutating func end(_ word: String?) {
    guard let word else { return }
    words.append(word)
    starts.append(lastWordStart)
  }

  /// The word as it must be typed to come out of `init(splitting:)` unchanged.
  package static func quoted(_ word: String) -> String {
    // Most are, and some lists have thousands.
    if !word.isEmpty, word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x27 && $0 != 0x5C }) {
      return word
    }
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0 != "'" && $0 != "\"" && $0 != "\\" }
    if isPlain { return word }
    // Readable, and the same to the person's own shell.
    if word.contains("'"), !word.contains(where: { "\"\\$`!".contains($0) }) { return "\"\(word)\"" }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}

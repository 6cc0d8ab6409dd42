/// A word, or several beside one another, as they are looked for.
struct SearchWord {
  let text: String
  /// Whether more letters may follow.
  let isBeginning: Bool

  init(_ typed: String) {
    isBeginning = typed.hasSuffix("*") && SearchWord.isIndexed(typed)
    text = isBeginning ? String(typed.dropLast()) : typed
  }

  /// Whether it has anything that the index has.
  var isIndexed: Bool { SearchWord.isIndexed(text) }

  private static func isIndexed(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
  }

  /// Whether the index says all of it.
  var isPlain: Bool { text.allSatisfy { $0.isLetter || $0.isNumber || $0 == " " } }

  /// In the language of FTS5.
  func expression(asBeginning: Bool) -> String {
    // More letters behind a sign would make another word.
    let mayGoOn = isBeginning || asBeginning && text.last.map { $0.isLetter || $0.isNumber } == true
    return "\"" + text.replacing("\"", with: "\"\"") + "\"" + (mayGoOn ? "*" : "")
  }
}

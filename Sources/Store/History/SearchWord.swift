/// A word, or several beside one another, as they are looked for.
struct SearchWord {
  let text: String
  /// Whether it was typed with a `*` behind it, for any letters.
  let isPrefix: Bool

  init(_ typed: String) {
    // Behind a sign, as in `SELECT *`, it is one itself.
    isPrefix = typed.hasSuffix("*") && typed.dropLast().unicodeScalars.last.map(SearchWord.isLetter) == true
    text = isPrefix ? String(typed.dropLast()) : typed
  }

  /// Whether it has anything that the index has.
  var isIndexed: Bool { text.unicodeScalars.contains(where: SearchWord.isLetter) }

  /// Whether the index says all of it.
  var isPlain: Bool {
    isIndexed && text.unicodeScalars.allSatisfy { $0 == " " || SearchWord.isLetter($0) || SearchWord.isMark($0) }
  }

  /// Whether it is of a script with blanks between its words; of others the index has whole sentences.
  var isOfSpacedScript: Bool { text.unicodeScalars.allSatisfy { $0.value < 0x0E00 } }

  /// In the language of FTS5.
  func expression(asPrefix: Bool = false) -> String {
    // More letters behind a sign would make another word.
    let mayGoOn = isPrefix || asPrefix && text.unicodeScalars.last.map(SearchWord.isLetter) == true
    return "\"" + text.replacing("\"", with: "\"\"") + "\"" + (mayGoOn ? "*" : "")
  }

  /// What the tokenizer unicode61 makes words of: letters, numbers and what is for private use.
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .privateUse:
      true
    default: false
    }
  }

  /// What is laid on a letter, which the tokenizer leaves out.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .nonspacingMark }
}

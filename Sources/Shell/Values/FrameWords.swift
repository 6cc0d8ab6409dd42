/// The words that frame calls and results for models that take tools in words (docs/kamiwaza.md 6.7).
///
/// What a server has ready is sent in a message of the person's, where results stand too: such a word in it would pass
/// for one of ours (docs/rules.md A8).
enum FrameWords {
  /// The text with the `<` of each such word written as `&lt;`, however the word is spelt; all else stays.
  static func written(in text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
    let scalars = Array(text.unicodeScalars)
    var written = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      if scalar == "<", begins(scalars[(index + 1)...]) {
        written += "&lt;".unicodeScalars
      } else {
        written.append(scalar)
      }
    }
    return String(written)
  }

  /// Whether the name of a frame follows, with or without a slash; what cannot be seen does not count.
  private static func begins(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
    let name = rest.drop { $0 == "/" || VisibleText.isBlank($0) }.prefix(64)
    let seen = name.filter { $0.properties.isWhitespace || !VisibleText.isBlank($0) }
    let word = String(String.UnicodeScalarView(seen.prefix(while: isOfName))).lowercased()
    return word == "tool" || word.hasPrefix("tool_call") || word.hasPrefix("tool_result")
  }

  private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && (scalar.properties.isAlphabetic || scalar == "_" || scalar == "-")
  }
}

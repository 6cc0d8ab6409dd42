/// What `/expect` looks for: words as they are written, or a regular expression between slashes.
enum ExpectedPattern {
  case words(String)
  case regex(Regex<AnyRegexOutput>)

  /// Throws `badPattern`.
  init(_ text: String) throws(ShellError) {
    let ignoresCase = text.hasSuffix("/i")
    guard text.utf8.count > 2, text.hasPrefix("/"), ignoresCase || text.hasSuffix("/"), text != "//i" else {
      self = .words(text)
      return
    }
    do {
      let regex = try Regex(String(text.dropFirst().dropLast(ignoresCase ? 2 : 1)))
      self = .regex(regex.ignoresCase(ignoresCase).anchorsMatchLineEndings())
    } catch {
      throw .badPattern(text)
    }
  }

  func isFound(in text: String) -> Bool {
    switch self {
    case .words(let words): text.contains(words)
    case .regex(let regex): text.contains(regex)
    }
  }
}

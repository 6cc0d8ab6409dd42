import Wire

/// What `/expect` looks for: words as they are written, or a regular expression between slashes.
enum ExpectedPattern {
  case words(String)
  case regex(Pattern, written: String)

  /// Throws `badPattern`.
  init(_ text: String) throws(ShellError) {
    let ignoresCase = text.hasSuffix("/i")
    guard text.utf8.count > 2, text.hasPrefix("/"), ignoresCase || text.hasSuffix("/"), text != "//i" else {
      self = .words(text)
      return
    }
    let expression = text.dropFirst().dropLast(ignoresCase ? 2 : 1)
    guard let pattern = Pattern((ignoresCase ? "(?mi)" : "(?m)") + expression) else { throw .badPattern(text) }
    self = .regex(pattern, written: text)
  }

  /// Throws `slowPattern` for one that is looked for in too many ways.
  func isFound(in text: String) throws(ShellError) -> Bool {
    switch self {
    case .words(let words): return text.contains(words)
    case .regex(let pattern, let written):
      let steps = Steps()
      guard let isFound = pattern.isFound(in: text, spend: steps.spend) else { throw .slowPattern(written) }
      return isFound
    }
  }

  /// What one search may cost: some seconds.
  private final class Steps {
    private var left = 200_000_000

    func spend(_ steps: Int) -> Bool {
      left -= steps
      return left > 0
    }
  }
}

/// What looks like a secret on a line: it is neither recalled nor taken for a name.
enum LikelySecret {
  static func isLikely(in line: String) -> Bool {
    line.split(whereSeparator: \.isWhitespace).contains { word in
      hasPassword(word) || word.split(whereSeparator: isAround).contains(where: isToken)
    }
  }

  /// What stands around a key in a word: `KEY="sk-…"`, `--token=ghp_…`, `{"key":"hf_…"}`.
  private static func isAround(_ character: Character) -> Bool { "=\"'`,;()<>[]{}".contains(character) }

  /// A key as servers hand them out: `sk-…`, `AKIA…`, a JSON web token, or 32 and more letters and digits without a word in it.
  static func isToken(_ word: some StringProtocol) -> Bool {
    let isKeyText = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    guard isKeyText else { return false }
    if word.count >= 16, beginnings.contains(where: word.hasPrefix) { return true }
    return word.count >= 32 && word.contains(where: \.isNumber) && word.contains(where: \.isLetter)
      && !word.contains(".")
  }

  private static let beginnings = [
    "sk-", "pk-", "sk_", "ghp_", "gho_", "github_pat_", "glpat-", "hf_", "xox", "AKIA", "ASIA", "AIza", "eyJ",
  ]

  /// An address with user information in it.
  private static func hasPassword(_ word: Substring) -> Bool {
    guard let scheme = word.firstRange(of: "://") else { return false }
    return word[scheme.upperBound...].prefix { $0 != "/" }.contains("@")
  }
}

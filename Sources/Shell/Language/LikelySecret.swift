/// What looks like a secret on a line: it is neither recalled nor taken for a name.
enum LikelySecret {
  static func isLikely(in line: String) -> Bool {
    line.split(whereSeparator: \.isWhitespace).contains { isToken($0) || hasPassword($0) }
  }

  /// A key as servers hand them out: `sk-…`, a JSON web token, or 32 and more letters and digits without a word in it.
  static func isToken(_ word: some StringProtocol) -> Bool {
    let isKeyText = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    guard isKeyText else { return false }
    if word.count >= 16, ["sk-", "pk-", "ghp_", "hf_", "eyJ"].contains(where: word.hasPrefix) { return true }
    return word.count >= 32 && word.contains(where: \.isNumber) && word.contains(where: \.isLetter)
      && !word.contains(".")
  }

  /// An address with user information in it.
  private static func hasPassword(_ word: Substring) -> Bool {
    guard let scheme = word.firstRange(of: "://") else { return false }
    return word[scheme.upperBound...].prefix { $0 != "/" }.contains("@")
  }
}

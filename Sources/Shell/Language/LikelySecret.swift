import Chat
import Text
import Wire

/// Tells what looks like a secret on a line: it is neither recalled nor taken for a name.
enum LikelySecret {
  static func isLikely(in line: String) -> Bool {
    let words = words(of: line)
    return names(words) || words.contains(where: isSecretWord) || words.indices.contains { isCredential(words, at: $0) }
  }

  /// The words of a text as a reader sees them. A key that continues on the next line is one word.
  private static func words(of text: String) -> [Substring] {
    var words: [Substring] = []
    for line in visible(text).split(whereSeparator: \.isNewline) {
      let next = line.split(whereSeparator: \.isWhitespace)
      if next.count == 1, next[0].utf8.allSatisfy(isKeyText), let last = words.last, isSecretWord(last) || names([last])
      {
        words[words.count - 1] = last + next[0]
      } else {
        words += next
      }
    }
    return words
  }

  /// The text without invisible characters, which web pages and editors leave in copied text.
  private static func visible(_ text: some StringProtocol) -> Substring {
    let isVisible = { (scalar: Unicode.Scalar) in scalar.value < 0x80 ? scalar != "\0" : !Filter.isInvisible(scalar) }
    let scalars = String(text).unicodeScalars
    return scalars.allSatisfy(isVisible) ? Substring(text) : Substring(String(scalars.filter(isVisible)))
  }

  private static func isSecretWord(_ word: Substring) -> Bool {
    // Within a word only what begins as keys do: `KEY="sk-…"`, `?key=AIza…&alt`. Long ids are no secrets.
    hasPassword(word) || hasToken(word) || isToken(word)
      || word.utf8.split(whereSeparator: { !isKeyText($0) }).contains { begins($0) }
  }

  /// Whether a line is a secret and hardly anything else: `sk-…`, `Bearer sk-…`, `API_KEY=…`. A checksum, an identifier
  /// and an address with a user name are not.
  static func isWhole(_ line: String) -> Bool {
    // What is longer holds more than a few keys, and may be a file of any size.
    guard line.utf8.count <= 8192 else { return false }
    let words = words(of: line).filter { $0 != "export" }
    if words.count <= 2, names(words) || words.count == 1 && isLoneKey(words[0]) { return true }
    let secrets = words.indices.count { index in
      let word = words[index]
      return names([word]) || isCredential(words, at: index)
        || isSecretWord(word) && !word.utf8.allSatisfy(isIdentifierText)
          && (!hasPassword(word) || word.split(separator: "@")[0].count { $0 == ":" } > 1)
    }
    return secrets > 0 && words.count - secrets <= 2
  }

  /// Whether a line may be a password: one word that is written like none. It is asked where a password was just
  /// wanted, and nowhere else.
  static func mayBePassword(_ line: String) -> Bool {
    // `!ls`, `/model` and `@notes` are plain; a password may begin with these characters too.
    let word = line.trimmed.drop { "@!#/".contains($0) }
    guard word.count >= 4, !word.contains(where: \.isWhitespace), !word.contains("://") else { return false }
    // `hello`, `well-known`, `don't`, `42?` and `really?!` are plain.
    let hasSymbol = word.contains { !$0.isLetter && !$0.isNumber && !"'’-.,:;?!…()\"".contains($0) }
    let letters = word.filter(\.isLetter)
    let hasNumber = !letters.isEmpty && word.contains(where: \.isNumber)
    let mixesCase = letters.dropFirst().contains(where: \.isUppercase) && letters.contains(where: \.isLowercase)
    return hasSymbol || hasNumber || mixesCase || word.count > 20
  }

  /// A line for a question about it, without its secrets: of each the beginning that all keys of its kind have, and its
  /// length.
  static func masked(_ line: String) -> String {
    let words = words(of: line)
    var isValue = false
    let shown = words.indices.map { index in
      let word = words[index]
      defer { isValue = names([word, "x"]) && !names([word]) }
      let isSecret =
        isValue || words.count == 1 || names([word]) || isSecretWord(word) || isCredential(words, at: index)
      return isSecret ? masked(word) : String(word)
    }
    return shown.joined(separator: " ")
  }

  private static func masked(_ word: Substring) -> String {
    let beginning = beginnings.first(where: word.hasPrefix) ?? ""
    return "\(beginning)… (\(word.count) characters)"
  }

  /// `password: …`, `API_KEY=…`: what follows is said to be one.
  private static func names(_ words: [Substring]) -> Bool {
    zip(words, words.dropFirst() + [""]).contains { word, next in
      word.indices.contains { end in
        guard word[end] == ":" || word[end] == "=" else { return false }
        let name = word[..<end].lowercased().filter { $0 != "\"" && $0 != "'" }
        let rest = word[word.index(after: end)...]
        return namesOfSecrets.contains(where: name.hasSuffix) && isValue(rest.isEmpty ? next : rest)
      }
    }
  }

  /// Whether a text may be the value of a secret, and not a placeholder in code: `password=None`, `api_key=$KEY`.
  private static func isValue(_ text: Substring) -> Bool {
    let value = text.drop { "'\"`(".contains($0) }
    let word = value.prefix { $0.isLetter || $0.isNumber || $0 == "_" }.lowercased()
    let isWholeWord = value.dropFirst(word.count).allSatisfy { "'\"`),;:]}".contains($0) }
    let isPlaceholder = isWholeWord && ["", "none", "null", "nil", "true", "false", "str", "string"].contains(word)
    return !value.isEmpty && !isPlaceholder && !"$<{".contains(value.prefix(1))
  }

  /// Whether a word follows the name of an HTTP scheme, as in `Authorization: Bearer …`.
  private static func isCredential(_ words: [Substring], at index: Int) -> Bool {
    guard index > 0, ["bearer", "basic", "token"].contains(unquoted(words[index - 1]).lowercased()) else {
      return false
    }
    let value = unquoted(words[index])
    return value.utf8.count >= 16 && value.contains(where: \.isNumber) && value.utf8.allSatisfy(isBase64Text)
  }

  /// Whether a word that is a whole line may be a key: `sk-1234`, or a row of digits and letters of both cases.
  private static func isLoneKey(_ word: Substring) -> Bool {
    let word = unquoted(word)
    guard word.utf8.allSatisfy(isBase64Text), word.contains(where: \.isNumber) else { return false }
    if word.hasPrefix("sk-"), word.utf8.count >= 7 { return true }
    return word.utf8.count >= 20 && word.utf8.allSatisfy(isKeyText) && !word.utf8.allSatisfy(isIdentifierText)
      && !word.contains(".") && word.contains(where: \.isUppercase) && word.contains(where: \.isLowercase)
      && !isName(word)
  }

  /// Whether a long word is made of words, as names of models, tests and classes are: `Qwen3-Coder-30B-A3B-Instruct`,
  /// `TestParseHTTPRequest2`. A key has a long row of characters without an order.
  private static func isName(_ word: Substring) -> Bool {
    if word.hasPrefix("0x"), word.dropFirst(2).allSatisfy(\.isHexDigit) { return true }
    let rows = word.split { "-_".contains($0) }
    guard let longest = rows.max(by: { $0.count < $1.count }), longest.count >= 20 else { return true }
    guard longest.contains(where: \.isUppercase) else { return false }
    let lowercase = longest.split { !$0.isLowercase }.filter { $0.count >= 3 }
    // Of random letters and digits about one in six is in such a row.
    return lowercase.map(\.count).reduce(0, +) * 20 > longest.count * 9
  }

  private static func unquoted(_ word: Substring) -> Substring {
    let isQuote = { (character: Character) in "'\"`".contains(character) }
    let rest = word.drop(while: isQuote)
    return rest[..<(rest.lastIndex { !isQuote($0) }.map { rest.index(after: $0) } ?? rest.startIndex)]
  }

  /// Whether what is called so is one: it is typed unseen.
  static func isNamed(_ name: String) -> Bool {
    let name = name.lowercased()
    return (namesOfSecrets + ["secret", "token"]).contains(where: name.hasSuffix)
  }

  /// Whether a snippet is given a value by such a name: `/snippets run deploy token=…`.
  static func isValue(in line: String) -> Bool {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard words.first.map({ $0.count > 1 && "/snippets".hasPrefix($0) }) == true else { return false }
    return words.contains { word in
      word.firstIndex(of: "=").map { isNamed(String(word[..<$0].drop { "'\"".contains($0) })) } ?? false
    }
  }

  private static let namesOfSecrets = [
    "password", "passwort", "passwd", "passphrase", "api_key", "apikey", "api-key", "authtoken",
    "clientsecret",
  ]

  /// A key as servers hand them out, `sk-…` or a JSON web token, or 32 and more letters and digits.
  static func isToken(_ word: some StringProtocol) -> Bool {
    let word = visible(word)
    guard word.utf8.allSatisfy(isKeyText) else { return false }
    if begins(word.utf8) { return true }
    return word.count >= 32 && word.contains(where: \.isNumber) && word.contains(where: \.isLetter)
      && !word.contains(".") && !isName(word)
  }

  /// Whether a word begins as the keys of well-known servers do. No name does.
  static func isKey(_ word: String) -> Bool {
    let word = visible(word)
    return word.utf8.allSatisfy(isKeyText) && begins(word.utf8)
  }

  private static func isIdentifierText(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2D: true
    default: false
    }
  }

  private static func isKeyText(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  private static func isBase64Text(_ byte: UInt8) -> Bool {
    isKeyText(byte) || [0x2B, 0x2F, 0x3D, 0x7E].contains(byte)
  }

  private static func begins(_ word: Substring.UTF8View) -> Bool {
    guard word.count >= 16 else { return false }
    if let beginning = beginnings.first(where: { word.starts(with: $0.utf8) }) {
      // Names such as `hf_hub_download_retries` begin like keys, and have neither digits nor capitals nor long rows.
      let rest = word.dropFirst(beginning.utf8.count)
      return rest.contains { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        || rest.split { [0x2D, 0x2E, 0x5F].contains($0) }.contains { $0.count >= 12 }
    }
    // Amazon's: twenty capitals and digits.
    return ["AKIA", "ASIA"].contains { word.starts(with: $0.utf8) }
      && word.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }

  private static let beginnings = [
    "sk-", "pk-", "sk_live_", "sk_test_", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "hf_", "xoxa-", "xoxb-",
    "xoxp-", "AIza", "eyJ", "gsk_", "csk-", "xai-", "nvapi-", "tgp_v1_", "ya29.", "SG.",
  ]

  /// An address that signs in whoever opens it, as Jupyter prints it: `http://127.0.0.1:8888/lab?token=…`.
  private static func hasToken(_ word: Substring) -> Bool {
    let word = word.lowercased()
    return ["?token=", "&token=", "#token="].contains(where: word.contains)
  }

  /// An address without the token in its query, and the token; the rest of such a query is of the page, and left out.
  static func withoutToken(_ address: String) -> (address: String, token: Secret?) {
    // Not of a command, nor of an address that means something else by it.
    let scheme = address.firstRange(of: "://").map { address[..<$0.lowerBound].lowercased() }
    guard scheme == nil || scheme == "http" || scheme == "https", !address.contains(where: \.isWhitespace),
      let mark = address.firstIndex(of: "?")
    else { return (address, nil) }
    let query = address[address.index(after: mark)...].prefix { $0 != "#" }
    guard let field = query.split(separator: "&").first(where: { $0.hasPrefix("token=") }) else {
      return (address, nil)
    }
    let token = String(field.dropFirst("token=".count))
    return (String(address[..<mark]), token.isEmpty ? nil : Secret(token.percentDecoded))
  }

  /// An address with user information in it.
  private static func hasPassword(_ word: Substring) -> Bool {
    guard let scheme = word.firstRange(of: "://") else { return false }
    return word[scheme.upperBound...].prefix { $0 != "/" }.contains("@")
  }
}

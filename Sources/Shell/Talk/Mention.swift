import Chat
import Store

/// A file of this machine that a typed message names as `@PATH`. What comes from a file or a server names nothing
/// (docs/rules.md A8).
struct Mention: Sendable, Equatable {
  /// Without quotes.
  var name: String

  /// The longest path that there is, in bytes.
  private static let limit = 4096

  /// Those in a message, of which a name with blanks is quoted as for a shell; what ends a sentence is no part of one.
  static func all(in text: String, isThere: (String) -> Bool) -> [Mention] {
    words(in: text).reduce(into: []) { found, word in
      let path = known(word.plain, isThere) ?? word.quoted.flatMap { known($0, isThere) }
      if let path, !found.contains(Mention(name: path)) { found.append(Mention(name: path)) }
    }
  }

  /// The names after an `@` that match no file: those that look like a path, with a `/` or an extension, and in a message
  /// of one line plain words too. In longer ones, such as pasted code, a plain word is more likely a decorator.
  /// `SERVER:URI` is not a file. `Talk.notice` chooses which of the names are reported.
  static func missing(in text: String, isThere: (String) -> Bool) -> [String] {
    let isOneLine = !text.contains(where: \.isNewline)
    return words(in: text).reduce(into: []) { found, word in
      guard known(word.plain, isThere) == nil, word.quoted.flatMap({ known($0, isThere) }) == nil else { return }
      let isQuoted = word.plain.first.map { "\"'".contains($0) } == true
      let name = isQuoted ? word.quoted ?? "" : trimmed(word.plain)
      if looksLikePath(name) || isOneLine && isPlainWord(name), !found.contains(name) { found.append(name) }
    }
  }

  /// What stands behind each `@` that begins a word, and the same read with its quotes where it has some.
  private static func words(in text: String) -> [(plain: String, quoted: String?)] {
    var found: [(String, String?)] = []
    var before: Character = " "
    var rest = text[...]
    while let sign = rest.popFirst() {
      defer { before = sign }
      guard sign == "@", canFollow(before) else { continue }
      let word = rest.prefix(limit + 1).prefix { !$0.isWhitespace }
      let isQuoted = word.contains { "\"'\\".contains($0) }
      found.append((String(word), isQuoted ? Words(splitting: rest, atMost: 1).words.first : nil))
    }
    return found
  }

  /// Whether a name may begin after this character: not within an address such as `ada@example.com`. Chinese and Japanese
  /// have no blanks between words.
  private static func canFollow(_ sign: Character) -> Bool {
    sign.isWhitespace || "([{<*".contains(sign) || !sign.isASCII && !sign.isCased
  }

  /// Whether it can hardly be meant as anything else than a path: decorators (`@app.route`), packages (`@types/node`) and
  /// accounts begin with an @ too.
  static func isSurelyPath(_ name: String) -> Bool {
    if ["./", "../", "~/", "/"].contains(where: name.hasPrefix) { return true }
    return name.lastIndex(of: ".").map { endings.contains(name[name.index(after: $0)...].lowercased()) } ?? false
  }

  /// Of files that people send along.
  private static let endings: Set = [
    "c", "cc", "conf", "cpp", "cs", "css", "csv", "gif", "go", "h", "hpp", "html", "ini", "java", "jpeg", "jpg", "js",
    "json", "kt", "log", "lua", "md", "pdf", "php", "pl", "png", "py", "rb", "rs", "rst", "sh", "sql", "svg", "swift",
    "tex", "toml", "ts", "tsx", "txt", "webp", "xml", "yaml", "yml",
  ]

  /// Whether the name could be that of a file without an extension, such as `Makefile`.
  private static func isPlainWord(_ name: String) -> Bool {
    name.utf8.count <= limit && name.contains(where: \.isLetter)
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
  }

  /// Whether the name has a `/`, or a dot and an extension.
  static func looksLikePath(_ name: String) -> Bool {
    guard name.utf8.count <= limit, !name.contains(":"), name.contains(where: \.isLetter) else { return false }
    if name.contains("/") { return true }
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
    let ending = name[dot...].dropFirst()
    return 1...5 ~= ending.count && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// Returns the word without the punctuation of the sentence around it, and without a line number.
  private static func trimmed(_ word: String) -> String {
    var name = word.prefix { $0 == ":" || !isSeparator($0) }
    if let colon = name.lastIndex(of: ":"), name[colon...].dropFirst().allSatisfy(\.isNumber) { name = name[..<colon] }
    while let last = name.last, isPunctuation(last) { name.removeLast() }
    return String(name)
  }

  private static func known(_ word: String, _ isThere: (String) -> Bool) -> String? {
    guard word.utf8.count <= limit else { return nil }
    return candidateNames(in: word).first(where: isThere)
  }

  /// The most candidates that are looked up for one word.
  private static let mostCandidates = 8

  /// The names that a word may stand for, the longest first: the whole word, and what stands before its last punctuation
  /// marks. Within a word only a mark that is rare in file names ends one: `@notes.txt's`, `@notes.txt:12`.
  private static func candidateNames(in word: String) -> [String] {
    var found = word.isEmpty ? [] : [word]
    var isAtEnd = true
    for index in word.indices.reversed() {
      guard found.count < mostCandidates, index > word.startIndex else { break }
      isAtEnd = isAtEnd && isPunctuation(word[index])
      if isAtEnd || isSeparator(word[index]) { found.append(String(word[..<index])) }
    }
    return found
  }

  private static func isPunctuation(_ sign: Character) -> Bool { sign.isPunctuation || sign.isSymbol }

  private static func isSeparator(_ sign: Character) -> Bool { isPunctuation(sign) && !"./-_~+@".contains(sign) }
}

extension Turn {
  /// What goes along with a message that takes the place of this one's: all but what was named there and no more.
  func files(stillNamedIn text: String) -> [AttachedFile] {
    let names = Set(files.map(\.name))
    let still = Mention.all(in: text, isThere: names.contains)
    let gone = Set(Mention.all(in: question, isThere: names.contains).filter { !still.contains($0) }.map(\.name))
    return files.filter { !gone.contains($0.name) }
  }
}

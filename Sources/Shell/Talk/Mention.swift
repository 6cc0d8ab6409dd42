/// A file of this machine that a typed message names as `@PATH`. What comes from a file or a server names nothing
/// (docs/rules.md A8).
struct Mention: Sendable, Equatable {
  /// Without quotes.
  var name: String

  /// The longest that is looked at.
  private static let limit = 4096

  /// Those in a message, of which a name with blanks is quoted as for a shell; what ends a sentence is no part of one.
  static func all(in text: String, isThere: (String) -> Bool) -> [Mention] {
    var found: [Mention] = []
    var before: Character = " "
    var rest = text[...]
    while let sign = rest.popFirst() {
      defer { before = sign }
      guard sign == "@", before.isWhitespace || "([{".contains(before) else { continue }
      let line = rest.prefix(limit).prefix { !$0.isNewline }
      let word = String(line.prefix { !$0.isWhitespace })
      let path =
        known(word, isThere)
        ?? (word.contains { "\"'\\".contains($0) } ? Words(splitting: String(line)).words.first : nil)
        .flatMap { known($0, isThere) }
      if let path, !found.contains(Mention(name: path)) { found.append(Mention(name: path)) }
    }
    return found
  }

  private static func known(_ word: String, _ isThere: (String) -> Bool) -> String? {
    var path = word
    while !path.isEmpty, !isThere(path), let last = path.last, ".,;:!?)]}\"'".contains(last) { path.removeLast() }
    return path.isEmpty || !isThere(path) ? nil : path
  }
}

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
    var found: [Mention] = []
    var before: Character = " "
    var rest = text[...]
    while let sign = rest.popFirst() {
      defer { before = sign }
      guard sign == "@", before.isWhitespace || "([{".contains(before) else { continue }
      let word = rest.prefix(limit + 1).prefix { !$0.isWhitespace }
      let isQuoted = word.contains { "\"'\\".contains($0) }
      let path =
        known(String(word), isThere)
        ?? (isQuoted ? Words(splitting: rest, atMost: 1).words.first.flatMap { known($0, isThere) } : nil)
      if let path, !found.contains(Mention(name: path)) { found.append(Mention(name: path)) }
    }
    return found
  }

  private static func known(_ word: String, _ isThere: (String) -> Bool) -> String? {
    guard word.utf8.count <= limit else { return nil }
    var path = word
    while !path.isEmpty, !isThere(path), let last = path.last, ".,;:!?)]}\"'".contains(last) { path.removeLast() }
    return path.isEmpty || !isThere(path) ? nil : path
  }
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

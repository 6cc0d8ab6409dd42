/// What becomes of snippets from a file.
extension Snippets {
  /// What happens to one whose name is taken by another.
  package enum Clash: Sendable { case skip, replace, rename }

  /// What became of each, by name.
  package struct Taken: Sendable, Equatable {
    package var added: [String] = []
    package var replaced: [String] = []
    /// Those that stay what they were: another one has the name.
    package var skipped: [String] = []
    /// Those that are there already, as they are in the file.
    package var unchanged: [String] = []
    package var renamed: [Renamed] = []

    package struct Renamed: Sendable, Equatable {
      package var from: String
      package var to: String
    }

    package init() {}
  }

  /// Takes in what a file has, in its order, all at once.
  package mutating func take(_ document: SnippetDocument, onClash clash: Clash) throws(Failure) -> Taken {
    try change { list throws(Failure) in
      var taken = Taken()
      var seen: Set<String> = []
      for snippet in document.snippets { list.take(snippet, clash, &seen, &taken) }
      for category in document.categories {
        if let index = list.categories.firstIndex(where: { $0.name == category.name }) {
          if clash == .replace { list.categories[index] = category }
        } else {
          list.categories.append(category)
        }
      }
      return taken
    }
  }

  /// - Parameter seen: the names that came out of the file: two of one name there are two snippets.
  private mutating func take(_ snippet: Snippet, _ clash: Clash, _ seen: inout Set<String>, _ taken: inout Taken) {
    let original = snippet.name
    var snippet = snippet
    snippet.name = SnippetName.mended(original)
    let isFirst = seen.insert(snippet.name).inserted
    if let index = entries.firstIndex(where: { $0.name == snippet.name }) {
      switch clash {
      case .replace where isFirst:
        entries[index] = snippet
        taken.replaced.append(snippet.name)
        return
      case _ where hasSame(as: snippet):
        taken.unchanged.append(snippet.name)
        return
      case .skip where isFirst:
        taken.skipped.append(snippet.name)
        return
      case .skip, .replace, .rename:
        snippet.name = freeName(for: snippet.name)
        seen.insert(snippet.name)
      }
    }
    entries.append(snippet)
    taken.added.append(snippet.name)
    if snippet.name != original { taken.renamed.append(Taken.Renamed(from: original, to: snippet.name)) }
  }

  /// Whether it is there already, by its name or by one that it was given when that was taken.
  private func hasSame(as snippet: Snippet) -> Bool {
    let stem = Snippets.stem(of: snippet.name)
    return entries.contains { entry in
      var other = snippet
      other.name = entry.name
      let isNumbered = entry.name.hasPrefix(stem) && Int(entry.name.dropFirst(stem.count)) != nil
      return (entry.name == snippet.name || isNumbered) && entry.isSame(as: other)
    }
  }

  private static func stem(of name: String) -> String { "\(name.prefix(SnippetName.longest - 8))-" }

  private func freeName(for name: String) -> String {
    let names = Set(entries.map(\.name))
    var number = 2
    let stem = Snippets.stem(of: name)
    while names.contains("\(stem)\(number)") { number += 1 }
    return "\(stem)\(number)"
  }
}

import Store

/// What Tab offers of snippets.
extension Completer {
  /// Their names, the most used first; those that are off are not offered to run.
  func snippetNames(_ earlier: [String]) -> [(String, String)] {
    let offered = snippets().filter { ($0.isActive || earlier.first != "run") && SnippetName.isGood($0.name) }
    return offered.enumerated()
      .sorted { (-$0.element.usageCount, $0.offset) < (-$1.element.usageCount, $1.offset) }
      .map { ($0.element.name, Completer.about($0.element)) }
  }

  /// Where one can run, and the beginnings of values for the places in it.
  func snippetPlaces(_ earlier: [String]) -> [(name: String, about: String)] {
    guard let snippet = snippets().first(where: { $0.name == earlier.dropFirst().first }) else { return [] }
    let given = Set(earlier.dropFirst(2).map { String($0.prefix { $0 != "=" }) })
    let places = Template(snippet.text).places.filter { !given.contains($0.name) }
    return places.map { ("\($0.name)=", $0.standard ?? "") }
  }

  func snippetCategories() -> [String] {
    var found: [String] = []
    for category in snippets().compactMap(\.category) where !found.contains(category) { found.append(category) }
    return found
  }

  /// Its first words: the list has one line for each.
  private static func about(_ snippet: Snippet) -> String {
    let text = snippet.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(60)
    return snippet.kind == .shell ? "! \(text)" : String(text)
  }
}

/// Files of this machine.
extension Completer {
  /// In a message: behind an `@`, and where a word looks like a path.
  func files(atEndOf before: String, _ cursor: Int) -> Completion {
    if let (start, typed) = mention(atEndOf: before) {
      let found = tools.resources.filter { $0.name.hasPrefix(typed) }
        .map { Candidate("@" + $0.name, summary: $0.about) }
      let files = paths(startingWith: typed).map { Candidate("@" + $0.text, isWhole: $0.isWhole) }
      return Completion(replaced: start..<cursor, candidates: found + files)
    }
    let word = before.unicodeScalars.reversed().prefix { !$0.properties.isWhitespace }.reversed()
    let typed = String(String.UnicodeScalarView(word))
    guard typed.contains("/") || typed.hasPrefix("~") else { return .none }
    return Completion(replaced: (cursor - word.count)..<cursor, candidates: paths(startingWith: typed))
  }

  /// Where the `@` stands of a name that is being typed, in Unicode scalars, and what is typed of it.
  private func mention(atEndOf before: String) -> (start: Int, typed: String)? {
    let scalars = Array(before.unicodeScalars)
    for start in scalars.indices.reversed() where scalars[start] == "@" {
      guard
        start == 0 || scalars[start - 1].properties.isWhitespace || "([{".unicodeScalars.contains(scalars[start - 1])
      else { continue }
      let split = Words(splitting: String(String.UnicodeScalarView(scalars[(start + 1)...])))
      let isOpen = split.openQuote != nil || scalars.last?.properties.isWhitespace == false
      return split.words.count <= 1 && isOpen ? (start, split.words.first ?? "") : nil
    }
    return nil
  }

  func paths(startingWith typed: String) -> [Candidate] {
    names(startingWith: typed).map { Candidate(Words.quoted($0), isWhole: !$0.hasSuffix("/")) }
  }

  private func names(startingWith typed: String) -> [String] {
    if typed == "~" { return ["~/"] }
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let start = typed.dropFirst(folder.count)
    return listFolder(folder.isEmpty ? "." : folder)
      .filter { $0.hasPrefix(start) && (start.hasPrefix(".") || !$0.hasPrefix(".")) }
      .sorted()
      .map { folder + $0 }
  }
}

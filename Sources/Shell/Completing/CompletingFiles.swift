/// Files of this machine.
extension Completer {
  /// In a message: behind an `@`, and where a word looks like a path.
  func files(atEndOf before: String, _ cursor: Int) -> Completion {
    if takesFiles, let mention = Mention.unfinished(in: before) {
      return Completion(replaced: mention.start..<cursor, candidates: mentions(startingWith: mention.path))
    }
    let word = before.unicodeScalars.reversed().prefix { !$0.properties.isWhitespace }.reversed()
    let typed = String(String.UnicodeScalarView(word))
    let start = cursor - word.count
    if typed.hasPrefix("@") {
      let found = tools.resources.filter { $0.name.hasPrefix(typed.dropFirst()) }
        .map { Candidate("@" + $0.name, summary: $0.about) }
      let files = takesFiles ? mentions(startingWith: String(typed.dropFirst())) : []
      return Completion(replaced: start..<cursor, candidates: found + files)
    }
    guard typed.contains("/") || typed.hasPrefix("~") else { return .none }
    return Completion(replaced: start..<cursor, candidates: paths(startingWith: typed))
  }

  /// Files that go along with a message.
  private func mentions(startingWith typed: String) -> [Candidate] {
    names(startingWith: typed).compactMap { path in
      Mention.spelled(path).map { Candidate($0, isWhole: !path.hasSuffix("/")) }
    }
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

import Text

/// What to type instead of what a command does not take.
extension Complaint {
  /// A hint is a line: what is longer is not shown whole.
  private static let longest = 70

  /// - Parameter place: a command's name, and the word behind it where that is one of its own.
  static func usageHint(of place: String, besides word: String) -> SafeText {
    if let hint = formHint(of: place) { return hint }
    let name = String(place.prefix { $0 != " " })
    guard let command = Commands.named(name) else { return "/help \(name) shows how" }
    let usages = command.forms.map(\.usage).filter { !$0.isEmpty }.joined(separator: " | ")
    if usages.count > longest {
      let meant = command.meant(by: word)
      return meant.isEmpty ? "/help \(name) shows how" : "did you mean \(either(meant))?"
    }
    return usages.isEmpty ? "/\(name)" : "/\(name) \(usages)"
  }

  /// The forms that begin with a command's own word; nil when no such word is named.
  static func formHint(of place: String) -> SafeText? {
    let words = place.split(separator: " ").map(String.init)
    guard words.count > 1, let command = Commands.named(words[0]) else { return nil }
    let usages = command.forms.filter { $0.firstWords.contains(words[1]) }.map { form in
      var rest = form
      rest.parts.removeFirst()
      return ([words[1]] + [rest.usage]).filter { !$0.isEmpty }.joined(separator: " ")
    }
    return usages.isEmpty ? nil : "/\(words[0]) \(usages.joined(separator: " | "))"
  }
}

extension Command {
  /// Its own words that are like another, or mean the same.
  fileprivate func meant(by word: String) -> [String] {
    let own = forms.flatMap(\.firstWords)
    let nearest = Nearest.words(to: word, among: own)
    if !nearest.isEmpty { return nearest }
    let alike = Command.alike.first { $0.contains(word.lowercased()) } ?? []
    return alike.filter(own.contains)
  }

  private static let alike = [
    ["remove", "delete", "del", "rm", "forget", "uninstall"], ["add", "new", "create", "install"],
    ["on", "enable", "use", "select"], ["off", "disable", "unselect"], ["revoke", "deny", "remove", "delete"],
  ]
}

extension Form {
  /// The words that it may begin with.
  fileprivate var firstWords: [String] {
    switch parts.first {
    case .word(let word): [word]
    case .choice(let words): words
    default: []
    }
  }
}

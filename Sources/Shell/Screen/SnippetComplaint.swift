import Store
import Text

extension Complaint {
  /// What a failure of the list of snippets is called.
  init(_ error: Snippets.Failure) {
    switch error {
    case .noSnippet(let name): self.init(.unknown(.snippet, name, nearest: []))
    case .nameTaken(let name):
      self.init(
        "another snippet is called '\(name)'", hint: "/snippets edit \(Words.quoted(name)) changes it", .usage)
    case .badName(let name):
      self.init(
        "'\(name)' is no name for a snippet",
        hint: "one line without controls, \(SnippetName.longest) characters at most, no - first", .usage)
    case .file(let error): self.init(error)
    }
  }

  init(_ slip: SnippetSlip) {
    switch slip {
    case .off(let name):
      self.init("snippet '\(name)' is off", hint: "/snippets on \(Words.quoted(name)) lets it run", .usage)
    case .color(let word):
      self.init("'\(word)' is no colour", hint: "such as #007AFF or green; none takes it away", .usage)
    case .kind(let word):
      self.init(
        "'\(word)' is no kind of snippet", hint: "it takes \(Complaint.either(Snippet.Kind.allCases.map(\.rawValue)))",
        .usage)
    case .dates(let word):
      self.init(
        "'\(word)' is no form of dates",
        hint: "it takes \(Complaint.either(SnippetDates.allCases.map(\.rawValue)))", .usage)
    case .seenInTerminal(let name):
      self.init(
        "a value of '\(VisibleText.oneLine(name))' sounds like a secret, and would be seen in the terminal",
        hint: "your own shell keeps it unseen: /snippets run \(Words.quoted(name)) shell", .usage)
    case .holdsKeys(let name):
      self.init("what '\(VisibleText.oneLine(name))' types has a control character in it, which is a key there", .usage)
    case .whereToRun(let word, let name):
      self.init(
        "'\(word)' is neither a place to run snippet '\(name)' nor a value for it",
        hint: "\(Complaint.either(Snippet.Kind.allCases.map(\.rawValue) + ["@TERMINAL"])), and NAME=VALUE behind it",
        .usage)
    case .missingValues(let places, let name):
      let values = places.map { "\($0)=VALUE" }.joined(separator: " ")
      self.init(
        "snippet '\(name)' needs a value for \(Complaint.all(places))",
        hint: "\(values) behind its name gives \(places.count == 1 ? "one" : "them")", .usage)
    case .unsafePlace(let place, let name):
      self.init(
        "in snippet '\(name)' no value can safely stand at ${\(place)}",
        hint: "outside of `…`, ((…)), here-documents, comments and nested quotes it can", .usage)
    case .holdsNUL(let name):
      self.init("snippet '\(name)' has a NUL in it, which no command can", .usage)
    case .nothingToChange(let name):
      self.init(
        "nothing is to change of snippet '\(name)'", hint: "/snippets edit \(Words.quoted(name)) TEXT, or a flag",
        .usage)
    case .noneIn(let path): self.init("\(path) has no snippets in it", hint: "/help snippets says what is read", .usage)
    }
  }

  /// `a`, `a and b`, `a, b and c`.
  private static func all(_ words: [String]) -> SafeText {
    guard let last = words.last, words.count > 1 else { return "\(words.first ?? "")" }
    return "\(words.dropLast().joined(separator: ", ")) and \(last)"
  }
}

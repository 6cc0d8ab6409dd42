import Store

/// Where a snippet runs.
enum SnippetPlace: Sendable, Equatable {
  /// It is the next message.
  case message
  /// In the person's own shell, as a `!command` is.
  case shell
  /// In a terminal that outlives us, typed as a command is.
  case terminal(String)

  /// Whether it is read as a command there.
  var isCommand: Bool { self != .message }

  init(_ kind: Snippet.Kind) {
    switch kind {
    case .message: self = .message
    case .shell: self = .shell
    }
  }

  /// nil for a word that names no place.
  init?(_ word: String) {
    if word.hasPrefix("@"), word.count > 1 {
      self = .terminal(String(word.dropFirst()))
      return
    }
    guard let kind = Snippet.Kind(rawValue: word) else { return nil }
    self.init(kind)
  }
}

extension Command {
  /// The first word that no form of the command has a place for; nil when there is none.
  func excess(in arguments: Arguments) -> String? {
    var arguments = arguments
    _ = arguments.takeJSONFlag()
    for flag in flags { while arguments.take(flag) != nil {} }
    let words = arguments.words
    let literal = forms.filter { $0.beginsWithWord && $0.accepts(words) }
    let fitting = literal.isEmpty ? forms.filter { $0.accepts(words) } : literal
    // A word that no form knows is the command's own to complain about.
    guard !fitting.isEmpty, !fitting.contains(where: \.takesTheRest) else { return nil }
    let most = fitting.map(\.parts.count).max() ?? 0
    return words.count > most ? words[most] : nil
  }
}

extension Form {
  fileprivate var beginsWithWord: Bool { if case .word? = parts.first { true } else { false } }

  /// Whether the words it spells out are where it has them.
  fileprivate func accepts(_ words: [String]) -> Bool {
    zip(parts, words).allSatisfy { part, word in
      switch part {
      case .word(let own): own == word
      case .choice(let choices): choices.contains(word)
      case .required, .optional: true
      }
    }
  }

  /// Whether its last argument is prose, or a name of several words.
  fileprivate var takesTheRest: Bool {
    switch parts.last {
    case .required(let parameter), .optional(let parameter):
      [.text, .title, .words, .session, .settingValue, .item, .tools, .program, .promptValues].contains(parameter)
    default: false
    }
  }
}

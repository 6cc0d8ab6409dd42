import Text

/// Keys and passwords that are typed where a message is expected (docs/rules.md C8).
extension Shell {
  /// Asks before a text that looks like a secret is sent as a message; without anybody to ask, `--yes` sends it.
  /// Throws `leftAsItIs` or `secretInMessage`.
  func confirmSecret(in text: String) async throws(ShellError) {
    guard desk.mayBeSecret(text) else { return }
    guard desk.options.canAsk else {
      if desk.options.answersYes { return }
      throw .secretInMessage(LikelySecret.masked(text))
    }
    let masked = Filter.inline(LikelySecret.masked(text), width: 60)
    let place: SafeText = links.nameInUse(desk).map { " to \(Filter.inline($0, width: 40))" } ?? ""
    let question: SafeText = "\(masked) looks like a key or a password. Send it\(place) as a message?"
    // A second try at the key may be typed here.
    guard try await desk.agrees(question, isHidden: true) else {
      throw .leftAsItIs
    }
  }

  /// The same of a question, as far as its text is new.
  func confirmSecret(in next: Next) async throws(ShellError) {
    switch next {
    case .send(.new(let text, _)), .send(.edited(_, let text, _)): try await confirmSecret(in: text)
    case .send(.retry), .send(.continuing), .prompt, .run, .quit: break
    }
  }
}

import Text

/// The part of a request in which a text that looks like a secret would be sent.
package enum SecretPlace: String, Sendable {
  case message
  case systemPrompt = "system prompt"
}

/// Keys and passwords that are typed where a message is expected (docs/rules.md C8).
extension Shell {
  /// Asks before a text that looks like a secret is sent as a message or system prompt; without anybody to ask, `--yes` sends it.
  /// Throws `leftAsItIs` or `secretInMessage`.
  func confirmSecret(in text: String, as place: SecretPlace = .message) async throws(ShellError) {
    guard desk.mayBeSecret(text) else { return }
    guard desk.options.canAsk else {
      if desk.options.answersYes { return }
      throw .secretInMessage(LikelySecret.masked(text), place: place)
    }
    let server: SafeText = links.nameInUse(desk).map { " to \(Filter.inline($0, width: 40))" } ?? ""
    try await confirmUse(of: text, "Send it\(server) as a \(place.rawValue)?")
  }

  /// Asks about a text that looks like a secret, which is shown masked. Throws `leftAsItIs` unless the user agrees.
  private func confirmUse(of text: String, _ question: SafeText) async throws(ShellError) {
    let masked = Filter.inline(LikelySecret.masked(text), width: 60)
    // A second try at the key may be typed here.
    guard try await desk.agrees("\(masked) looks like a key or a password. \(question)", isHidden: true) else {
      throw .leftAsItIs
    }
  }

  /// Whether the line that was just typed may be the password of a sign-in that is still wanted.
  private var mayBeTypedSecret: Bool { desk.isAtPrompt && desk.lacksSignIn && desk.mayBeSecret(lastLine) }

  /// Asks before the user's shell runs a line that may be a password beginning with `!`. Throws `leftAsItIs`.
  func confirmRunning() async throws(ShellError) {
    if mayBeTypedSecret { try await confirmUse(of: lastLine, "Run it in your shell?") }
  }

  /// Refuses a line that names no command and may be a password beginning with `/`, so that it is not shown again.
  func refuseSecretAsCommand() throws(ShellError) {
    if mayBeTypedSecret { throw .secretOnLine }
  }

  /// The same of a question, as far as its text is new.
  func confirmSecret(in next: Next) async throws(ShellError) {
    switch next {
    case .send(.new(let text, _)), .send(.edited(_, let text, _)): try await confirmSecret(in: text)
    case .send(.retry), .send(.continuing), .prompt, .run, .quit: break
    }
  }

  /// Whether a command line has a secret among its arguments: behind a flag such as `--token`, or in the place of a name
  /// on the line of a command that signs in or connects.
  func holdsSecretArgument(_ line: String) -> Bool {
    guard
      case .command(let name, let arguments) = Input(line, names: Commands.names, isPath: desk.world.fileExists)
    else { return false }
    let words = arguments.words
    return words.indices.contains { index in
      let word = words[index]
      if word.hasPrefix("--") {
        let parts = word.split(separator: "=", maxSplits: 1)
        return LikelySecret.isNamed(String(parts[0])) && (parts.count > 1 || index + 1 < words.count)
      }
      switch name {
      // The path given to `--token-file` is not a secret.
      case "login": return index > 0 && words[index - 1].hasPrefix("--") ? false : LikelySecret.mayBePassword(word)
      // Names have digits as well, and addresses have signs.
      case "connect", "server":
        return word.count >= 16 && word.contains(where: \.isNumber) && !word.contains { ".:/".contains($0) }
      default: return false
      }
    }
  }
}

import Chat

/// What was said in a conversation as a gateway is sent it. It knows no calls of tools but its own, which it has carried
/// out: neither those nor what came of them goes back to it (docs/gateway.md 3.3).
struct GatewayHistory: Equatable {
  struct Said: Equatable {
    var role: Role
    var text: String
  }

  var system: String?
  /// In turns; the last is the person's.
  var said: [Said] = []

  /// What stands for a message where an answer is to be gone on with.
  static let goOn = "Your answer was cut off. Go on exactly where it stopped; repeat nothing."

  init(_ messages: [Message]) {
    system = messages.first { $0.role == .system }?.content
    for message in messages where [.user, .assistant].contains(message.role) && !message.content.isEmpty {
      if said.last?.role == message.role {
        said[said.count - 1].text += "\n\n" + message.content
      } else {
        said.append(Said(role: message.role, text: message.content))
      }
    }
    if said.last?.role == .assistant { said.append(Said(role: .user, text: GatewayHistory.goOn)) }
  }

  var question: String { said.last?.text ?? "" }

  /// What the name of a session ends in that was begun by this system prompt, the same in all runs; nothing tells the
  /// prompt by it.
  var systemMark: String { system.map { "-" + Base64URL.encode(Array(sha256($0.utf8).prefix(6))) } ?? "-plain" }

  /// How many messages a server holds that was sent all of it but the question.
  var countBefore: Int { (system == nil ? 0 : 1) + max(0, said.count - 1) }

  /// Tells whether what a server holds is what the person sees: of all but the question.
  var digestBefore: Int { digest(of: said.dropLast()) }

  /// The same once the question is answered.
  func digest(answered answer: String) -> Int { digest(of: said + [Said(role: .assistant, text: answer)]) }

  private func digest(of said: some Sequence<Said>) -> Int {
    var hasher = Hasher()
    hasher.combine(system)
    for one in said {
      hasher.combine(one.role)
      hasher.combine(one.text)
    }
    return hasher.finalize()
  }

  /// All of it as one text, the question last. Each line of what was said before stands behind a bar, so that none of it
  /// can pass for another speaker's.
  var folded: String {
    guard said.count > 1 else { return question }
    let before = said.dropLast().map { one in
      let lines = one.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      return (one.role == .user ? "User:" : "You:") + "\n" + lines.map { "| \($0)" }.joined(separator: "\n")
    }
    return """
      What was said before, each line of it behind a bar:

      \(before.joined(separator: "\n\n"))

      The user now says:

      \(question)
      """
  }
}

import Chat

/// What the model in use reads at once.
extension Link {
  /// In tokens, where it is known.
  var window: Int? { models.first { $0.id == model }?.contextWindow.flatMap { $0 > 0 ? $0 : nil } }
}

extension Links {
  /// What a server says when it refuses counts for more than what its list said.
  mutating func learn(window: Int) {
    guard let index = front?.models.firstIndex(where: { $0.id == front?.model }) else { return }
    front?.models[index].contextWindow = window
  }
}

extension Backend {
  /// Whether each request has the whole conversation: nobody there keeps it, or turns it into something else.
  var isSentAll: Bool { !abilities.contains(.keepsConversations) && agent == nil && sessions == nil }

  /// Whether it can be asked something beside a conversation, of which nothing is left there.
  var answersAside: Bool { isSentAll && abilities.isSuperset(of: [.systemPrompt, .sampling]) }
}

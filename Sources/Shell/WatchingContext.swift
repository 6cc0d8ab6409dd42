import Chat
import Store
import Text

/// What an answer says of how much was read for it.
extension Shell {
  /// From this share on the prompt shows how much is used, and from the next one on it is said, in percent.
  static let (shownFrom, saidFrom) = (50, 80)

  /// Says how full the context is when most of it is used, and when the server has not read all that it was sent.
  mutating func noteContext(_ outcome: Outcome, _ turn: TurnUnderWay) async {
    guard let link = links.front, link.backend.isSentAll else { return }
    if case .contextExceeded(let words, let tokens, let window) = outcome.error {
      // A sum with what the answer may have says nothing of the messages.
      learn(from: turn, words.lowercased().contains("completion") ? nil : tokens, window)
    }
    if [.complete, .length].contains(outcome.status) { talk.refused = nil }
    if let read = outcome.growing.usage?.promptTokens, read > 0 { tellOfDropping(read, turn) }
    await goOnFromSummary()
    guard let window = link.window, let last = talk.conversation.path.last, let now = contextUse?.percent else {
      return
    }
    let before = ContextUse(
      tokens: talk.conversation.tokens(before: .retry(last)).count, isCounted: true, window: window)
    guard now >= Shell.saidFrom, (before.percent ?? 0) < Shell.saidFrom else { return }
    let model: SafeText = "\(link.model ?? link.server.name)"
    desk.say(desk.asTyped(ContextPage.warning(now, of: window, model: model)), .warning)
  }

  /// A server that refuses says how much it was, and how much it takes: what is asked next need not be refused.
  private mutating func learn(from turn: TurnUnderWay, _ tokens: Int?, _ window: Int?) {
    if let window, window > 0 { links.learn(window: window) }
    guard let tokens, tokens > 0 else { return }
    talk.refused = RefusedPrompt(
      session: talk.conversation.session.id, turn: talk.conversation.path.last?.id, server: links.link.server.url,
      model: links.link.model, tokens: tokens,
      reckoned: talk.conversation.reckonedTokens(before: .new("")) + turn.question.tokens)
  }

  /// Each request has what the one before had and more, so that a server that counts less has left something out; and no
  /// tokenizer makes less of a text than it has words.
  private mutating func tellOfDropping(_ read: Int, _ turn: TurnUnderWay) {
    guard let own = talk.conversation.path.last else { return }
    let before = talk.conversation.path.dropLast().sent.filter(\.isSent)
    let counted = CountedPrompt(
      tokens: read, turns: before.map(\.id) + [own.id], server: links.link.server.url, model: links.link.model,
      systemPrompt: talk.conversation.session.systemPrompt, tools: turn.offered.map(\.tool.name))
    // A few may go with a frame that changes, and a tokenizer may be of a new kind.
    var least = turn.messages.fewestTokens * 3 / 4
    if let earlier = talk.counted, earlier.isWithin(counted) {
      least = max(least, (earlier.tokens + turn.question.text.fewestTokens) * 9 / 10)
    }
    talk.counted = counted
    guard read < least, least - read > 64, desk.said.insert("dropped \(own.session) \(counted.model ?? "")").inserted
    else { return }
    desk.warn(desk.asTyped(ContextPage.dropped(read: read, least: least, mayLeaveOut: !before.isEmpty)))
  }
}

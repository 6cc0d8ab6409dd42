import Chat
import Store

/// What a conversation takes of what a model reads at once, as its server counted, and reckoned where it did not.
extension Conversation {
  /// What the next message goes with.
  /// - Parameters:
  ///   - window: what the model reads at once, where it is known.
  ///   - server: the name of the one in use: what another counted is no more than near.
  ///   - last: what is known of the last answer.
  func contextUse(of window: Int?, by server: String, since last: CountedPrompt? = nil) -> ContextUse {
    let sent = path[...].sent
    let (count, isCounted) = tokens(before: .new(""), since: last)
    return ContextUse(
      tokens: count, isCounted: isCounted && sent.last { $0.countedTokens != nil }?.answer?.server == server,
      window: window, sent: sent.filter(\.isSent).map(\.number),
      leftOut: path[..<sent.startIndex].map(\.number))
  }

  /// About how many tokens a request takes without its question, and whether a server has counted all of them.
  /// - Parameter known: what is known of the last answer of this run.
  func tokens(before question: Question, since known: CountedPrompt? = nil) -> (count: Int, isCounted: Bool) {
    let sent = sent(before: question)
    guard let last = sent.lastIndex(where: { $0.countedTokens != nil }), let counted = sent[last].countedTokens else {
      return (reckonedTokens(before: question), false)
    }
    // It may have been counted with turns that are not sent any more, or without some that are again.
    let before = path(before: question)
    let then = known.flatMap { $0.turns.last == sent[last].id ? $0 : nil }
    if let then, then.systemPrompt != session.systemPrompt || !Set(before.map(\.id)).isSuperset(of: then.turns) {
      return (reckonedTokens(before: question), false)
    }
    let first = then?.turns.first
    let begin = before[...last].firstIndex { $0.id == first } ?? before.contextStart(asOf: sent[last].number)
    let (whole, left) = (before[begin...last].tokens, before[sent.startIndex...last].tokens)
    // Before the first that is sent nothing was counted.
    let isSame = before[min(begin, sent.startIndex)..<max(begin, sent.startIndex)].allSatisfy { !$0.isSent }
    let share = !isSame && whole > 0 ? Double(left) / Double(whole) : 1
    let since = sent[(last + 1)...].tokens
    return (Int(min(1e15, Double(counted) * share)) + since, isSame && since == 0)
  }

  /// The same by its words alone, whatever was counted.
  func reckonedTokens(before question: Question) -> Int {
    (session.systemPrompt?.tokens ?? 0) + sent(before: question).tokens
  }

  /// How many of the oldest turns must be left out for the rest to take no more than so many tokens.
  /// - Parameter tokens: what all of them take.
  func turnsToLeaveOut(before question: Question, of tokens: Int, within room: Int) -> Int {
    let sent = sent(before: question)
    let reckoned = sent.tokens
    guard tokens > room, reckoned > 0 else { return 0 }
    // What a turn takes is reckoned; all of them together was counted.
    let scale = Double(tokens) / Double(reckoned)
    var left = Double(tokens)
    var count = 0
    for turn in sent where left > Double(room) {
      left -= Double(turn.tokens) * scale
      count += 1
    }
    return count
  }
}

extension Question {
  /// About what its own words take, with what goes along.
  var tokens: Int {
    let begun: Int = if case .continuing(let turn) = self { turn.answer?.text.tokens ?? 0 } else { 0 }
    return text.tokens + files.map(\.tokens).reduce(0, +) + begun
  }
}

extension ArraySlice<Turn> {
  fileprivate var tokens: Int { map(\.tokens).reduce(0, +) }
}

extension Turn {
  /// About what its words take; nothing where nothing came of it, for it is not sent.
  fileprivate var tokens: Int {
    guard isSent else { return 0 }
    let steps = steps.flatMap(\.messages).map(\.content.tokens).reduce(0, +)
    return question.tokens + (answer?.text.tokens ?? 0) + steps + files.map(\.tokens).reduce(0, +)
  }

  /// What the conversation took up to its end, as a server counted; nil where none did.
  fileprivate var countedTokens: Int? {
    // What is in a history may be of any program.
    let sound = 1...1_000_000_000_000
    guard isSent, let answer, let prompt = answer.usage?.promptTokens, sound.contains(prompt) else { return nil }
    guard let written = answer.usage?.completionTokens, sound.contains(written) else {
      return prompt + answer.text.tokens
    }
    // What was thought is not sent again.
    let (said, thought) = (answer.text.utf8.count, answer.reasoning.utf8.count)
    return prompt + (thought == 0 ? written : Int(Double(written) * Double(said) / Double(said + thought)))
  }
}

extension String {
  /// About so many tokens: a token is four bytes or more of most texts, and a message has a frame.
  fileprivate var tokens: Int { utf8.count / 4 + 4 }
}

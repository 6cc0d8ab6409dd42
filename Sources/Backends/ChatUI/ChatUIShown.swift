import Chat

/// What of an answer was handed out, so that nothing is handed out twice and nothing is left out, however often the answer
/// is begun to be listened to.
struct ChatUIShown {
  private(set) var text: String
  private(set) var thoughts: String
  /// How many characters that are no blanks come again: what is written down on the server may be less than was heard.
  private var knownText = 0
  private var knownThoughts = 0
  /// How many bytes of the text stood before the last thing that was done.
  private var base: Int

  /// - Parameter before: how much of the text stands in earlier steps of the turn.
  init(text: String = "", thoughts: String = "", before: Int = 0) {
    self.text = text
    self.thoughts = thoughts
    base = before
  }

  /// What is kept of an answer that is gone on with. - Parameter messages: those of the conversation.
  init(behind messages: [Message]) {
    let said = messages.reversed().prefix { $0.role != .user }.filter { $0.role == .assistant }.reversed()
    self.init(
      text: said.map(\.content).joined(), thoughts: said.last?.reasoning ?? "",
      before: said.dropLast().map(\.content).joined().utf8.count)
  }

  /// Whether what comes is heard already.
  var isBehind: Bool { knownText > 0 }

  /// Something was done: what is said now follows it.
  mutating func note(_ activity: Activity) { base = text.utf8.count }

  /// What of the events is new.
  mutating func take(_ events: [ChatEvent]) -> [ChatEvent] {
    events.compactMap { event in
      switch event {
      case .text(let piece):
        let fresh = ChatUIShown.fresh(piece, &knownText)
        return fresh.isEmpty ? nil : add(fresh).map { .text($0) }
      case .reasoning(let piece):
        let fresh = ChatUIShown.fresh(piece, &knownThoughts)
        thoughts += fresh
        return fresh.isEmpty ? nil : .reasoning(fresh)
      default: return event
      }
    }
  }

  /// What was done stands between: a break there is one already.
  private mutating func add(_ piece: String) -> String? {
    let isFirst = base > 0 && text.utf8.dropFirst(base).allSatisfy { $0 == 0x0A || $0 == 0x0D }
    text += piece
    let kept = isFirst ? String(piece.drop(while: \.isNewline)) : piece
    return kept.isEmpty ? nil : kept
  }

  private static func fresh(_ piece: String, _ known: inout Int) -> String {
    guard known > 0 else { return piece }
    var rest = piece[...]
    while known > 0, let character = rest.popFirst() {
      if !character.isWhitespace { known -= 1 }
    }
    return String(rest)
  }

  /// The answer as a look at the server shows it.
  /// - Parameter isOver: whether nothing more comes of it; else less than was heard is no other text.
  mutating func see(_ seen: ChatUIText, isOver: Bool) -> [ChatEvent] {
    (knownText, knownThoughts) = (0, 0)
    var events: [ChatEvent] = []
    if let rest = seen.thoughts.rest(behind: thoughts) {
      if !rest.isEmpty { events += take([.reasoning(String(rest))]) }
    } else if let more = thoughts.rest(behind: seen.thoughts) {
      knownThoughts = more.count { !$0.isWhitespace }
    }
    if let more = text.rest(behind: seen.text), !isOver {
      knownText = more.count { !$0.isWhitespace }
    } else {
      events += stand(at: seen.text)
    }
    return events
  }

  /// The whole of the text is this: the rest of it, or all where it is another one.
  mutating func stand(at whole: String) -> [ChatEvent] {
    knownText = 0
    if let rest = whole.rest(behind: text) {
      return rest.allSatisfy(\.isWhitespace) ? [] : take([.text(String(rest))])
    }
    let before = text.utf8.prefix(base)
    let part =
      whole.utf8.starts(with: before)
      ? String(decoding: whole.utf8.dropFirst(base), as: UTF8.self).drop(while: \.isNewline) : whole[...]
    text = whole
    return [.revised(String(part))]
  }
}

import Chat
package import Store

/// The session that messages go to: what is stored of it, and the turns from its root to where it stands.
struct Conversation {
  var session: Session
  /// Oldest first; the last is the session's head.
  var path: [Turn]
  /// Whether the history has it.
  var isStored: Bool
  /// Whether what became of it elsewhere is known in this run.
  var isCaughtUp = false

  /// A new one, stored with its first message.
  init(systemPrompt: String?, title: String? = nil) {
    session = Session(title: title, systemPrompt: systemPrompt)
    path = []
    isStored = false
  }

  /// One that goes on.
  init(_ session: Session, path: [Turn]) {
    self.session = session
    self.path = path
    isStored = true
  }

  /// What the server is sent: the system prompt, the turns that have both sides, the question.
  func messages(asking question: Question) -> [Message] {
    var messages: [Message] = []
    if let prompt = session.systemPrompt, !prompt.isEmpty { messages.append(Message(.system, prompt)) }
    for turn in path(before: question) {
      // A question without an answer would stand beside the next one, which many chat templates refuse.
      if turn.isUnanswered { continue }
      let answer = turn.answer?.text ?? ""
      messages.append(Message(.user, turn.question))
      messages += turn.steps.flatMap(\.messages)
      // What tools did is not forgotten, and the next question has an answer before it.
      messages.append(Message(.assistant, answer.isEmpty ? "[interrupted]" : answer))
    }
    switch question {
    case .new(let text): messages.append(Message(.user, text))
    case .retry(let turn): messages.append(Message(.user, turn.question))
    case .edited(_, let text): messages.append(Message(.user, text))
    case .continuing(let turn):
      messages.append(Message(.user, turn.question))
      messages += turn.steps.flatMap(\.messages)
      if let answer = turn.answer, !answer.text.isEmpty { messages.append(Message(.assistant, answer.text)) }
    }
    return messages
  }

  private func path(before question: Question) -> ArraySlice<Turn> {
    switch question {
    case .new: path[...]
    case .retry(let turn), .continuing(let turn), .edited(let turn, _): path.prefix { $0.id != turn.id }
    }
  }

  /// What a new turn goes on from: the history knows nothing of a turn that it could not keep.
  func parent(of question: Question) -> TurnID? {
    path(before: question).last(where: \.isKept)?.id
  }

  /// Puts the turn that answers a question at the end of the path, in place of the one it is an alternative to.
  mutating func stand(at turn: Turn, answering question: Question) {
    path = Array(path(before: question)) + [turn]
    if turn.isKept { session.head = turn.id }
  }
}

extension Conversation {
  /// Where in a conversation that its server keeps a message goes (docs/chatui.md 4).
  func place(of question: Question) -> RemotePlace {
    switch question {
    case .new: break
    case .retry(let turn):
      if let answer = turn.remote?.answer { return .again(answer: answer) }
      if let asked = turn.remote?.question { return .instead(question: asked) }
    case .edited(let turn, _):
      if let asked = turn.remote?.question { return .instead(question: asked) }
    case .continuing(let turn):
      if let name = turn.remote { return .running(name) }
    }
    let before = path(before: question)
    // What was never asked is not there.
    guard let last = before.last(where: { $0.remote != nil || !$0.isUnanswered }) else { return .atStart }
    return last.remote?.answer.map { .after($0) } ?? .atEnd
  }
}

extension Turn {
  /// Whether nothing came of it: the next request leaves it out.
  var isUnanswered: Bool { (answer?.text ?? "").isEmpty && steps.isEmpty }
}

/// What is asked of a model.
package enum Question: Sendable, Equatable {
  case new(String)
  /// The same message again; the earlier answer is kept as a sibling.
  case retry(Turn)
  /// Another message in the place of this turn's, which is kept as a sibling.
  case edited(Turn, text: String)
  /// Go on with this turn's unfinished answer.
  case continuing(Turn)

  /// With something joined to a new message; what is asked again has its own.
  func attaching(_ attachment: String) -> Question {
    guard !attachment.isEmpty else { return self }
    return switch self {
    case .new(let text): .new(text + "\n\n" + attachment)
    case .edited(let turn, let text): .edited(turn, text: text + "\n\n" + attachment)
    case .retry, .continuing: self
    }
  }

  /// The message itself.
  var text: String {
    switch self {
    case .new(let text), .edited(_, let text): text
    case .retry(let turn), .continuing(let turn): turn.question
    }
  }
}

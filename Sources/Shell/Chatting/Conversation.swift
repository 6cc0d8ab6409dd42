package import Chat
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

  /// What the server is sent: the system prompt, the turns that have both sides, the question. Turns that were left out
  /// (docs/shell.md 10) are not.
  func messages(asking question: Question, as form: AttachmentForm = .images) -> [Message] {
    var messages: [Message] = []
    if let prompt = session.systemPrompt, !prompt.isEmpty { messages.append(Message(.system, prompt)) }
    for turn in sent(before: question) {
      guard turn.isSent else { continue }
      let answer = turn.answer?.text ?? ""
      messages.append(Message(asking: turn.question, with: turn.files, as: form))
      messages += turn.steps.flatMap(\.messages)
      // What tools did is not forgotten, and the next question has an answer before it.
      messages.append(Message(.assistant, answer.isBlank ? "[interrupted]" : answer))
    }
    messages.append(Message(asking: question.text, with: question.files, as: form))
    if case .continuing(let turn) = question {
      messages += turn.steps.flatMap(\.messages)
      if let answer = turn.answer, !answer.text.isBlank { messages.append(Message(.assistant, answer.text)) }
    }
    return messages
  }

  /// Whether a question and what it follows have images.
  func hasImages(asking question: Question) -> Bool {
    question.hasImages || sent(before: question).contains { $0.files.contains { $0.image != nil } }
  }

  /// The turns that a question follows.
  func path(before question: Question) -> ArraySlice<Turn> {
    switch question {
    case .new: path[...]
    case .retry(let turn), .continuing(let turn), .edited(let turn, _, _): path.prefix { $0.id != turn.id }
    }
  }

  /// Whether it has turns that the history could not keep.
  var hasUnsaved: Bool { path.contains { !$0.isKept } }

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
    case .edited(let turn, _, _):
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
  /// Whether what follows it is sent with it. A question without an answer would stand beside the next one, which many chat
  /// templates refuse; and half a summary is no part of what it sums up.
  var isSent: Bool { !isUnanswered && (question != ContextPage.request || isSummary) }

  /// Whether the answer is empty, so that the next request leaves it out. White space alone counts as empty: many servers
  /// refuse every later request that contains it.
  var isUnanswered: Bool { (answer?.text ?? "").isBlank && steps.isEmpty }
}

extension String {
  /// Whether the text is empty or only white space.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

/// What is asked of a model.
package enum Question: Sendable, Equatable {
  case new(String, files: [AttachedFile] = [])
  /// The same message again; the earlier answer is kept as a sibling.
  case retry(Turn)
  /// Another message in the place of this turn's, which is kept as a sibling.
  case edited(Turn, text: String, files: [AttachedFile] = [])
  /// Go on with this turn's unfinished answer.
  case continuing(Turn)

  /// With something joined to a new message; what is asked again has its own.
  func attaching(_ attachment: String) -> Question {
    guard !attachment.isEmpty else { return self }
    return replacing(text + "\n\n" + attachment, files)
  }

  /// With these files beside it.
  func with(_ files: [AttachedFile]) -> Question {
    switch self {
    case .new, .edited: return replacing(text, files)
    case .retry(var turn):
      turn.files = files
      return .retry(turn)
    case .continuing(var turn):
      turn.files = files
      return .continuing(turn)
    }
  }

  /// With its texts among the words of a new message, where a server that takes files is to be told what others are.
  var withTextsInWords: Question {
    let texts = files.filter { $0.image == nil }
    return replacing(([text] + texts.map(\.block)).joined(separator: "\n\n"), files.filter { $0.image != nil })
  }

  private func replacing(_ text: String, _ files: [AttachedFile]) -> Question {
    switch self {
    case .new: .new(text, files: files)
    case .edited(let turn, _, _): .edited(turn, text: text, files: files)
    case .retry, .continuing: self
    }
  }

  /// The turn that is asked about again.
  var turn: Turn? {
    switch self {
    case .new: nil
    case .retry(let turn), .continuing(let turn), .edited(let turn, _, _): turn
    }
  }

  /// The same of its turn as it is now.
  func of(_ turn: Turn) -> Question {
    switch self {
    case .new: self
    case .retry: .retry(turn)
    case .continuing: .continuing(turn)
    case .edited(_, let text, let files): .edited(turn, text: text, files: files)
    }
  }

  /// The message itself.
  var text: String {
    switch self {
    case .new(let text, _), .edited(_, let text, _): text
    case .retry(let turn), .continuing(let turn): turn.question
    }
  }

  /// What goes along with it.
  var files: [AttachedFile] {
    switch self {
    case .new(_, let files), .edited(_, _, let files): files
    case .retry(let turn), .continuing(let turn): turn.files
    }
  }

  var hasImages: Bool { files.contains { $0.image != nil } }

  /// Whether what waits goes along with it.
  var isNew: Bool {
    switch self {
    case .new, .edited: true
    case .retry, .continuing: false
    }
  }
}

package import Chat

/// A session's name for life: a lower-case UUID.
package struct SessionID: Sendable, Hashable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func random() -> SessionID { SessionID(randomID()) }

  package var description: String { text }
}

/// A turn's name within this history; people use its number within the session instead.
package struct TurnID: Sendable, Hashable {
  package let key: Int64
}

/// A conversation as it is stored. Moments are milliseconds since 1970.
package struct Session: Sendable, Equatable {
  package var id: SessionID
  package var title: String?
  /// A title given by the person is never replaced by an automatic one.
  package var titleIsManual = false
  package var systemPrompt: String?
  package var sampling: Sampling
  package var server: Server?
  package var model: String?
  /// The server's own name for the conversation, where it keeps conversations itself.
  package var remote: String?
  package var createdAt = 0
  package var updatedAt = 0
  /// The turn the conversation goes on from: as stored, or as this shell last knew it.
  package var head: TurnID?
  package var isArchived = false
  package var isPinned = false
  /// Words that the person put to it, in their order.
  package var tags: [String] = []

  /// A session that is stored with its first message.
  package init(
    id: SessionID = .random(), title: String? = nil, systemPrompt: String? = nil, sampling: Sampling = Sampling(),
    server: Server? = nil, model: String? = nil
  ) {
    self.id = id
    self.title = title
    titleIsManual = title != nil
    self.systemPrompt = systemPrompt
    self.sampling = sampling
    self.server = server
    self.model = model
  }
}

/// A row of a list of sessions.
package struct SessionSummary: Sendable, Equatable {
  package var id: SessionID
  /// nil until there is one; `opening` stands for it.
  package var title: String?
  /// The beginning of the first message, on one line.
  package var opening: String
  package var createdAt: Int
  package var updatedAt: Int
  package var model: String?
  package var server: String?
  package var turns: Int
  /// Of the answer the session goes on from; nil when it has none yet or is being written.
  package var lastStatus: AnswerStatus?
  package var isArchived: Bool
  package var isPinned: Bool
  package var tags: [String] = []

  /// The title, or what stands for it.
  package var name: String { title ?? opening }
}

/// A message and its answer.
package struct Turn: Sendable, Equatable {
  package var id: TurnID
  package var session: SessionID
  /// Counted from 1 within the session in order of creation.
  package var number: Int
  package var parent: TurnID?
  package var createdAt: Int
  package var question: String
  /// What went along with it; what is read from the history is without its bytes (`History.reading`).
  package var files: [AttachedFile] = []
  /// The rounds with tools that came before the answer, in order.
  package var steps: [ToolStep] = []
  /// nil when the program died before the answer began.
  package var answer: StoredAnswer?
  /// What the server calls its two messages, where it keeps conversations itself and has told.
  package var remote: RemoteName?
  /// Set where what a model is sent begins with this turn: the number of the turn that was the last when that was chosen.
  package var contextStart: Int?
  /// The same where this turn, and all before it, are left out.
  package var contextEnd: Int?
}

/// An answer as it is kept.
package struct StoredAnswer: Sendable, Equatable {
  package var text: String
  package var reasoning: String
  /// nil while a process writes it.
  package var status: AnswerStatus?
  package var model: String?
  /// The name of the server.
  package var server: String?
  /// Why it failed, in words.
  package var error: String?
  package var usage: Usage?
  package var timing: Timing?

  package init(
    text: String, reasoning: String = "", status: AnswerStatus?, model: String? = nil, server: String? = nil,
    error: String? = nil, usage: Usage? = nil, timing: Timing? = nil
  ) {
    self.text = text
    self.reasoning = reasoning
    self.status = status
    self.model = model
    self.server = server
    self.error = error
    self.usage = usage
    self.timing = timing
  }
}

/// A message about to be sent. Every turn it names must be kept (`Turn.isKept`): for any other `ask` throws `noTurn` and
/// stores nothing. After a turn that could not be kept, the last kept turn above it is the parent; to retry such a
/// turn, its text is the question, not a copy of it.
package struct NewTurn: Sendable {
  package enum Question: Sendable, Equatable {
    case text(String)
    /// The same again, for `/retry`: a sibling with a copy of the message of that turn, which must be kept, and of what
    /// went along with it.
    case copy(of: TurnID)
  }

  /// Stored when it is not yet; its `server` and `model` become the session's. Its `head` is where this shell
  /// believes the session to be.
  package var session: Session
  /// What it goes on from: a kept turn of this session; nil begins at the root, as the first of a new session does. A
  /// retry or an edit has the parent of the turn it replaces.
  package var parent: TurnID?
  package var question: Question
  /// What goes along with it; a copy has its own.
  package var files: [AttachedFile]
  /// Whether this process is about to ask it: until its answer ends the turn is this process's, and if that dies before
  /// the first word, the next start finds that it was cut off.
  package var isBeingAsked: Bool

  package init(
    session: Session, parent: TurnID?, question: Question, files: [AttachedFile] = [], isBeingAsked: Bool = false
  ) {
    self.isBeingAsked = isBeingAsked
    self.session = session
    self.parent = parent
    self.question = question
    self.files = files
  }
}

/// A message that is on disk.
package struct StoredTurn: Sendable, Equatable {
  package var id: TurnID
  package var number: Int
  package var parent: TurnID?
  /// Another shell had moved the session on in between; this turn is a branch beside its turns.
  package var becameBranch: Bool
}

/// What a word or two for a session stands for.
package enum SessionMatch: Sendable, Equatable {
  case none
  case one(SessionSummary)
  /// The nearest, best first, and how many there are in all.
  case several([SessionSummary], count: Int)
}

/// A lower-case version 4 UUID (RFC 9562, section 5.4).
package func randomID() -> String {
  var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
  bytes[6] = bytes[6] & 0x0f | 0x40
  bytes[8] = bytes[8] & 0x3f | 0x80
  let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
  return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }.joined(separator: "-")
}

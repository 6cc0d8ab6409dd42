package import Chat

/// A session with all that is kept of it, on every branch, without anything that only this history's file knows: what an
/// export is made of, and what an import is read into. Turns are named by their numbers.
package struct KeptSession: Sendable, Equatable {
  /// Its `head` is nil: see `head`.
  package var session: Session
  /// The beginning of the first message, on one line.
  package var opening: String
  /// The number of the turn that it goes on from.
  package var head: Int?
  /// By their numbers.
  package var turns: [KeptTurn]

  package init(_ session: Session, opening: String, head: Int?, turns: [KeptTurn]) {
    self.session = session
    self.session.head = nil
    self.opening = opening
    self.head = head
    self.turns = turns
  }
}

/// A message with its answer, as rows have it.
package struct KeptTurn: Sendable, Equatable {
  package var number: Int
  /// The number of the turn that it goes on from.
  package var parent: Int?
  /// In milliseconds since 1970.
  package var createdAt: Int
  package var remote: RemoteName?
  /// One whose bytes stood with an earlier turn of the same session has only their digest.
  package var files: [AttachedFile]
  /// The question, the rounds with tools, and the answer.
  package var messages: [KeptMessage]
  /// As `Turn.contextStart` and `Turn.contextEnd`.
  package var contextStart: Int?
  package var contextEnd: Int?

  package init(
    number: Int, parent: Int?, createdAt: Int, remote: RemoteName? = nil, files: [AttachedFile] = [],
    messages: [KeptMessage]
  ) {
    self.number = number
    self.parent = parent
    self.createdAt = createdAt
    self.remote = remote
    self.files = files
    self.messages = messages
  }
}

/// One row of a turn.
package struct KeptMessage: Sendable, Equatable {
  /// Its name for life: a lower-case UUID.
  package var id: String
  package var role: Role
  package var content: String
  package var reasoning = ""
  package var createdAt: Int
  /// Of an answer, how it ended.
  package var status: AnswerStatus?
  package var model: String?
  package var server: String?
  package var error: String?
  package var usage = Usage()
  package var firstTokenMs: Int?
  package var totalMs: Int?
  /// Of a round: what the model asked for, as the column holds it.
  package var toolCalls: String?
  /// Of what came of a call: the tool as the model knows it, and which call it was.
  package var toolName: String?
  package var toolCallID: String?
  package var toolStatus: String?
  package var toolResult: String?
  package var toolMs: Int?

  package init(id: String = randomID(), _ role: Role, _ content: String, createdAt: Int) {
    self.id = id
    self.role = role
    self.content = content
    self.createdAt = createdAt
  }
}

package import Chat

/// What a search is limited to.
package struct SearchFilter: Sendable, Equatable {
  /// Parts of their names.
  package var model: String?
  package var server: String?
  /// Milliseconds since 1970; of `until` the first that is too late.
  package var since: Int?
  package var until: Int?
  package var role: Role?
  package var status: AnswerStatus?
  /// The beginning of its id, or a part of its name.
  package var session: String?
  /// Of the session.
  package var tag: String?
  /// Words that may not occur.
  package var excluded: [String] = []

  package init() {}
}

/// A message that was found.
package struct SearchHit: Sendable, Equatable {
  package var session: SessionID
  /// The session's title, or the beginning of its first message.
  package var name: String
  package var turn: TurnID
  package var number: Int
  package var role: Role
  package var createdAt: Int
  package var model: String?
  package var snippet: [Piece]

  /// A stretch of the snippet, found or around it.
  package struct Piece: Sendable, Equatable {
    package var text: String
    package var isMatch: Bool
  }
}

import GRDB

/// Where what is sent of a conversation begins (docs/shell.md 10).
extension History {
  package enum ContextMark: String, Sendable {
    /// With a turn.
    case start = "context_start"
    /// After a turn.
    case end = "context_end"
  }

  /// Has what is sent begin with a turn, or after it. What came before stays in the history, and in its place.
  /// - Parameter last: the number of the turn that the conversation stands at, for `Turn.contextStart`.
  package func mark(_ turn: TurnID, _ mark: ContextMark, last: Int) async throws(HistoryError) {
    try await change { db in
      try db.execute(sql: "UPDATE turn SET \(mark.rawValue) = ? WHERE key = ?", arguments: [last, turn.key])
      guard db.changesCount > 0 else { throw HistoryError.noTurn }
    }
  }

  /// Has all of these turns be sent again.
  package func clearContext(of turns: [TurnID]) async throws(HistoryError) {
    try await change { db in
      for turn in turns {
        try db.execute(
          sql: "UPDATE turn SET context_start = NULL, context_end = NULL WHERE key = ?", arguments: [turn.key])
      }
    }
  }
}

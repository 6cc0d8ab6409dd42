import Chat
import GRDB

/// Whether an answer can be gone on with.
package enum Continuation: Sendable, Equatable {
  /// Nobody writes it: the turn with its newest stored answer, which a copy read earlier may lack the end of. One that
  /// a process left unfinished when it ended counts as interrupted.
  case free(Turn)
  /// Another live process writes it.
  case beingWritten
}

extension History {
  /// Reads a turn anew before its answer is gone on with. Nothing is reserved: of two shells that go on at once, the
  /// one that saves second is refused by `finish`. Throws `noTurn` when there is no such turn.
  package func resumeAnswer(of turn: TurnID) async throws(HistoryError) -> Continuation {
    try await read { db in
      guard var found = try db.turn(turn) else { throw HistoryError.noTurn }
      if try LastWriter(of: turn, in: db)?.isWritingElsewhere == true { return .beingWritten }
      if found.answer != nil, found.answer?.status == nil { found.answer?.status = .interrupted }
      return .free(found)
    }
  }
}

/// Who last saved something of what follows a question: the answer, or the step that waits for one. The owner stays in
/// the row when the answer ends.
struct LastWriter {
  private let owner: String?
  private let isUnfinished: Bool
  /// What another process wrote of the answer, which one that goes on begins with; empty for a step. nil where the row is
  /// this process's own: it may be megabytes, and is not fetched each second.
  private let theirs: (text: String, reasoning: String)?

  /// nil when nothing is saved but the question.
  init?(of turn: TurnID, in db: Database) throws {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT owner, status, CASE WHEN tool_calls IS NULL AND owner IS NOT ?1 THEN content END AS text,
          CASE WHEN tool_calls IS NULL AND owner IS NOT ?1 THEN reasoning END AS reasoning
        FROM message WHERE turn = ?2 AND role = 'assistant' ORDER BY position DESC LIMIT 1
        """, arguments: [Owner.current.text, turn.key])
    guard let row else { return nil }
    owner = row.value("owner")
    isUnfinished = row.value("status") == "streaming"
    let (text, reasoning): (String?, String?) = (row.value("text"), row.value("reasoning"))
    theirs = owner == Owner.current.text ? nil : (text ?? "", reasoning ?? "")
  }

  var isWritingElsewhere: Bool {
    theirs != nil && isUnfinished && owner.flatMap { Owner($0) }?.isAlive == true
  }

  /// Refuses what would replace what another process writes, or does not go on from what it wrote.
  func allow(_ newText: String, _ newReasoning: String) throws(HistoryError) {
    guard let theirs else { return }
    guard !isWritingElsewhere, newText.utf8.starts(with: theirs.text.utf8),
      newReasoning.utf8.starts(with: theirs.reasoning.utf8)
    else { throw .answeredElsewhere }
  }
}

import Chat
import GRDB
import Wire

/// The rows of a turn behind its question: its steps with their calls, then its answer.
///
/// A step's row is `streaming` while the turn goes on from it, as an answer's is while it grows: that is how another
/// process, and the next start, know that the turn has no end yet.
struct Answering {
  let db: Database
  let turn: TurnID
  let moment: Int

  /// The key of the row of the turn's open answer, which goes behind everything there is of the turn. It is found first
  /// and then changed by its key: an upsert would hold the text three times more.
  private func openAnswer() throws -> Int64 {
    let found = try Int64.fetchOne(
      db,
      sql: """
        SELECT key FROM message WHERE turn = ? AND role = 'assistant' AND tool_calls IS NULL
        ORDER BY position DESC LIMIT 1
        """, arguments: [turn.key])
    if let found { return found }
    try db.execute(
      sql: """
        INSERT INTO message (id, turn, position, role, content, created_at, status, owner, model, server)
          SELECT ?, turn.key, coalesce((SELECT max(position) FROM message WHERE turn = turn.key) + 1, 1), 'assistant', '',
            ?, 'streaming', ?, session.model, session.server_name
          FROM turn JOIN session ON session.key = turn.session WHERE turn.key = ?
        """, arguments: [randomID(), moment, Owner.current.text, turn.key])
    guard db.changesCount > 0 else { throw HistoryError.noTurn }
    return db.lastInsertedRowID
  }

  func grow(_ snapshot: Growth.Snapshot) throws {
    let (text, reasoning) = (snapshot.text.keepable, snapshot.reasoning.keepable)
    try LastWriter(of: turn, in: db)?.allow(text, reasoning)
    try settleSteps()
    try db.execute(
      sql: """
        UPDATE message SET content = ?1, reasoning = ?2, status = 'streaming', owner = ?3
        WHERE key = ?4 AND (content <> ?1 OR reasoning <> ?2)
        """,
      arguments: [text, reasoning, Owner.current.text, try openAnswer()])
  }

  /// - Parameter isKnownBetter: whether it is put in the place of what another process wrote, though it does not begin with
  /// that. What is still being written is never replaced.
  func finish(_ answer: StoredAnswer, isKnownBetter: Bool = false) throws {
    let last = try LastWriter(of: turn, in: db)
    if isKnownBetter {
      if last?.isWritingElsewhere == true { throw HistoryError.answeredElsewhere }
    } else {
      try last?.allow(answer.text.keepable, answer.reasoning.keepable)
    }
    try settleSteps()
    try write(answer, as: (answer.status ?? .interrupted).rawValue, calls: nil)
    try db.execute(
      sql: "UPDATE session SET updated_at = ? WHERE key = (SELECT session FROM turn WHERE key = ?)",
      arguments: [moment, turn.key])
  }

  func add(_ step: ToolStep) throws -> StepID {
    try LastWriter(of: turn, in: db)?.allow(step.text.keepable, step.reasoning.keepable)
    try settleSteps()
    let round = StoredAnswer(
      text: step.text, reasoning: step.reasoning, status: nil, model: step.model, usage: step.usage,
      timing: step.timing)
    try write(round, as: "streaming", calls: StoredCall.column(step.calls))
    let last = try Int.fetchOne(db, sql: "SELECT max(position) FROM message WHERE turn = ?", arguments: [turn.key]) ?? 0
    let place = min(last, Int(Int32.max))
    for (index, call) in step.calls.enumerated() {
      try db.execute(
        sql: """
          INSERT INTO message (id, turn, position, role, content, created_at, tool_name, tool_call_id, tool_status,
            tool_result, tool_ms) VALUES (?, ?, ?, 'tool', ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          randomID(), turn.key, place + 1 + index, (call.result?.text ?? "").keepable, moment, call.call.name,
          call.call.id,
          call.result?.status.rawValue, call.result?.whole, call.result?.milliseconds,
        ])
    }
    return StepID(turn: turn, position: place)
  }

  func set(_ calls: [StoredCall], of step: Int) throws {
    if try LastWriter(of: turn, in: db)?.isWritingElsewhere == true { throw HistoryError.answeredElsewhere }
    try db.execute(
      sql: "UPDATE message SET tool_calls = ? WHERE turn = ? AND position = ? AND tool_calls IS NOT NULL",
      arguments: [StoredCall.column(calls), turn.key, step])
    guard db.changesCount > 0 else { throw HistoryError.noTurn }
  }

  /// A call is found by its place, for a model may give two the same id.
  func set(_ result: StoredResult, call index: Int, of step: Int) throws {
    if try LastWriter(of: turn, in: db)?.isWritingElsewhere == true { throw HistoryError.answeredElsewhere }
    try db.execute(
      sql: """
        UPDATE message SET content = ?3, tool_status = ?4, tool_result = ?5, tool_ms = ?6
        WHERE turn = ?1 AND position = ?7 + 1 + ?2 AND ?2 >= 0 AND role = 'tool'
        """,
      arguments: [
        turn.key, index, result.text.keepable, result.status.rawValue, result.whole, result.milliseconds, step,
      ])
    guard db.changesCount > 0 else { throw HistoryError.noTurn }
    // A process that goes on with what another left is its writer now.
    try db.execute(
      sql: """
        UPDATE message SET status = 'streaming', owner = ?2
        WHERE turn = ?1 AND position = ?3 AND owner IS NOT ?2
          AND NOT EXISTS (SELECT 1 FROM message AS later WHERE later.turn = ?1 AND later.position > message.position
            AND later.role = 'assistant')
        """, arguments: [turn.key, Owner.current.text, step])
  }

  /// What comes behind a step ends it. The role is asked first: it stands before a row's text, and the rest behind it,
  /// which for a tool's result may be many pages.
  private func settleSteps() throws {
    try db.execute(
      sql: """
        UPDATE message SET status = ?
        WHERE turn = ? AND role = 'assistant' AND tool_calls IS NOT NULL AND status IS NOT ?
        """,
      arguments: [AnswerStatus.complete.rawValue, turn.key, AnswerStatus.complete.rawValue])
  }

  private func write(_ answer: StoredAnswer, as status: String, calls: String?) throws {
    let values: [(any DatabaseValueConvertible)?] = [
      answer.text.keepable, answer.reasoning.keepable, status, answer.model, answer.server, answer.error?.keepable,
      answer.usage?.promptTokens,
      answer.usage?.completionTokens, answer.usage?.cost, answer.timing?.firstTokenMs, answer.timing?.totalMs,
      Owner.current.text, calls, try openAnswer(),
    ]
    let session = "FROM turn JOIN session ON session.key = turn.session WHERE turn.key = message.turn"
    try db.execute(
      sql: """
        UPDATE message SET content = ?, reasoning = ?, status = ?,
          model = coalesce(?, (SELECT session.model \(session))),
          server = coalesce(?, (SELECT session.server_name \(session))),
          error = ?, prompt_tokens = ?, completion_tokens = ?, cost = ?,
          first_token_ms = ?, total_ms = ?, owner = ?, tool_calls = ?
        WHERE key = ?
        """, arguments: StatementArguments(values))
  }
}

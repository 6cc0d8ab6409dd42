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

  /// Where the open answer of the turn is, or else goes: behind everything there is of it.
  private static let place = """
    coalesce(
      (SELECT position FROM message WHERE turn = turn.key AND role = 'assistant' AND tool_calls IS NULL
        ORDER BY position DESC LIMIT 1),
      (SELECT max(position) FROM message WHERE turn = turn.key) + 1, 1)
    """

  func grow(_ snapshot: Growth.Snapshot) throws {
    try LastWriter(of: turn, in: db)?.allow(snapshot.text)
    try settleSteps()
    try db.execute(
      sql: """
        INSERT INTO message (id, turn, position, role, content, reasoning, created_at, status, owner, model, server)
          SELECT ?, turn.key, \(Answering.place), 'assistant', ?, ?, ?, 'streaming', ?, session.model, session.server_name
          FROM turn JOIN session ON session.key = turn.session WHERE turn.key = ?
        ON CONFLICT (turn, position) DO UPDATE SET content = excluded.content, reasoning = excluded.reasoning,
          status = 'streaming', owner = excluded.owner
          WHERE content <> excluded.content OR reasoning <> excluded.reasoning
        """,
      arguments: [randomID(), snapshot.text, snapshot.reasoning, moment, Owner.current.text, turn.key])
  }

  func finish(_ answer: StoredAnswer) throws {
    try LastWriter(of: turn, in: db)?.allow(answer.text)
    try settleSteps()
    try write(answer, as: (answer.status ?? .interrupted).rawValue, calls: nil)
    try db.execute(
      sql: "UPDATE session SET updated_at = ? WHERE key = (SELECT session FROM turn WHERE key = ?)",
      arguments: [moment, turn.key])
  }

  func add(_ step: ToolStep) throws -> StepID {
    try LastWriter(of: turn, in: db)?.allow(step.text)
    try settleSteps()
    let round = StoredAnswer(
      text: step.text, reasoning: step.reasoning, status: nil, model: step.model, usage: step.usage,
      timing: step.timing)
    try write(round, as: "streaming", calls: StoredCall.column(step.calls))
    let place =
      try Int.fetchOne(db, sql: "SELECT max(position) FROM message WHERE turn = ?", arguments: [turn.key]) ?? 0
    for (index, call) in step.calls.enumerated() {
      try db.execute(
        sql: """
          INSERT INTO message (id, turn, position, role, content, created_at, tool_name, tool_call_id, tool_status,
            tool_result, tool_ms) VALUES (?, ?, ?, 'tool', ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          randomID(), turn.key, place + 1 + index, call.result?.text ?? "", moment, call.call.name, call.call.id,
          call.result?.status.rawValue, call.result?.whole, call.result?.milliseconds,
        ])
    }
    return StepID(turn: turn, position: place)
  }

  /// A call is found by its place, for a model may give two the same id.
  func set(_ result: StoredResult, call index: Int, of step: Int) throws {
    if try LastWriter(of: turn, in: db)?.isWritingElsewhere == true { throw HistoryError.answeredElsewhere }
    try db.execute(
      sql: """
        UPDATE message SET content = ?3, tool_status = ?4, tool_result = ?5, tool_ms = ?6
        WHERE turn = ?1 AND position = ?7 + 1 + ?2 AND ?2 >= 0 AND role = 'tool'
        """,
      arguments: [turn.key, index, result.text, result.status.rawValue, result.whole, result.milliseconds, step])
    guard db.changesCount > 0 else { throw HistoryError.noTurn(Int(turn.key)) }
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
      randomID(), answer.text, answer.reasoning, moment, status, answer.model, answer.server, answer.error,
      answer.usage?.promptTokens, answer.usage?.completionTokens, answer.usage?.cost, answer.timing?.firstTokenMs,
      answer.timing?.totalMs, Owner.current.text, calls, turn.key,
    ]
    try db.execute(
      sql: """
        INSERT INTO message (id, turn, position, role, content, reasoning, created_at, status, model, server, error,
          prompt_tokens, completion_tokens, cost, first_token_ms, total_ms, owner, tool_calls)
          SELECT ?, turn.key, \(Answering.place), 'assistant', ?, ?, ?, ?, coalesce(?, session.model),
            coalesce(?, session.server_name), ?, ?, ?, ?, ?, ?, ?, ?
          FROM turn JOIN session ON session.key = turn.session WHERE turn.key = ?
        ON CONFLICT (turn, position) DO UPDATE SET content = excluded.content, reasoning = excluded.reasoning,
          status = excluded.status, model = excluded.model, server = excluded.server, error = excluded.error,
          prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens,
          cost = excluded.cost, first_token_ms = excluded.first_token_ms, total_ms = excluded.total_ms,
          owner = excluded.owner, tool_calls = excluded.tool_calls
        """, arguments: StatementArguments(values))
    guard db.changesCount > 0 else { throw HistoryError.noTurn(Int(turn.key)) }
  }
}

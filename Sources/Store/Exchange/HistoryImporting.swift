import Chat
import GRDB

/// What came of taking a session in.
package enum TakenSession: Sendable, Equatable {
  case added
  /// One of that name is there already, and stays as it is.
  case isThere
}

extension History {
  /// Keeps a session that an export or another program has; it is on disk when this returns, whole or not at all.
  package func take(_ kept: KeptSession) async throws(HistoryError) -> TakenSession {
    let now = now()
    return try await change { db in
      let id = kept.session.id.text
      let isThere = try Bool.fetchOne(db, sql: "SELECT 1 FROM session WHERE id = ?", arguments: [id]) ?? false
      guard !isThere else { return .isThere }
      try Keeping(db: db, kept: kept, now: now).run()
      return .added
    }
  }
}

/// The rows of a session that is taken in.
private struct Keeping {
  let db: Database
  let kept: KeptSession
  /// Milliseconds since 1970.
  let now: Int
  /// An earlier time of the clock, before November 2023, means that it was never set.
  private static let earliestNow = 1_700_000_000_000

  func run() throws {
    let session = try insertSession()
    for word in kept.session.tags {
      try db.execute(sql: "INSERT OR IGNORE INTO tag (session, word) VALUES (?, ?)", arguments: [session, word])
    }
    var keys: [Int: Int64] = [:]
    for turn in inOrder() {
      let key = try db.freshTurnKey()
      try insert(turn, key, parent: turn.parent.flatMap { keys[$0] }, in: session)
      keys[turn.number] = key
    }
    guard let head = kept.head.flatMap({ keys[$0] }) ?? keys.values.max() else { return }
    try db.execute(sql: "UPDATE session SET head = ? WHERE key = ?", arguments: [head, session])
  }

  /// What a turn goes on from comes before it, for it has the smaller key in every history. A number that stands twice
  /// counts once.
  private func inOrder() -> [KeptTurn] {
    var places: [Int: KeptTurn] = [:]
    for turn in kept.turns where places[turn.number] == nil { places[turn.number] = turn }
    var ordered: [KeptTurn] = []
    var done: Set<Int> = []
    for first in places.keys.sorted() {
      var line: [KeptTurn] = []
      var next: Int? = first
      while let number = next, let turn = places[number], done.insert(number).inserted {
        line.append(turn)
        next = turn.parent
      }
      ordered += line.reversed()
    }
    return ordered
  }

  private func insertSession() throws -> Int64 {
    let session = kept.session
    let values: [(any DatabaseValueConvertible)?] = [
      session.id.text, session.title?.keepable, session.titleIsManual, kept.opening.keepable,
      session.systemPrompt?.keepable, session.server?.name.keepable, session.server?.url.keepable,
      session.server?.kind.keepable, session.model?.keepable, session.remote?.keepable,
      clamped(session.createdAt), clamped(session.updatedAt), session.isArchived, session.isPinned,
    ]
    try db.execute(
      sql: """
        INSERT INTO session (id, title, title_is_manual, opening, system_prompt, server_name, server_url, server_kind, model,
            remote, created_at, updated_at, archived, pinned, temperature, top_p, max_tokens, seed, stop)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, arguments: StatementArguments(values + session.sampling.databaseValues))
    return db.lastInsertedRowID
  }

  /// Returns the date, or if that is in the future the date of the last turn that is not, else now. A session that was
  /// written while a clock was ahead must not stay the latest one.
  private func clamped(_ date: Int) -> Int {
    guard date > now, now >= Self.earliestNow else { return date }
    return kept.turns.map(\.createdAt).filter { $0 <= now }.max() ?? now
  }

  private func insert(_ turn: KeptTurn, _ key: Int64, parent: Int64?, in session: Int64) throws {
    try db.execute(
      sql: """
        INSERT INTO turn (key, session, parent, number, created_at, remote_question, remote_answer, context_start,
            context_end)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        key, session, parent, turn.number, turn.createdAt, turn.remote?.question?.keepable,
        turn.remote?.answer?.keepable, turn.contextStart, turn.contextEnd,
      ])
    for (position, message) in turn.messages.enumerated() { try insert(message, position, of: key) }
    try db.keep(turn.files, of: key)
  }

  private func insert(_ message: KeptMessage, _ position: Int, of turn: Int64) throws {
    let isTaken = try Bool.fetchOne(db, sql: "SELECT 1 FROM message WHERE id = ?", arguments: [message.id]) ?? false
    let values: [(any DatabaseValueConvertible)?] = [
      isTaken ? randomID() : message.id, turn, position, message.role.rawValue, message.content.keepable,
      message.reasoning.keepable, message.createdAt, message.status?.rawValue, message.model?.keepable,
      message.server?.keepable, message.error?.keepable, message.usage.promptTokens, message.usage.completionTokens,
      message.usage.cost, message.firstTokenMs, message.totalMs, message.toolCalls?.keepable,
      message.toolName?.keepable, message.toolCallID?.keepable, message.toolStatus?.keepable,
      message.toolResult?.keepable, message.toolMs,
    ]
    try db.execute(
      sql: """
        INSERT INTO message (id, turn, position, role, content, reasoning, created_at, status, model, server, error,
            prompt_tokens, completion_tokens, cost, first_token_ms, total_ms, tool_calls, tool_name,
            tool_call_id, tool_status, tool_result, tool_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, arguments: StatementArguments(values))
  }
}

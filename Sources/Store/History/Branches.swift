package import Chat
import GRDB

/// A turn as a place in the tree of its session: what a list of branches needs of it.
package struct TurnPlace: Sendable, Equatable {
  package var id: TurnID
  package var number: Int
  package var parent: TurnID?
  package var createdAt: Int
  /// The first words of its question, on one line.
  package var opening: String
  /// The same of its answer; empty where there is none.
  package var answer: String
  /// Of its answer; nil while it is written, and where there is none.
  package var status: AnswerStatus?
}

extension History {
  /// All turns of a session, whatever branch they are on, in order of creation.
  package func places(of session: SessionID) async throws(HistoryError) -> [TurnPlace] {
    try await read { db in try db.places(of: session) }
  }

  /// Begins a session with copies of the turns up to this one, which stay where they are. An answer that is being written
  /// is not copied, and what a server calls the conversation is not either.
  /// - Returns: the new session; throws `noTurn` when there is no such turn.
  package func fork(upTo turn: TurnID) async throws(HistoryError) -> SessionID {
    let id = SessionID.random()
    let moment = now()
    try await change { db in
      let path = try db.path(to: turn)
      guard let session = path.first?.session else { throw HistoryError.noTurn }
      try db.copySession(session, to: id, opening: path.first?.question ?? "", moment)
      let key = db.lastInsertedRowID
      var parent: Int64?
      for (index, old) in path.enumerated() {
        let new = try db.freshTurnKey()
        let (start, end) = (old.contextStart, old.contextEnd)
        func renumbered(_ chosen: Int) -> Int { path.count { $0.number <= chosen } }
        try db.execute(
          sql: """
            INSERT INTO turn (key, session, parent, number, created_at, context_start, context_end)
              VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [new, key, parent, index + 1, old.createdAt, start.map(renumbered), end.map(renumbered)])
        try db.copyMessages(of: old.id.key, to: new)
        try db.copyFiles(of: old.id.key, to: new)
        parent = new
      }
      try db.execute(sql: "UPDATE session SET head = ? WHERE key = ?", arguments: [parent, key])
    }
    return id
  }
}

extension History {
  /// All turns of a session, for completion: without waiting, and none when they cannot be read.
  package static func places(at path: String, of session: SessionID) -> [TurnPlace] {
    (try? reading(path) { db in try db.places(of: session) }) ?? []
  }
}

extension Database {
  fileprivate func places(of session: SessionID) throws -> [TurnPlace] {
    try Row.fetchAll(
      self,
      sql: """
        SELECT turn.key, turn.number, turn.parent, turn.created_at,
          (SELECT substr(content, 1, 2000) FROM message WHERE turn = turn.key AND position = 0) AS question,
          (SELECT substr(content, 1, 500) FROM message WHERE turn = turn.key AND role = 'assistant'
            ORDER BY position DESC LIMIT 1) AS answer,
          (SELECT status FROM message WHERE turn = turn.key AND role = 'assistant' ORDER BY position DESC LIMIT 1)
            AS status
        FROM turn WHERE session = (SELECT key FROM session WHERE id = ?) ORDER BY turn.number, turn.key
        """, arguments: [session.text]
    ).map { row in
      TurnPlace(
        id: TurnID(key: row.value("key") ?? 0), number: row.value("number") ?? 0,
        parent: (row.value("parent") as Int64?).map(TurnID.init), createdAt: row.moment("created_at"),
        opening: FirstWords.of(row.value("question") ?? ""), answer: FirstWords.of(row.value("answer") ?? ""),
        status: (row.value("status") as String?).flatMap(AnswerStatus.init))
    }
  }

  fileprivate func copySession(_ session: SessionID, to id: SessionID, opening: String, _ moment: Int) throws {
    try execute(
      sql: """
        INSERT INTO session (id, title, title_is_manual, opening, system_prompt, temperature, top_p, max_tokens, seed, stop,
            server_name, server_url, server_kind, model, created_at, updated_at)
          SELECT ?1, title, title_is_manual, ?4, system_prompt, temperature, top_p, max_tokens, seed, stop, server_name,
            server_url, server_kind, model, ?2, ?2
          FROM session WHERE id = ?3
        """, arguments: [id.text, moment, session.text, FirstWords.of(opening)])
  }

  fileprivate func copyMessages(of turn: Int64, to other: Int64) throws {
    let copied = try columns(in: "message").map(\.name).filter { !["key", "id", "turn", "owner"].contains($0) }
      .joined(separator: ", ")
    let keys = try Int64.fetchAll(
      self, sql: "SELECT key FROM message WHERE turn = ? AND status IS NOT 'streaming' ORDER BY position",
      arguments: [turn])
    for key in keys {
      try execute(
        sql: "INSERT INTO message (id, turn, \(copied)) SELECT ?, ?, \(copied) FROM message WHERE key = ?",
        arguments: [randomID(), other, key])
    }
  }
}

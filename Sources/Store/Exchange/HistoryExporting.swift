import Chat
import Foundation
import GRDB

extension History {
  /// Every session, those that are archived too, the oldest first.
  package func allSessions() async throws(HistoryError) -> [SessionID] {
    try await read { db in
      try String.fetchAll(db, sql: "SELECT id FROM session ORDER BY created_at, id").map { SessionID($0) }
    }
  }

  /// All that is kept of a session; nil when there is no such one. An answer that is being written counts as interrupted.
  package func kept(_ id: SessionID) async throws(HistoryError) -> KeptSession? {
    try await read { db in
      let sql = Session.select + " WHERE id = ?"
      guard let row = try Row.fetchOne(db, sql: sql, arguments: [id.text]) else { return nil }
      let key: Int64 = row.value("key") ?? 0
      let turns = try db.keptTurns(of: key)
      let head: Int64? = row.value("head")
      return KeptSession(
        Session(row), opening: row.value("opening") ?? "", head: head.flatMap { turns.numbers[$0] },
        turns: turns.kept)
    }
  }
}

extension Database {
  /// Also the number of each by its row.
  fileprivate func keptTurns(of session: Int64) throws -> (kept: [KeptTurn], numbers: [Int64: Int]) {
    let rows = try Row.fetchAll(
      self, sql: "SELECT * FROM turn WHERE session = ? ORDER BY number, key", arguments: [session])
    var numbers: [Int64: Int] = [:]
    for row in rows { numbers[row.value("key") ?? 0] = row.value("number") ?? 0 }
    var seen: Set<String> = []
    let messages = try keptMessages(of: session)
    let kept = try rows.map { row in
      let key: Int64 = row.value("key") ?? 0
      let names = RemoteName(question: row.value("remote_question"), answer: row.value("remote_answer"))
      let parent: Int64? = row.value("parent")
      var turn = KeptTurn(
        number: row.value("number") ?? 0, parent: parent.flatMap { numbers[$0] },
        createdAt: row.moment("created_at"), remote: names == RemoteName(question: nil, answer: nil) ? nil : names,
        files: try keptFiles(of: TurnID(key: key), &seen), messages: messages[key] ?? [])
      turn.contextStart = row.value("context_start")
      turn.contextEnd = row.value("context_end")
      return turn
    }
    return (kept, numbers)
  }

  private func keptMessages(of session: Int64) throws -> [Int64: [KeptMessage]] {
    let rows = try Row.fetchCursor(
      self,
      sql: """
        SELECT message.* FROM message JOIN turn ON turn.key = message.turn WHERE turn.session = ?
        ORDER BY message.turn, position
        """, arguments: [session])
    var messages: [Int64: [KeptMessage]] = [:]
    while let row = try rows.next() {
      guard let message = KeptMessage(row) else { continue }
      messages[row.value("turn") ?? 0, default: []].append(message)
    }
    return messages
  }

  /// - Parameter seen: digests of what an earlier turn has brought.
  private func keptFiles(of turn: TurnID, _ seen: inout Set<String>) throws -> [AttachedFile] {
    try (files(of: [turn])[turn] ?? []).map { file in
      guard let digest = file.digest, seen.insert(digest).inserted, let bytes = try attachedBytes(digest) else {
        return file
      }
      return AttachedFile(path: file.path, name: file.name, bytes: bytes)
    }
  }
}

extension KeptMessage {
  /// nil for a role that is none.
  fileprivate init?(_ row: Row) {
    guard let role = (row.value("role") as String?).flatMap(Role.init) else { return nil }
    self.init(id: row.value("id") ?? "", role, row.value("content") ?? "", createdAt: row.moment("created_at"))
    reasoning = row.value("reasoning") ?? ""
    let word: String? = row.value("status")
    status = word.map { AnswerStatus(rawValue: $0) ?? .interrupted }
    model = row.value("model")
    server = row.value("server")
    error = row.value("error")
    usage = Usage(
      promptTokens: row.value("prompt_tokens"), completionTokens: row.value("completion_tokens"),
      cost: row.value("cost"))
    firstTokenMs = row.value("first_token_ms")
    totalMs = row.value("total_ms")
    toolCalls = row.value("tool_calls")
    toolName = row.value("tool_name")
    toolCallID = row.value("tool_call_id")
    toolStatus = row.value("tool_status")
    toolResult = row.value("tool_result")
    toolMs = row.value("tool_ms")
  }
}

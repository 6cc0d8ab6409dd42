import Chat
import Foundation
import GRDB

extension Sampling {
  /// In the order of the columns `temperature`, `top_p`, `max_tokens`, `seed`, `stop`.
  var databaseValues: [(any DatabaseValueConvertible & Sendable)?] {
    let words = stop.isEmpty ? nil : try? String(decoding: JSONEncoder().encode(stop), as: UTF8.self)
    return [temperature, topP, maxTokens, seed, words]
  }

  init(_ row: Row) {
    let words: String? = row.value("stop")
    let stop = words.flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) }  // ours, or mangled
    self.init(
      temperature: row.value("temperature"), topP: row.value("top_p"), maxTokens: row.value("max_tokens"),
      seed: row.value("seed"),
      stop: stop ?? [])
  }
}

extension Session {
  /// A column of its own in what is selected of a session.
  static let tags = """
    (SELECT group_concat(word, ' ') FROM tag WHERE tag.session = session.key) AS tags
    """

  /// What is selected, to be followed by conditions.
  static let select = "SELECT session.*, \(tags) FROM session"

  init(_ row: Row) {
    self.init(
      id: SessionID(row.value("id") ?? ""), title: row.value("title"), systemPrompt: row.value("system_prompt"),
      sampling: Sampling(row),
      model: row.value("model"))
    titleIsManual = row.value("title_is_manual") ?? false
    if let name: String = row.value("server_name"), let kind: String = row.value("server_kind"),
      let url: String = row.value("server_url")
    {
      server = Server(name: name, kind: kind, url: url)
    }
    remote = row.value("remote")
    createdAt = row.moment("created_at")
    updatedAt = row.moment("updated_at")
    head = (row.value("head") as Int64?).map(TurnID.init)
    isArchived = row.value("archived") ?? false
    isPinned = row.value("pinned") ?? false
    tags = row.tags
  }
}

extension SessionSummary {
  /// What every list selects, to be followed by conditions on `session`.
  static let select = """
    SELECT session.*, (SELECT count(*) FROM turn WHERE turn.session = session.key) AS turns,
      (SELECT status FROM message WHERE turn = session.head AND role = 'assistant' ORDER BY position DESC LIMIT 1)
        AS last_status, \(Session.tags) FROM session
    """

  init(_ row: Row) {
    self.init(
      id: SessionID(row.value("id") ?? ""), title: row.value("title"), opening: row.value("opening") ?? "",
      createdAt: row.moment("created_at"), updatedAt: row.moment("updated_at"), model: row.value("model"),
      server: row.value("server_name"), turns: row.value("turns") ?? 0,
      lastStatus: (row.value("last_status") as String?).flatMap(AnswerStatus.init),
      isArchived: row.value("archived") ?? false, isPinned: row.value("pinned") ?? false, tags: row.tags)
  }
}

extension Turn {
  /// What every reading of turns selects, to be followed by joins and conditions on `turn`.
  static let select = """
    SELECT turn.*, (SELECT id FROM session WHERE key = turn.session) AS session_id, question.content AS question,
      CASE WHEN answer.tool_calls IS NULL THEN answer.key END AS answer_key,
      answer.tool_calls IS NOT NULL OR answer.position > 1 AS has_steps,
      EXISTS (SELECT 1 FROM attachment WHERE attachment.turn = turn.key) AS has_files, answer.content, answer.reasoning, answer.status, answer.model, answer.server,
      answer.error, answer.prompt_tokens, answer.completion_tokens, answer.cost, answer.first_token_ms, answer.total_ms
    FROM turn LEFT JOIN message AS question ON question.turn = turn.key AND question.position = 0
      LEFT JOIN message AS answer ON answer.key = (SELECT key FROM message WHERE turn = turn.key AND role = 'assistant'
        ORDER BY position DESC LIMIT 1)
    """

  /// Without its steps and files: see `Database.turns`.
  init(_ row: Row) {
    self.init(
      id: TurnID(key: row.value("key") ?? 0), session: SessionID(row.value("session_id") ?? ""),
      number: row.value("number") ?? 0,
      parent: (row.value("parent") as Int64?).map(TurnID.init), createdAt: row.moment("created_at"),
      question: row.value("question") ?? "", answer: (row.value("answer_key") as Int64?).map { _ in StoredAnswer(row) })
    let names = RemoteName(question: row.value("remote_question"), answer: row.value("remote_answer"))
    remote = names == RemoteName(question: nil, answer: nil) ? nil : names
    contextStart = row.value("context_start")
    contextEnd = row.value("context_end")
  }
}

extension StoredAnswer {
  init(_ row: Row) {
    self.init(
      text: row.value("content") ?? "", reasoning: row.value("reasoning") ?? "",
      status: (row.value("status") as String?).flatMap(AnswerStatus.init), model: row.value("model"),
      server: row.value("server"),
      error: row.value("error"))
    let usage = Usage(
      promptTokens: row.value("prompt_tokens"), completionTokens: row.value("completion_tokens"),
      cost: row.value("cost"))
    self.usage = usage == Usage() ? nil : usage
    timing = (row.value("total_ms") as Int?).map { Timing(firstTokenMs: row.value("first_token_ms"), totalMs: $0) }
  }
}

extension Row {
  fileprivate var tags: [String] { (value("tags") as String? ?? "").split(separator: " ").map(String.init).sorted() }
}

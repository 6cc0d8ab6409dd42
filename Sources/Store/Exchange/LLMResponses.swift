import Chat
import GRDB
import Wire

/// A conversation as `llm` kept it until its version 0.35: a row for each answer, and tables beside it.
struct LLMResponses {
  private var nodes: [MessageTree.Node] = []
  private var system: String?
  private var room = LLMDatabase.mostOfSession

  init(_ db: Database, _ conversation: String) throws {
    // Versions before 0.19 have no token counts, and versions before 0.32 have no reasoning.
    let present = Set(try db.columns(in: "responses").map(\.name))
    let columns = [
      "id", "model", "prompt", "system", "response", "duration_ms", "input_tokens", "output_tokens", "reasoning",
    ].filter(present.contains)
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT \(columns.joined(separator: ", ")), \(Row.llmMoment)
          FROM responses WHERE conversation_id = ? ORDER BY datetime_utc, id
        """, arguments: [conversation])
    for row in rows { try add(row, db) }
  }

  func session(_ id: String, _ name: String?) -> KeptSession { KeptSession(llm: id, name, system: system, nodes) }

  private mutating func add(_ row: Row, _ db: Database) throws {
    guard let id = row.llmText("id") else { return }
    let moment = row.llmNumber("moment") ?? 0
    system = system ?? row.llmText("system")
    func node(_ kind: MessageTree.Node.Kind) -> MessageTree.Node { MessageTree.Node(kind: kind, moment: moment) }
    let results = try Self.rows(db, "tool_results", "response_id", id)
    nodes += results.map { row in
      let isError = !(row.llmText("exception") ?? "").isEmpty
      return node(
        .result(name: row.llmText("name") ?? "tool", text: row.llmText("output") ?? "", isError: isError))
    }
    let prompt = try question(row.llmText("prompt") ?? "", of: id, db)
    // What a tool said is answered without another question.
    if results.isEmpty || !prompt.text.isEmpty {
      var question = node(.question(prompt.text))
      question.files = prompt.files
      nodes.append(question)
    }
    let reasoning = row.llmText("reasoning") ?? ""
    if !reasoning.isEmpty { nodes.append(node(.thought(reasoning))) }
    let text = row.llmText("response") ?? ""
    let calls = try Self.rows(db, "tool_calls", "response_id", id)
    if calls.isEmpty || !text.isEmpty {
      var said = node(.said(text))
      said.model = row.llmText("model")
      said.usage = row.llmUsage
      said.totalMs = row.llmCount("duration_ms")
      said.moment += said.totalMs ?? 0
      nodes.append(said)
    }
    nodes += calls.map { node(.call(name: $0.llmText("name") ?? "tool", text: $0.llmText("arguments") ?? "")) }
  }

  /// The fragments stand before what was typed, as the model was given them.
  private mutating func question(
    _ prompt: String, of id: String, _ db: Database
  ) throws -> (text: String, files: [AttachedFile]) {
    var parts: [String] = []
    if try db.hasTables(["prompt_fragments", "fragments"]) {
      let query = "FROM prompt_fragments JOIN fragments ON fragments.id = fragment_id WHERE response_id = ?"
      try db.take(from: &room, query, [id])
      parts = try Row.fetchAll(db, sql: "SELECT content \(query) ORDER BY \"order\"", arguments: [id])
        .compactMap { $0.llmText("content") }
    }
    if !prompt.isEmpty { parts.append(prompt) }
    var files: [AttachedFile] = []
    if try db.hasTables(["prompt_attachments", "attachments"]) {
      let query = "FROM prompt_attachments JOIN attachments ON attachments.id = attachment_id WHERE response_id = ?"
      try db.take(from: &room, query, [id])
      let rows = try Row.fetchAll(db, sql: "SELECT attachments.* \(query) ORDER BY \"order\"", arguments: [id])
      files = rows.compactMap { $0.llmFile() }
      parts += rows.filter { $0.llmFile() == nil }.map { "[\($0.llmFileName)]" }
    }
    return (parts.joined(separator: "\n"), files)
  }

  private static func rows(_ db: Database, _ table: String, _ column: String, _ id: String) throws -> [Row] {
    guard try db.hasTables([table]) else { return [] }
    return try Row.fetchAll(db, sql: "SELECT * FROM \(table) WHERE \(column) = ? ORDER BY id", arguments: [id])
  }
}

import Chat
import GRDB
import Wire

/// A conversation as `llm` keeps it since its version 0.36: messages by what is in them, each below the one before, and a
/// row for each answer that says where it ends.
struct LLMThread {
  private let db: Database
  private var nodes: [MessageTree.Node] = []
  private var system: String?
  private var room = LLMDatabase.mostOfSession
  /// Rows of `turns`, by the message that each ends with.
  private let answers: [String: Row]

  init(_ db: Database, _ thread: String) throws {
    self.db = db
    let turns = try Row.fetchAll(
      db, sql: "SELECT *, \(Row.llmMoment) FROM turns WHERE thread_id = ? ORDER BY datetime_utc, id",
      arguments: [thread])
    answers = Dictionary(
      turns.compactMap { row in row.llmText("tip_message_hash").map { ($0, row) } },
      uniquingKeysWith: { first, _ in first })
    // What is not of a turn here was said before it became a thread of its own, or just before a turn.
    var moment = turns.first?.llmNumber("moment") ?? 0
    for message in try Self.chain(db, thread) {
      guard let hash = message.llmText("hash") else { continue }
      if let turn = answers[hash] { moment = turn.llmNumber("moment") ?? moment }
      try add(message, hash, moment)
    }
  }

  func session(_ id: String, _ name: String?) -> KeptSession { KeptSession(llm: id, name, system: system, nodes) }

  /// From the first message to the last; in a damaged file they may go round.
  private static func chain(_ db: Database, _ thread: String) throws -> [Row] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        WITH RECURSIVE chain(hash, parent_hash, role) AS (
          SELECT hash, parent_hash, role FROM messages
            WHERE hash = (SELECT tip_message_hash FROM threads WHERE id = ?)
          UNION
          SELECT messages.hash, messages.parent_hash, messages.role FROM messages
            JOIN chain ON messages.hash = chain.parent_hash)
        SELECT * FROM chain
        """, arguments: [thread])
    var left = Dictionary(rows.map { ($0.llmText("hash") ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    var chain: [Row] = []
    var next = rows.first?.llmText("hash")
    while let hash = next, let row = left.removeValue(forKey: hash) {
      chain.append(row)
      next = row.llmText("parent_hash")
    }
    return chain.reversed()
  }

  private mutating func add(_ message: Row, _ hash: String, _ moment: Int) throws {
    let parts = try Row.fetchAll(
      db, sql: "SELECT * FROM parts WHERE message_hash = ? ORDER BY position", arguments: [hash])
    switch message.llmText("role") ?? "" {
    case "system": system = try system ?? text(of: parts)
    case "user": try addQuestion(parts, moment)
    default:
      let first = nodes.count
      for part in parts { try add(part, moment) }
      finish(answers[hash], from: first)
    }
  }

  private mutating func addQuestion(_ parts: [Row], _ moment: Int) throws {
    var node = MessageTree.Node(kind: .nothing, moment: moment)
    var words = [try text(of: parts)]
    for part in parts where part.llmText("type") == "attachment" {
      for row in try attachments(of: part) {
        if let file = row.llmFile() { node.files.append(file) } else { words.append("[\(row.llmFileName)]") }
      }
    }
    node.kind = .question(words.filter { !$0.isEmpty }.joined(separator: "\n"))
    nodes.append(node)
  }

  private mutating func add(_ part: Row, _ moment: Int) throws {
    let payload = Self.payload(of: part)
    let name = part.llmText("tool_name") ?? "tool"
    let type = part.llmText("type") ?? ""
    let kind: MessageTree.Node.Kind
    switch type {
    case "text": kind = .said(try text(of: [part]))
    case "reasoning": kind = .thought(try text(of: [part]))
    case "tool_call": kind = .call(name: name, text: Self.words(payload["arguments"]))
    case "tool_result":
      let isError = payload["exception"].map { !$0.isNull && $0.string != "" } ?? false
      kind = .result(name: name, text: Self.words(payload["output"]), isError: isError)
    default: kind = .said("[\(type)]")
    }
    nodes.append(MessageTree.Node(kind: kind, moment: moment))
  }

  /// What a turn says of its answer stands with what was said last in it.
  private mutating func finish(_ turn: Row?, from first: Int) {
    let said = nodes[first...].lastIndex { if case .said = $0.kind { true } else { false } }
    guard let turn, let said else { return }
    nodes[said].model = turn.llmText("model")
    nodes[said].usage = turn.llmUsage
    nodes[said].totalMs = turn.llmCount("duration_ms")
    nodes[said].moment += nodes[said].totalMs ?? 0
  }

  private mutating func text(of parts: [Row]) throws -> String {
    try parts.filter { ["text", "reasoning"].contains($0.llmText("type") ?? "") }.map { part in
      if let text = part.llmText("text") { return text }
      let pieces = Self.payload(of: part)["text_ref"]?.array ?? []
      return try pieces.map { piece in
        if let text = piece["literal"]?.string { return text }
        let fragment = piece["fragment"]?.int ?? 0
        try db.take(from: &room, "FROM fragments WHERE id = ?", [fragment])
        return try Row.fetchOne(db, sql: "SELECT content FROM fragments WHERE id = ?", arguments: [fragment])?
          .llmText("content") ?? ""
      }.joined()
    }.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private mutating func attachments(of part: Row) throws -> [Row] {
    guard let id = Self.payload(of: part)["attachment"]?["id"]?.string else { return [] }
    try db.take(from: &room, "FROM attachments WHERE id = ?", [id])
    return try Row.fetchAll(db, sql: "SELECT * FROM attachments WHERE id = ?", arguments: [id])
  }

  private static func payload(of part: Row) -> JSON {
    let text = part.llmText("payload") ?? "{}"
    return (try? JSON(parsing: Array(text.utf8))) ?? .null
  }

  private static func words(_ json: JSON?) -> String {
    json?.string ?? json.map { String(decoding: $0.bytes(), as: UTF8.self) } ?? ""
  }
}

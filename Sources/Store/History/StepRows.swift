import Chat
import GRDB
import Wire

extension StoredCall {
  /// What the column `tool_calls` of a round holds. What came of a call is in a row of its own, behind the round's.
  static func column(_ calls: [StoredCall]) -> String {
    String(decoding: JSON.array(calls.map(\.json)).bytes(), as: UTF8.self)
  }

  static func calls(column: String) -> [StoredCall] {
    ((try? JSON(parsing: column))?.array ?? []).map(StoredCall.init)  // ours, or mangled
  }

  private var json: JSON {
    var json: JSON = ["id": .string(call.id), "name": .string(call.name)]
    switch call.arguments {
    case .object(let arguments) where arguments.isReadable(within: 2): json["arguments"] = arguments
    case .object(let arguments): json["deep"] = .string(String(decoding: arguments.bytes(), as: UTF8.self))
    case .broken(let text, let problem):
      json["broken"] = .string(text)
      json["problem"] = .string(problem.rawValue)
    }
    if let tool { json["tool"] = .string(tool) }
    if let server { json["server"] = .string(server) }
    json["sentBack"] = call.sentBack.flatMap(StoredCall.kept)
    json["sentBackBeside"] = call.sentBackBeside.flatMap(StoredCall.kept)
    return json
  }

  /// nil for what is nested too deep to be read again.
  private static func kept(_ json: JSON) -> JSON? { json.isReadable(within: 2) ? json : nil }

  private init(_ json: JSON) {
    let arguments: ToolCall.Arguments =
      if let arguments = json["arguments"] ?? json["deep"]?.string.flatMap({ try? JSON(parsing: $0) }) {
        .object(arguments)
      } else {
        .broken(
          json["broken"]?.string ?? "", json["problem"]?.string.flatMap(ToolCall.Problem.init) ?? .notJSON)
      }
    self.init(
      ToolCall(
        id: json["id"]?.string ?? "", name: json["name"]?.string ?? "", arguments: arguments,
        sentBack: json["sentBack"], sentBackBeside: json["sentBackBeside"]),
      tool: json["tool"]?.string, server: json["server"]?.string)
  }
}

extension StoredResult {
  /// nil for a call of which nothing has come.
  fileprivate init?(_ row: Row) {
    guard let word: String = row.value("tool_status") else { return nil }
    // A later version's word for an ending; the text says what there is to know.
    self.init(
      Status(rawValue: word) ?? .failed, text: row.value("content") ?? "", whole: row.value("tool_result"),
      milliseconds: row.value("tool_ms"))
  }
}

extension Database {
  /// Turns by a `Turn.select`, with their steps and files: one more query for each when one of them has any.
  func turns(_ sql: String, _ arguments: StatementArguments) throws -> [Turn] {
    let rows = try Row.fetchAll(self, sql: sql, arguments: arguments)
    func those(with column: String) -> [TurnID] {
      rows.filter { $0.value(column) ?? false }.map { TurnID(key: $0.value("key") ?? 0) }
    }
    let (withSteps, withFiles) = (those(with: "has_steps"), those(with: "has_files"))
    let steps = withSteps.isEmpty ? [:] : try steps(of: withSteps)
    let files = withFiles.isEmpty ? [:] : try files(of: withFiles)
    return rows.map { row in
      var turn = Turn(row)
      turn.steps = steps[turn.id] ?? []
      turn.files = files[turn.id] ?? []
      return turn
    }
  }

  private func steps(of turns: [TurnID]) throws -> [TurnID: [ToolStep]] {
    // Row numbers and not values, of which SQLite takes a limited number.
    let keys = turns.map { String($0.key) }.joined(separator: ", ")
    let rows = try Row.fetchCursor(
      self,
      sql: """
        SELECT turn, position, role, content, reasoning, model, prompt_tokens, completion_tokens, cost, first_token_ms,
          total_ms, tool_calls, tool_status, tool_result, tool_ms FROM message
        WHERE turn IN (\(keys)) AND position > 0 AND (tool_calls IS NOT NULL OR role = 'tool') ORDER BY turn, position
        """)
    var steps: [TurnID: [ToolStep]] = [:]
    var (place, last) = (0, TurnID(key: 0))
    while let row = try rows.next() {
      let turn = TurnID(key: row.value("turn") ?? 0)
      let position: Int = row.value("position") ?? 0
      if let column: String = row.value("tool_calls") {
        steps[turn, default: []].append(ToolStep(row, StoredCall.calls(column: column)))
        (place, last) = (position, turn)
      } else if turn == last, let step = steps[turn]?.indices.last {
        let call = position - place - 1
        guard steps[turn]?[step].calls.indices.contains(call) == true else { continue }
        steps[turn]?[step].calls[call].result = StoredResult(row)
      }
    }
    return steps
  }
}

extension ToolStep {
  fileprivate init(_ row: Row, _ calls: [StoredCall]) {
    let answer = StoredAnswer(row)
    self.init(
      text: answer.text, reasoning: answer.reasoning, model: answer.model, usage: answer.usage,
      timing: answer.timing, calls: calls)
  }
}

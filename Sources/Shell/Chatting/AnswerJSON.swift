import Chat
import Wire

/// The object of `--json` (shell contract, section 7).
enum AnswerJSON {
  static func object(_ outcome: Outcome, _ connection: Connection, session: String, turn: Int?) -> JSON {
    var object: JSON = [
      "text": .string(outcome.growing.text),
      "reasoning": .string(outcome.growing.reasoning),
      "status": .string(outcome.status.rawValue),
      "model": (outcome.growing.model ?? connection.model).map(JSON.string) ?? .null,
      "server": .string(connection.server.name),
      "session": .string(session),
      "turn": turn.map(JSON.int) ?? .null,
      "usage": usage(outcome.growing.usage ?? Usage()),
      "timing": [
        "firstTokenMs": outcome.timing.firstTokenMs.map(JSON.int) ?? .null,
        "totalMs": .int(outcome.timing.totalMs),
      ],
      "toolCalls": [],
    ]
    if let complaint = outcome.complaint(connection.server) { object["error"] = error(complaint) }
    return object
  }

  /// The same keys for a question that never got as far as an answer.
  static func failure(
    _ complaint: Complaint, _ status: AnswerStatus, server: String?, model: String?, session: String?
  ) -> JSON {
    [
      "text": "", "reasoning": "", "status": .string(status.rawValue), "model": model.map(JSON.string) ?? .null,
      "server": server.map(JSON.string) ?? .null, "session": session.map(JSON.string) ?? .null, "turn": .null,
      "usage": usage(Usage()), "timing": ["firstTokenMs": .null, "totalMs": 0], "toolCalls": [],
      "error": error(complaint),
    ]
  }

  /// The object as the last event of `--jsonl`.
  static func finish(_ object: JSON) -> JSON {
    .object([.init("event", "finish")] + (object.object ?? []))
  }

  static func usage(_ usage: Usage) -> JSON {
    [
      "promptTokens": usage.promptTokens.map(JSON.int) ?? .null,
      "completionTokens": usage.completionTokens.map(JSON.int) ?? .null,
      "cost": usage.cost.map(JSON.double) ?? .null,
    ]
  }

  static func error(_ complaint: Complaint) -> JSON {
    [
      "code": .int(Int(complaint.status.rawValue)),
      "message": .string(complaint.text.string),
      "hint": complaint.hint.map { .string($0.string) } ?? .null,
    ]
  }
}

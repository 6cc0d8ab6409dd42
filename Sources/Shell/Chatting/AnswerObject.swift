import Chat
import Store
import Wire

extension AnswerJSON {
  static func object(
    _ outcome: Outcome, _ turn: TurnUnderWay, model: String?, _ server: Server, session: String, mayRetry: Bool
  ) -> JSON {
    let total = Int(((outcome.growing.began - turn.began) * 1000).rounded()) + outcome.timing.totalMs
    var object: JSON = [
      "text": .string(joined(turn.texts + [outcome.growing.text])),
      "reasoning": .string(joined(turn.steps.map(\.reasoning) + [outcome.growing.reasoning])),
      "status": .string(outcome.status.rawValue),
      "model": (outcome.growing.model ?? model).map(JSON.string) ?? .null,
      "server": .string(server.name),
      "session": .string(session),
      "turn": turn.kept.map { .int($0.number) } ?? .null,
      "usage": usage(sum(turn.steps.map(\.usage) + [outcome.growing.usage])),
      "timing": ["firstTokenMs": turn.firstTokenMs.map(JSON.int) ?? .null, "totalMs": .int(total)],
      "toolCalls": .array(turn.steps.flatMap(\.calls).map(object)),
    ]
    if let complaint = outcome.complaint(server) {
      object["error"] = error(complaint.offeringRetry(mayRetry))
      if outcome.misfit != nil { object["status"] = .string(AnswerStatus.failed.rawValue) }
    }
    if outcome.isCheckInterrupted { object["status"] = .string(AnswerStatus.interrupted.rawValue) }
    return object
  }
}

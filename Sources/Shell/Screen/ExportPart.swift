import Chat
import Store

/// What stands below one another in a turn that is exported to be read (docs/export.md 3).
enum ExportPart {
  case speaker(String, turn: Int)
  case question(String)
  case attached(AttachedFile)
  case reasoning(String)
  /// The model's text, of a round with tools or of the last message.
  case answer(String)
  case call(StoredCall)
  /// That there is no answer, or how it ended when it is not whole.
  case ended(String)

  static func parts(of turn: Turn, in session: Session) -> [ExportPart] {
    var parts = [speaker("You", turn: turn.number), question(turn.question)]
    parts += turn.files.map(attached)
    parts.append(speaker(turn.answer?.model ?? session.model ?? "Answer", turn: turn.number))
    for step in turn.steps {
      parts += thought(step.reasoning) + said(step.text)
      parts += step.calls.map(call)
    }
    guard let answer = turn.answer else { return parts + [ended("no answer")] }
    parts += thought(answer.reasoning) + said(answer.text)
    if let status = answer.status, status != .complete { parts.append(ended(status.rawValue)) }
    return parts
  }

  private static func thought(_ text: String) -> [ExportPart] {
    let text = text.trimmingBlankEnds
    return text.isEmpty ? [] : [reasoning(text)]
  }

  private static func said(_ text: String) -> [ExportPart] { text.isEmpty ? [] : [answer(text)] }
}

extension String {
  fileprivate var trimmingBlankEnds: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

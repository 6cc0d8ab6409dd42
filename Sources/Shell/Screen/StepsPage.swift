import Chat
import Store
import Text
import Wire

/// The rounds with tools of an earlier turn.
enum StepsPage {
  /// What the model said in each, then a line for each call.
  static func text(_ steps: [ToolStep], columns: Int?, said: (String) -> SafeText) -> StyledText {
    var text: StyledText = []
    for step in steps {
      if !step.text.isEmpty { text += .text(said(step.text) + "\n") }
      for call in step.calls { text += .text(line(call).cut(to: columns ?? 100) + "\n", .dim) }
    }
    return text
  }

  /// Such as `tool add(a: 2, b: 3) on peer: 5`.
  static func line(_ call: StoredCall) -> SafeText {
    let server: SafeText = call.server.map { " on \($0)" } ?? ""
    let head: SafeText = "tool \(call.tool ?? call.call.name)(\(arguments(call.call.arguments)))" + server
    guard let result = call.result else { return head + ": no result" }
    let said: SafeText = "\(result.text)"
    switch result.status {
    case .done: return head + ": " + said
    case .unreported: return head + ": no result reported"
    case .timedOut: return head + " timed out: " + said
    case .failed, .refused, .invalid, .unavailable, .cancelled:
      return head + " \(result.status.rawValue): " + said
    }
  }

  private static func arguments(_ arguments: ToolCall.Arguments) -> SafeText {
    switch arguments {
    case .object(let object):
      let parts = (object.object ?? []).map { "\($0.key): \($0.value.serialized())" }
      return "\(parts.joined(separator: ", "))"
    case .broken(let text, _): return "\(text)"
    }
  }

  static func json(_ steps: [ToolStep]) -> JSON { .array(steps.map(json)) }

  private static func json(_ step: ToolStep) -> JSON {
    [
      "text": .string(step.text), "reasoning": .string(step.reasoning),
      "model": step.model.map(JSON.string) ?? .null, "usage": AnswerJSON.usage(step.usage ?? Usage()),
      "toolCalls": .array(step.calls.map(AnswerJSON.whole)),
    ]
  }
}

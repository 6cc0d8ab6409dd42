import Chat
import Shell
import Wire

/// The person behind an editor: asked by `session/request_permission` what has few answers. Nothing else can be asked
/// there, and a secret never is (docs/acp.md 11).
struct SessionPerson: LineSource {
  let front: SessionFront
  let session: String
  /// Asks the editor; nil when the question was given up.
  let ask: @Sendable (_ method: String, _ params: JSON) async -> Result<JSON, RPCFailure>?

  func next(_ request: LineRequest) async -> LineResult {
    let prompt = request.prompt.string
    guard let choice = request.choice else {
      front.write(.text("this can only be asked on a terminal: \(prompt)\n"), to: .notices)
      return .interrupted(hadText: false)
    }
    let options = choice.answers.map { answer -> JSON in
      [
        "optionId": .string(answer.id), "name": .string(answer.name),
        "kind": .string((answer.kind ?? .rejectOnce).rawValue),
      ]
    }
    let params: JSON = [
      "sessionId": .string(session), "toolCall": front.subject(of: choice, prompt: prompt), "options": .array(options),
    ]
    switch await front.asking({ await ask("session/request_permission", params) }) {
    case nil: return .interrupted(hadText: false)
    // An editor that cannot ask has not agreed to anything.
    case .failure?: return .line("n")
    case .success(let answer)?:
      guard answer["outcome"]?["outcome"] == "selected", let id = answer["outcome"]?["optionId"]?.string,
        choice.answers.contains(where: { $0.id == id })
      else { return .interrupted(hadText: false) }
      return .line(id)
    }
  }
}

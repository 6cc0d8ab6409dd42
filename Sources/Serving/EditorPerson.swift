import Chat
import Shell
import Wire

/// The person behind an editor: asked by `session/request_permission` what has few answers. Nothing else can be asked
/// there, and a secret never is (docs/acp.md 11).
struct EditorPerson: LineSource {
  let terminal: EditorTerminal
  let session: String
  /// Asks the editor; nil when the question was given up.
  let ask: @Sendable (_ method: String, _ params: JSON) async -> Result<JSON, RPCFailure>?

  func next(_ request: LineRequest) async -> LineResult {
    // Who asks has seen to it that there are alternatives (`RunOptions.canType`).
    guard let alternatives = request.alternatives, terminal.isBusy else { return .interrupted(hadText: false) }
    let line = await answer(among: alternatives, to: request.prompt.string)
    let kind = alternatives.answers.first { $0.line == line }?.kind
    terminal.answered(isAllowed: kind == .allowOnce || kind == .allowAlways)
    return line.map { .line($0) } ?? .interrupted(hadText: false)
  }

  /// What would be typed; nil when the person left.
  private func answer(among alternatives: Alternatives, to prompt: String) async -> String? {
    let options = alternatives.answers.map { answer -> JSON in
      ["optionId": .string(answer.line), "name": .string(answer.name), "kind": .string(answer.kind.rawValue)]
    }
    let params: JSON = [
      "sessionId": .string(session),
      "toolCall": terminal.subject(of: alternatives, prompt: prompt), "options": .array(options),
    ]
    switch await terminal.asking({ await ask("session/request_permission", params) }) {
    case nil: return nil
    // An editor that cannot ask has not agreed to anything.
    case .failure?: return alternatives.refusal
    case .success(let answer)?:
      guard answer["outcome"]?["outcome"] == "selected" else { return nil }
      return alternatives.answers.first { $0.line == answer["outcome"]?["optionId"]?.string }?.line
    }
  }
}

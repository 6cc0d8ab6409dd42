import Chat
import Wire

/// The body of a question (docs/gateway.md 3.1).
struct GatewayBody {
  let question: ChatRequest
  let history: GatewayHistory
  let form: GatewayForm
  let choice: GatewayChoice
  /// The server's name for the conversation, where it has one.
  var session: String?
  /// Whether the server knows what was said before.
  var isHeld = false

  var json: JSON {
    var body: JSON = ["messages": .array(messages), "stream": true]
    body["model"] = question.model.map { .string($0) }
    body["session_id"] = session.map { .string($0) }
    if form.hasSystemField { body["system_prompt"] = history.system.map { .string($0) } }
    if form.takesProject { body["project_id"] = (choice.project ?? form.project).map { .string($0) } }
    if form.takesToolChoice { body["mcp"] = choice.tools?.json }
    if form.keepsHistory { body["stream_options"] = ["include_usage": true] }
    if form.takesSampling { encode(question.sampling, into: &body) }
    return body
  }

  private var messages: [JSON] {
    if form.foldsHistory { return [GatewayBody.message(.user, history.folded)] }
    if isHeld { return [GatewayBody.message(.user, history.question)] }
    let system = form.hasSystemField ? nil : history.system.map { GatewayBody.message(.system, $0) }
    return [system].compactMap(\.self) + history.said.map { GatewayBody.message($0.role, $0.text) }
  }

  private static func message(_ role: Role, _ text: String) -> JSON {
    ["role": .string(role.rawValue), "content": .string(text)]
  }

  private func encode(_ sampling: Sampling, into body: inout JSON) {
    body["temperature"] = sampling.temperature.map { .double($0) }
    body["top_p"] = sampling.topP.map { .double($0) }
    body["max_tokens"] = sampling.maxTokens.map { .int($0) }
    if !sampling.stop.isEmpty { body["stop"] = .array(sampling.stop.map { .string($0) }) }
  }
}

extension RemoteToolChoice {
  var json: JSON {
    func list(_ words: [String]) -> JSON { .array(words.map { .string($0) }) }
    return [
      "enabled_servers": list(servers), "enabled_tools": list(tools), "priority": list(priority),
      "audit_log": .bool(isAudited),
    ]
  }
}

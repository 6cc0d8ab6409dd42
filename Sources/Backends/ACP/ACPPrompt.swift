import Chat
import Wire

/// A message to an agent. It keeps the conversation itself, so nothing of what was said before goes along
/// (docs/acp.md 3).
enum ACPPrompt {
  /// The parameters of `session/prompt`.
  static func params(_ request: ChatRequest, session: String) -> JSON {
    let text = request.messages.last { $0.role == .user }?.content ?? ""
    return ["sessionId": .string(session), "prompt": .array(blocks(text))]
  }

  /// Every agent takes text.
  static func blocks(_ text: String) -> [JSON] { [["type": "text", "text": .string(text)]] }
}

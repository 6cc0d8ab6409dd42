/// Who said a message.
package enum Role: String, Sendable {
  case system, user, assistant, tool
}

/// One message of a conversation, as a server is sent it.
package struct Message: Sendable, Equatable {
  package var role: Role
  package var content: String
  /// Pictures beside the words.
  package var images: [AttachedImage]
  /// What the model thought before it answered. With tool calls it is sent back as it came, which their
  /// `sentBackBeside` has.
  package var reasoning: String
  /// What the model asked to have done with this message.
  package var toolCalls: [ToolCall]
  /// Of a tool's answer: its name as the model knows it, and which call it answers.
  package var toolName: String?
  package var toolCallID: String?

  package init(
    _ role: Role, _ content: String, images: [AttachedImage] = [], reasoning: String = "", toolCalls: [ToolCall] = [],
    toolName: String? = nil, toolCallID: String? = nil
  ) {
    self.role = role
    self.content = content
    self.images = images
    self.reasoning = reasoning
    self.toolCalls = toolCalls
    self.toolName = toolName
    self.toolCallID = toolCallID
  }
}

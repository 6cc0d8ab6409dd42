/// Who said a message.
package enum Role: String, Sendable {
  case system, user, assistant, tool
}

/// One message of a conversation, as a server is sent it.
package struct Message: Sendable, Equatable {
  package var role: Role
  package var content: String
  /// What the model thought before it answered; never sent back to a server.
  package var reasoning: String
  package var toolName: String?
  package var toolCallID: String?

  package init(
    _ role: Role, _ content: String, reasoning: String = "", toolName: String? = nil, toolCallID: String? = nil
  ) {
    self.role = role
    self.content = content
    self.reasoning = reasoning
    self.toolName = toolName
    self.toolCallID = toolCallID
  }
}

/// What a server has counted of the conversations that went through it (docs/gateway.md 6).
package protocol UsageReporting: Sendable {
  /// A record for each conversation that the server knows now; nil where it counts no tokens.
  func usage() async throws(BackendError) -> [UsageRecord]?
}

/// What one conversation, or one answer in it, took.
package struct UsageRecord: Sendable, Equatable {
  /// The name of the conversation, and what it is called.
  package var session: String
  package var title: String?
  package var model: String?
  /// When it was last added to, in milliseconds since 1970.
  package var at: Int?
  /// All that were counted; where the parts are known it is their sum.
  package var tokens: Int?
  package var promptTokens: Int?
  package var completionTokens: Int?
  /// In the server's currency; nil where it tells none.
  package var cost: Double?
  package var messages: Int?

  package init(
    session: String, title: String? = nil, model: String? = nil, at: Int? = nil, tokens: Int? = nil,
    promptTokens: Int? = nil, completionTokens: Int? = nil, cost: Double? = nil, messages: Int? = nil
  ) {
    self.session = session
    self.title = title
    self.model = model
    self.at = at
    self.tokens = tokens
    self.promptTokens = promptTokens
    self.completionTokens = completionTokens
    self.cost = cost
    self.messages = messages
  }
}

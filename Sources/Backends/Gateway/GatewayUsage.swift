import Chat
import Wire

/// What a gateway has counted for the sessions that it knows now (docs/gateway.md 6).
struct GatewayUsage: UsageReporting {
  let api: GatewayAPI

  private static let limit = 1000

  /// Two of the forms count nothing, or nothing that chats have to do with.
  func usage() async throws(BackendError) -> [UsageRecord]? {
    switch try await api.form() {
    case .relay, .keeper: return nil
    case .program, .documented: break
    }
    let entries = try await api.list("/sessions", "sessions", atMost: GatewayUsage.limit).entries
    return entries.compactMap { RemoteSession(gateway: $0) }.map { session in
      UsageRecord(
        session: session.id, title: session.title, model: session.model, at: session.updatedAt,
        tokens: session.tokens, cost: session.cost, messages: session.messages)
    }
  }
}

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
    return entries.compactMap { UsageRecord($0) }
  }
}

extension UsageRecord {
  fileprivate init?(_ entry: JSON) {
    guard let session = RemoteSession(gateway: entry) else { return nil }
    let cost = entry["total_cost"]?.price
    self.init(
      session: session.id, title: session.title, model: session.model, at: session.updatedAt,
      tokens: entry["total_tokens"]?.tokenCount,
      // One of them never finds what its program says of it.
      cost: cost == 0 ? nil : cost, messages: entry["message_count"]?.tokenCount)
  }
}

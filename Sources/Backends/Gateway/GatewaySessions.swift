import Chat
import Wire

/// The sessions that a gateway knows now. What was said in them is told by none (docs/gateway.md 4).
struct GatewaySessions: RemoteSessions {
  let api: GatewayAPI

  let abilities: RemoteAbilities = [.delete, .describe, .totals]

  func list(_ limit: Int) async throws(BackendError) -> RemoteList {
    let (entries, hasMore) = try await api.list("/sessions", "sessions", atMost: max(limit, 500))
    let sessions = entries.compactMap { RemoteSession(gateway: $0) }.sorted {
      ($0.updatedAt ?? 0, $1.id) > ($1.updatedAt ?? 0, $0.id)
    }
    return RemoteList(sessions: Array(sessions.prefix(limit)), hasMore: hasMore || sessions.count > limit)
  }

  func describe(_ id: String) async throws(BackendError) -> RemoteSession {
    let answer = try await known { () async throws(BackendError) in
      try await api.get("/sessions/\(id.percentEncoded)")
    }
    guard let session = RemoteSession(gateway: answer) else {
      throw .malformed(address: api.address, detail: "no session")
    }
    return session
  }

  func totals() async throws(BackendError) -> RemoteTotals {
    guard try await api.form() != .relay else { throw .notOffered("counts of its sessions") }
    let answer: JSON
    do throws(BackendError) { answer = try await api.get("/sessions/stats") } catch {
      throw error.isMissing ? .notOffered("counts of its sessions") : error
    }
    return RemoteTotals(answer)
  }

  func delete(_ id: String) async throws(BackendError) {
    try await known { () async throws(BackendError) in
      _ = try await api.send("DELETE", "/sessions/\(id.percentEncoded)")
    }
    api.memory.end(id)
  }

  private func known<T>(_ ask: () async throws(BackendError) -> T) async throws(BackendError) -> T {
    do throws(BackendError) { return try await ask() } catch {
      throw error.isMissing ? .conversationGone(address: api.address) : error
    }
  }
}

extension RemoteSession {
  /// nil for an entry without a name. Nothing that names a project is taken: some make it of the person's key
  /// (docs/gateway.md 11).
  init?(gateway entry: JSON) {
    guard let id = entry["id"]?.word ?? entry["session_id"]?.word else { return nil }
    let cost = entry["total_cost"]?.price
    self.init(
      id: id, title: entry["title"]?.word ?? entry["name"]?.word, model: entry["model"]?.word,
      systemPrompt: entry["system_prompt"]?.word, createdAt: entry["created_at"].flatMap(Moment.milliseconds),
      updatedAt: (entry["updated_at"] ?? entry["last_accessed"]).flatMap(Moment.milliseconds),
      messages: entry["message_count"]?.tokenCount, tokens: entry["total_tokens"]?.tokenCount,
      // One of them never finds what its program says of it.
      cost: cost == 0 ? nil : cost, isRunning: entry["status"]?.string == "streaming")
  }
}

extension RemoteTotals {
  /// Some have the counts in an object of their own.
  fileprivate init(_ answer: JSON) {
    let counts = answer["session_stats"] ?? answer
    let cost = counts["total_cost"]?.price
    self.init(
      sessions: counts["active_sessions"]?.tokenCount, running: answer["active_claude_sessions"]?.tokenCount,
      messages: counts["total_messages"]?.tokenCount, tokens: counts["total_tokens"]?.tokenCount,
      cost: cost == 0 ? nil : cost, models: (counts["models_in_use"]?.array ?? []).compactMap(\.word))
  }
}

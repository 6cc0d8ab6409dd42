import Chat
import Wire

/// The sessions that a gateway knows now. What was said in them is told by none (docs/gateway.md 4).
struct GatewaySessions: RemoteSessions {
  let api: GatewayAPI

  let abilities: RemoteAbilities = [.delete]

  func list(_ limit: Int) async throws(BackendError) -> RemoteList {
    let (entries, hasMore) = try await api.list("/sessions", "sessions", atMost: max(limit, 500))
    let sessions = entries.compactMap { RemoteSession(gateway: $0) }.sorted {
      ($0.updatedAt ?? 0, $1.id) > ($1.updatedAt ?? 0, $0.id)
    }
    return RemoteList(sessions: Array(sessions.prefix(limit)), hasMore: hasMore || sessions.count > limit)
  }

  func delete(_ id: String) async throws(BackendError) {
    do throws(BackendError) { try await api.send("DELETE", "/sessions/\(id.percentEncoded)") } catch {
      throw error.isMissing ? .conversationGone(address: api.address) : error
    }
    api.memory.end(id)
  }

  func read(_ id: String) async throws(BackendError) -> RemoteSession {
    throw .notOffered("what was said in a session")
  }
  func rename(_ id: String, to title: String) async throws(BackendError) { throw .notOffered("titles to change") }
  func deleteAll() async throws(BackendError) -> Int? { throw .notOffered("all sessions to delete at once") }
  func prune(_ id: String, at message: String) async throws(BackendError) { throw .notOffered("messages to delete") }
  func file(_ name: String, of id: String) async throws(BackendError) -> AttachedFile {
    throw .notOffered("files of its sessions")
  }
  func share(_ id: String) async throws(BackendError) -> String { throw .notOffered("links to its sessions") }
  func take(_ link: String) async throws(BackendError) -> String { throw .notOffered("shared sessions") }
}

extension RemoteSession {
  /// nil for an entry without a name. Nothing that names a project is taken: some make it of the person's key
  /// (docs/gateway.md 11).
  init?(gateway entry: JSON) {
    guard let id = entry["id"]?.word ?? entry["session_id"]?.word else { return nil }
    self.init(
      id: id, title: entry["title"]?.word ?? entry["name"]?.word, model: entry["model"]?.word,
      updatedAt: (entry["updated_at"] ?? entry["last_accessed"]).flatMap(Moment.milliseconds),
      isRunning: entry["status"]?.string == "streaming")
  }
}

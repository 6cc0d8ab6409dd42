import Chat
import Wire

/// How a gateway says that it is (docs/gateway.md 8).
struct GatewayHealth: HealthReporting {
  let api: GatewayAPI

  func health() async throws(BackendError) -> ServerHealth {
    let document = try await api.health()
    // One that is not well says so with a status of its own.
    guard let json = document.json, var health = ServerHealth(json), [200, 503].contains(document.status) else {
      throw api.failure(document.response, document.said)
    }
    if try await api.form() == .keeper {
      // It tells these elsewhere; without them it is as well.
      health.version = (try? await api.endpoint.get(api.root + "/version", signed: .not))?.json?["version"]?.word
      health.activeSessions =
        (try? await api.get("/sessions/stats"))?["session_stats"]?["active_sessions"]?.tokenCount
    }
    return health
  }
}

extension ServerHealth {
  /// nil for what says nothing of health.
  init?(_ json: JSON) {
    guard let isWell = json["ok"]?.bool ?? json["status"]?.string.map({ ["healthy", "ok"].contains($0) }) else {
      return nil
    }
    self.init(
      isWell: isWell, version: json["version"]?.word, programVersion: json["claude_version"]?.word,
      uptimeSeconds: json["uptime_seconds"]?.tokenCount, activeSessions: json["active_sessions"]?.tokenCount,
      problem: json["error"]?.word)
  }
}

/// What a server says of its own state (docs/gateway.md 8).
package protocol HealthReporting: Sendable {
  func health() async throws(BackendError) -> ServerHealth
}

/// How a server says that it is.
package struct ServerHealth: Sendable, Equatable {
  package var isWell: Bool
  /// Of the server, and of the program behind it where it runs one.
  package var version: String?
  package var programVersion: String?
  package var uptimeSeconds: Int?
  package var activeSessions: Int?
  /// Why it is not well, in its words.
  package var problem: String?

  package init(
    isWell: Bool, version: String? = nil, programVersion: String? = nil, uptimeSeconds: Int? = nil,
    activeSessions: Int? = nil, problem: String? = nil
  ) {
    self.isWell = isWell
    self.version = version
    self.programVersion = programVersion
    self.uptimeSeconds = uptimeSeconds
    self.activeSessions = activeSessions
    self.problem = problem
  }
}

import Chat

/// What stands in the way of a call, settled with the person as with any server.
extension Toolbox {
  /// Whether the call should be made again: the person has removed what stood in its way.
  mutating func settle(
    _ error: ToolError, of server: ToolServer, _ turn: inout TurnUnderWay,
    _ settled: inout Settled, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) -> Bool {
    guard try await settle(error, of: server, &settled, &links, &desk) else { return false }
    guard let tools = await toolConnection(to: server, links, desk) else { return false }
    turn.reconnect(server, by: tools)
    return true
  }
}

/// What stood in the way of a call, and the person may remove: nothing was sent, or nothing was done with it.
enum Obstacle: Hashable {
  case signIn(of: String)
  case certificate(Fingerprint, host: String, port: Int)
  case origin(String, of: String)

  /// nil for what nobody can settle.
  init?(_ error: ToolError, of server: ToolServer) {
    switch error {
    case .signInNeeded, .server(.unauthorized): self = .signIn(of: server.id)
    case .server(.withheld(let origin, _)): self = .origin(origin, of: server.id)
    case .server(.untrusted(let distrust)):
      let certificate = distrust.certificate
      self = .certificate(certificate.fingerprint, host: certificate.host, port: certificate.port)
    default: return nil
    }
  }
}

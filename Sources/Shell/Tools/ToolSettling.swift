import Chat
import Store
import Text

/// What stands in the way of a call, settled with the person as with any server.
extension Shell {
  /// Whether the call should be made again: the person has removed what stood in its way.
  mutating func settle(
    _ error: ToolError, of offered: OfferedTool, _ turn: inout TurnUnderWay, _ connection: inout Connection,
    _ settled: inout Settled
  ) async throws(ShellError) -> Bool {
    let server = offered.server
    switch error {
    case .server(let error) where server.platform != nil:
      // A platform's own are reached and signed in to with the platform.
      guard try await settle(error, &connection, &settled) else { return false }
      guard let anew = connection.backend.tooling?.connect(server) else { return false }
      await offered.connection.close()
      toolbox.connections[server.id] = anew
      turn.reconnect(server, by: anew)
      return true
    case .server(.untrusted(let distrust)): return try await settleTrust(distrust, &settled)
    default: return false
    }
  }
}

import Chat

/// What stands in the way of a call, settled with the person as with any server.
extension Shell {
  /// Whether the call should be made again: the person has removed what stood in its way.
  mutating func settle(
    _ error: ToolError, of server: ToolServer, _ turn: inout TurnUnderWay, _ connection: inout Connection,
    _ settled: inout Settled
  ) async throws(ShellError) -> Bool {
    var platform: Connection? = connection
    defer { connection = platform ?? connection }
    guard try await settle(error, of: server, &platform, &settled) else { return false }
    guard let tools = await toolConnection(to: server, platform) else { return false }
    turn.reconnect(server, by: tools)
    return true
  }
}

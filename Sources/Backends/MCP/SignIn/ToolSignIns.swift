package import Chat
package import Transport

extension SignIns {
  /// A connection to a server of tools that the person added. What signs in to it is kept under its address.
  package func connect(
    _ server: ToolServer, http: any HTTP, timeouts: Timeouts, programs: ToolPrograms? = nil,
    wantsLog: Bool = false
  ) -> MCPConnection {
    // A program asks nobody who they are.
    guard case .http(let url) = server.address else {
      return MCPConnection(
        server, http: http, timeouts: timeouts, memory: wires, programs: programs,
        wantsLog: wantsLog)
    }
    let signer = ToolSigner(toolEndpoint(Server(name: server.name, kind: "mcp", url: url), http, timeouts))
    let account = MCPAccount(signer: signer) { [wires] signer async throws(ToolError) in
      let trial = MCPConnection(server, http: http, timeouts: timeouts, signer: signer, memory: wires)
      let answer = await ToolAnswer.of { () async throws(ToolError) in try await trial.about() }
      await trial.close()
      _ = try answer.get()
    }
    return MCPConnection(
      server, http: http, timeouts: timeouts, signer: signer, account: account, memory: wires,
      wantsLog: wantsLog)
  }
}

/// What came of asking a server of tools, to be looked at later.
private enum ToolAnswer {
  static func of<T>(_ body: () async throws(ToolError) -> T) async -> Result<T, ToolError> {
    do throws(ToolError) { return .success(try await body()) } catch { return .failure(error) }
  }
}

package import Chat
package import Transport
package import Wire

/// Speaks the Model Context Protocol with one server, in whichever of its eras and by whichever way the server does
/// (MCP contract, sections 1 to 6).
package final class MCPConnection: ToolConnection, Sendable {
  package let server: ToolServer

  package let account: (any ToolAccount)?

  /// - Parameters:
  ///   - signer: signs what goes to a server over HTTP.
  ///   - account: the one that `signer` signs with, where the person can sign in.
  ///   - memory: knows how the server was spoken with before.
  package init(
    _ server: ToolServer, http: any HTTP, timeouts: Timeouts, signer: any MCPSigner = Unsigned(),
    account: (any ToolAccount)? = nil, memory: WireMemory = .ofThisProcess
  ) {
    self.server = server
    self.account = account
  }

  package func about() async throws(ToolError) -> ToolServerFacts { throw .notOffered("anything") }
  package func tools() async throws(ToolError) -> [Tool] { throw .notOffered("tools") }
  package func call(_ tool: String, _ arguments: JSON) -> ToolRun {
    ToolRun(next: { () async throws(ToolError) in throw .notOffered("tools") }, stop: {})
  }
  package func prompts() async throws(ToolError) -> [ToolPrompt] { throw .notOffered("prompts") }
  package func prompt(_ name: String, _ arguments: [String: String]) async throws(ToolError) -> [PromptMessage] {
    throw .notOffered("prompts")
  }
  package func resources() async throws(ToolError) -> [ToolResource] { throw .notOffered("resources") }
  package func read(_ uri: String) async throws(ToolError) -> [ResourceContent] { throw .notOffered("resources") }
  package func close() async {}
}

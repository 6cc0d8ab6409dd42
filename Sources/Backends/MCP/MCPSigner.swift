package import Chat
package import Transport

/// Puts on the requests to a server of tools what says who asks (MCP contract, section 7).
///
/// A request goes to the server's own origin only: `MCPConnection` follows no redirect to another, and takes no address
/// of another from a server.
package protocol MCPSigner: Sendable {
  /// Signs a request. One for which there is nothing to sign with goes as it is.
  func sign(_ request: inout HTTPRequest) async throws(ToolError)

  /// Looks at a 401 or 403, and says whether the request is worth sending again, signed anew: at most once for each
  /// request. After false, the caller is told that a sign-in is needed; a better reason may be thrown.
  /// - Parameters:
  ///   - request: as it was signed.
  ///   - response: whose body need not be read, and is closed by the caller.
  func refused(_ request: HTTPRequest, _ response: HTTPResponse) async throws(ToolError) -> Bool

  /// What a server said, without our secrets in it.
  func masked(_ bytes: [UInt8]) -> [UInt8]
}

/// Signs nothing.
package struct Unsigned: MCPSigner {
  package init() {}
  package func sign(_ request: inout HTTPRequest) async throws(ToolError) {}
  package func refused(_ request: HTTPRequest, _ response: HTTPResponse) async throws(ToolError) -> Bool { false }
  package func masked(_ bytes: [UInt8]) -> [UInt8] { bytes }
}

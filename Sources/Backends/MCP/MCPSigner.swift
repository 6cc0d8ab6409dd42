package import Chat
package import Transport
import Wire

/// Puts on the requests to a server of tools what says who asks (docs/mcp.md 7).
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

  /// Takes what it signs with out of what a server says; nil when it signs with nothing.
  var secrets: SecretMask? { get }
}

/// Signs nothing.
package struct Unsigned: MCPSigner {
  package init() {}
  package func sign(_ request: inout HTTPRequest) async throws(ToolError) {}
  package func refused(_ request: HTTPRequest, _ response: HTTPResponse) async throws(ToolError) -> Bool { false }
  package var secrets: SecretMask? { nil }
}

extension MCPSigner {
  /// What a server said, without our secrets in it.
  func masked(_ bytes: [UInt8]) -> [UInt8] { secrets?(bytes) ?? bytes }

  /// A message of a server that repeats what it was signed in with: a result goes to the model and into the history.
  func masked(_ message: JSONRPCMessage) -> JSONRPCMessage {
    guard let secrets else { return message }
    guard case .response(let id, let result) = message else { return secrets(message) }
    return .response(id: id, result: secrets(result).keeping(MCPWords.opaque, of: result))
  }
}

private enum MCPWords {
  /// What only goes back to the server, as it came.
  static let opaque = ["requestState", "nextCursor"]
}

extension JSON {
  fileprivate func keeping(_ keys: [String], of original: JSON) -> JSON {
    var json = self
    for key in keys { if let value = original[key] { json[key] = value } }
    return json
  }
}

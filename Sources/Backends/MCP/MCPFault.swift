import Chat
import Wire

/// Why a request came to nothing, and what that means for sending it again.
enum MCPFault: Error, Sendable {
  /// The session is over, so nothing was carried out.
  case sessionGone(ToolError)
  /// The server does not speak this era, at least not any more; nothing was carried out.
  case otherEra(ToolError)
  /// The connection ended, and nobody knows whether it was carried out.
  case cut
  /// The server says no, in the words of the protocol.
  case refused(RPCFailure)
  /// Nothing helps.
  case failed(ToolError)
}

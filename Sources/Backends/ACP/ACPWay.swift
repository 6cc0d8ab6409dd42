import Chat
import Transport
import Wire

/// A way to an agent: what is said in JSON-RPC goes by it (docs/acp.md 1 and 10).
protocol ACPWay: RPCChannel {
  /// Whom to name in an error.
  var name: String { get }
  /// The last of what the agent's program wrote to its standard error; empty where that is not to be had.
  var log: String { get }
  /// The answer to `initialize`, where the way has asked for it itself.
  var hello: JSON? { get }
  /// What came by it before it was read.
  var early: [JSONLines.Line] { get }
  /// What our requests are called, where others are answered by the same way.
  var prefix: String? { get }

  /// A text of the agent's without our secrets in it: it may know them, and is shown and kept.
  func masked(_ text: String) -> String

  /// Why a request by it has no answer.
  func end() async -> BackendError
}

extension StdioChannel: ACPWay {
  /// What `session/prompt` may bring in one message: an embedded file or picture (docs/acp.md 1).
  private static let limit = 64 << 20

  /// Starts an agent's program.
  convenience init(_ address: ACPAddress, _ surroundings: Surroundings) async throws(BackendError) {
    do throws(ToolError) {
      try await self.init(
        command: address.command, passing: address.passing, environment: surroundings.environment,
        children: surroundings.children, in: address.folder ?? surroundings.folder, lineLimit: StdioChannel.limit)
    } catch {
      throw BackendError(starting: error)
    }
  }

  var hello: JSON? { nil }
  var early: [JSONLines.Line] { [] }
  var prefix: String? { nil }

  func masked(_ text: String) -> String { text }

  func end() async -> BackendError { BackendError(starting: await exit()) }
}

import Chat
import Store

/// The tools of a run: who has some, which are chosen, and what the person has let run.
struct Toolbox: Sendable {
  /// The servers of tools that were last seen: the platform's own and those that the person added.
  var servers: [ToolServer] = []
  /// By the server's id. A connection lives until the run ends, or its server is dropped.
  var connections: [String: any ToolConnection] = [:]
}

extension Shell {
  /// The tools that a message offers its model: those chosen that are there, on servers that can be asked. Those that
  /// are missing are passed over in silence (Kamiwaza document, 5.3).
  mutating func offeredTools(_ connection: inout Connection) async throws(ShellError) -> [OfferedTool] { [] }
}

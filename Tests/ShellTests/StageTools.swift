import Chat
import Wire

/// A server of tools in a transcript.
struct StageTools: ToolConnection {
  let server: ToolServer
  let stage: Stage

  func about() async throws(ToolError) -> ToolServerFacts { throw .notOffered("anything") }
  func tools() async throws(ToolError) -> [Tool] { throw .notOffered("tools") }
  func call(_ tool: String, _ arguments: JSON) -> ToolRun {
    ToolRun(next: { () async throws(ToolError) in throw .notOffered("tools") }, stop: {})
  }
  func prompts() async throws(ToolError) -> [ToolPrompt] { throw .notOffered("prompts") }
  func prompt(_ name: String, _ arguments: [String: String]) async throws(ToolError) -> [PromptMessage] {
    throw .notOffered("prompts")
  }
  func resources() async throws(ToolError) -> [ToolResource] { throw .notOffered("resources") }
  func read(_ uri: String) async throws(ToolError) -> [ResourceContent] { throw .notOffered("resources") }
  var account: (any ToolAccount)? { nil }
  func close() async {}
}

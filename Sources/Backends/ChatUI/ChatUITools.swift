import Chat
import Wire

/// The servers of tools that a chat-ui server calls for its models (docs/chatui.md 5.3).
struct ChatUITools: RemoteTools {
  let api: ChatUIAPI

  func choices() async throws(BackendError) -> RemoteToolChoices {
    _ = try await list()
    return .servers
  }

  /// A choice is made of servers here, so that tools that cannot be read are missed by none.
  func servers(isWhole: Bool) async throws(BackendError) -> [RemoteToolServer] {
    var servers: [RemoteToolServer] = []
    for entry in try await list() {
      // They are chosen by their names.
      guard let name = entry["name"]?.word else { continue }
      var server = RemoteToolServer(id: name, name: name, scope: entry["type"]?.word)
      if let url = entry["url"]?.word { await look(at: url, &server) }
      servers.append(server)
    }
    return servers
  }

  private func list() async throws(BackendError) -> [JSON] {
    do throws(BackendError) {
      let answer = try await api.get("/api/mcp/servers")
      return answer.array ?? answer["servers"]?.array ?? []
    } catch {
      // Servers that are older call none.
      throw error.isMissing ? .notOffered("MCP servers") : error
    }
  }

  /// Whether it answers, and what it has; the server itself asks it.
  private func look(at url: String, _ server: inout RemoteToolServer) async {
    // A server of tools of which nothing can be learnt is listed all the same.
    let asked = try? await api.ask("POST", "/api/mcp/health", ["url": .string(url)])
    // A failure has its words in the same place.
    guard let health = asked?.json.map(ChatUIAPI.opened) else { return }
    server.tools = (health["tools"]?.array ?? []).compactMap { tool in
      tool["name"]?.word.map { RemoteTool(name: $0, about: tool["description"]?.word, parameters: tool["inputSchema"]) }
    }
    if health["ready"]?.bool == true {
      server.state = "connected"
    } else {
      server.state = ["not connected", health["error"]?.word].compactMap(\.self).joined(separator: ": ")
    }
  }

  /// It goes along with each message.
  func choose(_ choice: RemoteToolChoice, for conversation: String) async throws(BackendError) {}
}

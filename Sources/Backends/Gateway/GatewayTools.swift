import Chat
import Wire

/// The MCP servers that a gateway shows (docs/gateway.md 7).
struct GatewayTools: RemoteTools {
  let api: GatewayAPI

  func choices() async throws(BackendError) -> RemoteToolChoices {
    let form = try await api.form()
    guard form != .program else { throw GatewayTools.none }
    return form.takesToolChoice ? [.servers, .tools, .order, .audit] : []
  }

  private static let none = BackendError.notOffered("MCP servers")

  func servers(isWhole: Bool) async throws(BackendError) -> [RemoteToolServer] {
    let form = try await api.form()
    guard form != .program else { throw GatewayTools.none }
    let list: JSON
    do throws(BackendError) { list = try await api.get("/mcp/servers") } catch {
      throw error.isMissing ? GatewayTools.none : error
    }
    guard let entries = list["servers"]?.array ?? list["data"]?.array ?? list.array else {
      throw .malformed(address: api.address, detail: "no list of MCP servers")
    }
    var servers = entries.compactMap(RemoteToolServer.init)
    for index in servers.indices {
      do throws(BackendError) { servers[index].tools = try await tools(of: servers[index], form) } catch {
        // To be looked at, the others are as good.
        if isWhole || error == .cancelled { throw error }
      }
    }
    return servers
  }

  private func tools(of server: RemoteToolServer, _ form: GatewayForm) async throws(BackendError) -> [RemoteTool] {
    let path: String
    switch form {
    case .documented: path = "/mcp/servers/\(server.id.percentEncoded)/tools"
    case .relay: path = "/mcp/tools?server=\(server.id.percentEncoded)"
    case .program, .keeper: return []
    }
    return (try await api.get(path)["tools"]?.array ?? []).compactMap(RemoteTool.init)
  }

  func choose(_ choice: RemoteToolChoice, for conversation: String) async throws(BackendError) {
    do throws(BackendError) {
      try await api.send("POST", "/sessions/\(conversation.percentEncoded)/tools", choice.json)
    } catch {
      // It goes along with each message too: a session that is gone needs none.
      guard error.isMissing else { throw error }
    }
  }
}

extension RemoteToolServer {
  fileprivate init?(_ json: JSON) {
    guard let id = json["id"]?.word ?? json["name"]?.word else { return nil }
    let state =
      json["status"]?.word
      ?? json["connected"]?.bool.map { $0 ? "connected" : "not connected" }
    self.init(
      id: id, name: json["name"]?.word ?? id,
      state: [state, json["error"]?.word].compactMap(\.self).joined(separator: ": "),
      about: json["description"]?.word, scope: json["scope"]?.word, version: json["version"]?.word,
      isEnabled: json["enabled"]?.bool, toolCount: json["tools_count"]?.tokenCount)
  }
}

extension RemoteTool {
  fileprivate init?(_ json: JSON) {
    guard let name = json["name"]?.word else { return nil }
    self.init(
      name: name, title: json["title"]?.word, about: json["description"]?.word,
      parameters: (json["inputSchema"] ?? json["input_schema"] ?? json["parameters"]).flatMap { $0.isNull ? nil : $0 },
      isDangerous: json["dangerous"]?.bool ?? false)
  }
}

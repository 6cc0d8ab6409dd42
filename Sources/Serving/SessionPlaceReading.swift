import Chat
import Wire

extension SessionPlace {
  /// Reads `cwd` and `mcpServers` (docs/acp.md 3 and 11).
  init(_ params: JSON, isFolder: (String) -> Bool) throws(RPCFailure) {
    guard let folder = params["cwd"]?.string, folder.hasPrefix("/") else {
      throw .invalid("cwd is to be an absolute path")
    }
    guard isFolder(folder) else { throw .invalid("there is no folder \(folder)") }
    self.folder = folder
    for server in params["mcpServers"]?.array ?? [] { try add(server) }
  }

  private mutating func add(_ json: JSON) throws(RPCFailure) {
    guard let name = json["name"]?.string, !name.isEmpty else { throw .invalid("an MCP server without a name") }
    guard json["type"] == nil || json["type"] == "stdio", let command = json["command"]?.string, !command.isEmpty else {
      throw .invalid("MCP server '\(name)' is no program, and others are not taken")
    }
    var own: [String: String] = [:]
    for variable in json["env"]?.array ?? [] {
      if let name = variable["name"]?.string, let value = variable["value"]?.string { own[name] = value }
    }
    let words = [command] + (json["args"]?.array ?? []).compactMap(\.string)
    toolServers.append(
      ToolServer(id: name, name: name, address: .command(words, passing: own.keys.sorted())))
    variables[name] = own
  }
}

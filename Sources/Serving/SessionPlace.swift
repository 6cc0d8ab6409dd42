package import Chat
import Wire

/// Where a session is, and what the editor lends it.
package struct SessionPlace: Sendable {
  /// An absolute path; nil is where the program was started.
  package private(set) var folder: String?
  package private(set) var servers: [LentServer] = []

  /// Where the program was started, with nothing lent.
  package init() {}

  /// A tool server that the editor has us start: a program, with variables that are its alone.
  package struct LentServer: Sendable {
    package var server: ToolServer
    package var variables: [String: String]
  }

  /// What is lent for a server; nil for one of the person's own.
  package func lent(_ server: ToolServer) -> LentServer? { servers.first { $0.server.id == server.id } }
}

extension SessionPlace {
  /// Reads `cwd` and `mcpServers` (docs/acp.md 3 and 11).
  init(_ params: JSON, isFolder: (String) -> Bool) throws(RPCFailure) {
    guard let folder = params["cwd"]?.string, folder.hasPrefix("/") else {
      throw .invalid("cwd is to be an absolute path")
    }
    guard isFolder(folder) else { throw .invalid("there is no folder \(folder)") }
    self.folder = folder
    for json in params["mcpServers"]?.array ?? [] {
      let lent = try LentServer(json)
      guard self.lent(lent.server) == nil else { throw .invalid("two MCP servers are called '\(lent.server.name)'") }
      servers.append(lent)
    }
  }
}

extension SessionPlace.LentServer {
  fileprivate init(_ json: JSON) throws(RPCFailure) {
    guard let name = json["name"]?.string, !name.isEmpty else { throw .invalid("an MCP server without a name") }
    guard [nil, .null, "stdio"].contains(json["type"]), let command = json["command"]?.string, !command.isEmpty else {
      throw .invalid("MCP server '\(name)' is no program: others are not taken, add them to parley with /tools add")
    }
    variables = [:]
    for variable in json["env"]?.array ?? [] {
      guard let name = variable["name"]?.string, let value = variable["value"]?.string else { continue }
      variables[name] = value
    }
    let words = [command] + (json["args"]?.array ?? []).compactMap(\.string)
    // Under an id that none of the person's own has.
    server = ToolServer(id: "editor/" + name, name: name, address: .command(words, passing: variables.keys.sorted()))
  }
}

extension RPCFailure {
  static func invalid(_ reason: String) -> RPCFailure { RPCFailure(code: invalidParams, message: reason) }
}

package import Chat
import Store
import Wire

/// Where a session is, and what the editor lends it.
package struct SessionPlace: Sendable {
  /// An absolute path; nil is where the program was started.
  package private(set) var folder: String?
  package private(set) var servers: [LentServer] = []
  /// The names of servers that cannot be taken; some editors hand on all that they have.
  private(set) var leftOut: [String] = []

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
    guard let folder = params["cwd"]?.string, folder.hasPrefix("/"), !folder.contains("\0") else {
      throw .invalid("cwd is to be an absolute path")
    }
    guard isFolder(folder) else { throw .invalid("there is no folder \(folder)") }
    self.folder = folder
    for json in try (params["mcpServers"] ?? []).list(of: "mcpServers") {
      guard let lent = try LentServer(json, in: folder) else {
        leftOut.append(json["name"]?.string ?? "")
        continue
      }
      guard self.lent(lent.server) == nil else { throw .invalid("two MCP servers are called '\(lent.server.name)'") }
      servers.append(lent)
    }
  }
}

extension SessionPlace.LentServer {
  /// nil for one that is no program.
  fileprivate init?(_ json: JSON, in folder: String) throws(RPCFailure) {
    guard let name = json["name"]?.string, !name.isEmpty else { throw .invalid("an MCP server without a name") }
    guard [nil, .null, "stdio"].contains(json["type"]) else { return nil }
    guard let command = json["command"]?.string, !command.isEmpty else {
      throw .invalid("MCP server '\(name)' has no command")
    }
    variables = [:]
    for variable in try (json["env"] ?? []).list(of: "env") {
      guard let name = variable["name"]?.string, let value = variable["value"]?.string else {
        throw .invalid("a variable of MCP server '\(name)' is none")
      }
      variables[name] = value
    }
    var words = [command]
    for word in try (json["args"] ?? []).list(of: "args") {
      guard let text = word.string else { throw .invalid("an argument of MCP server '\(name)' is no text") }
      words.append(text)
    }
    // Under an id that none of the person's own has.
    server = ToolServer(id: "editor/" + name, name: name, address: .command(words, passing: variables.keys.sorted()))
    let lent: JSON = [
      "folder": .string(folder), "variables": .object(variables.map { JSON.Member($0.key, .string($0.value)) }),
    ]
    // What was allowed for good with other variables, or elsewhere, was another thing.
    server.setting = "lent, " + ToolDigest.of(lent).prefix(32)
  }
}

extension JSON {
  fileprivate func list(of name: String) throws(RPCFailure) -> [JSON] {
    if isNull { return [] }
    guard let array else { throw .invalid("\(name) is to be a list") }
    return array
  }
}

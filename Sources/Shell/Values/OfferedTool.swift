import Chat
import Store

/// A tool as a model is offered it: under a name of its own, and with the connection to whom it is of.
struct OfferedTool: Sendable {
  /// Its `name` is the one the model knows: unique among all that are offered, and of letters, digits, `_` and `-`.
  var tool: Tool
  /// What it is, whatever a model is told of it.
  let identity: ToolIdentity
  let server: ToolServer
  var connection: any ToolConnection

  /// - Parameter tool: as its server lists it.
  init(_ tool: Tool, of server: ToolServer, by connection: any ToolConnection) {
    self.tool = tool
    identity = ToolIdentity(tool, of: server)
    self.server = server
    self.connection = connection
  }

  /// Its name on its server.
  var ownName: String { identity.name }
}

extension [OfferedTool] {
  /// The one of this name; models also write the name that a tool has on its server.
  func tool(called name: String) -> OfferedTool? {
    if let exact = first(where: { $0.tool.name == name }) { return exact }
    let others = filter { $0.ownName == name }
    return others.count == 1 ? others.first : nil
  }
}

/// What makes a tool the one that was allowed, and no other: its server's place, and all that it says of itself
/// (docs/rules.md A8).
struct ToolIdentity: Sendable, Hashable {
  let place: String
  /// What the server is called, and what a choice knows it by.
  let server, serverID: String
  /// Its own name.
  let name: String
  let digest: String
  /// Whether a shell reads what it is given: what it does depends on more than its words, and each call is asked about
  /// (docs/rules.md A1).
  let isShellLine: Bool

  /// - Parameter tool: as its server lists it, nothing cut or filtered.
  init(_ tool: Tool, of server: ToolServer) {
    place = server.setting.isEmpty ? server.place : "\(server.place) [\(server.setting)]"
    self.server = server.name
    serverID = server.id
    name = tool.name
    digest = ToolDigest.of(tool)
    isShellLine = server.address == .terminals && tool.name == TerminalTool.run.rawValue
  }
}

extension ToolServer {
  /// Where it is, for permissions: what makes it this one and no other, whatever it is called.
  var place: String {
    switch address {
    case .http(let url): url
    case .command(let words, _): words.map(Words.quoted).joined(separator: " ")
    // No words of a program are written so.
    case .terminals: "parley's own"
    }
  }
}

import Chat
import Store

/// The tools of a run: who has some, which are chosen, and what is known of each.
struct Toolbox: Sendable {
  /// The servers of tools that were last seen: the person's own and those of the platform in use.
  var servers: [ToolServer] = []
  /// The address of the platform whose servers those are; nil before one was asked.
  var platform: String?
  /// Whether the platform is to be asked again: a new session looks at what there is.
  var isStale = false
  /// By the server's id. A connection lives until the run ends, or its server is dropped.
  var connections: [String: any ToolConnection] = [:]
  /// What each server listed last, by its id.
  var tools: [String: [Tool]] = [:]
  /// What each server had to read, by its name: for Tab.
  var resources: [String: [ToolResource]] = [:]
  /// The prompts of each server, by its name: for Tab.
  var prompts: [String: [ToolPrompt]] = [:]
  /// nil until it is needed: at the start and after `/new`.
  var choice: ToolChoice?
  /// What the command line names: what `--yes` is said to.
  var named = ToolChoice()
  /// When a server could not be asked, by its id, in seconds of `World.uptime`; infinity for one that was silent, which no
  /// message of this session asks again.
  var failedAt: [String: Double] = [:]

  /// For so long a server that did not answer is not asked again by a message.
  static let rest = 60.0
  /// For so many seconds a message waits for the lists of tools that were remembered.
  static let patience = 5.0
}

extension Shell {
  /// The servers of tools there are: the person's own, and those of the platform in use.
  /// - Parameter isFresh: the platform is asked even though it was before.
  mutating func findToolServers(
    isFresh: Bool
  ) async throws(ShellError) -> [ToolServer] {
    await refreshToolServers()
    let own = toolServers.entries.map(\.server)
    let before = toolbox.servers.filter { $0.platform != nil }
    toolbox.servers = own + before
    guard let platform = links.front?.server.url, links.tooling != nil else {
      await forgetPlatform()
      return own
    }
    if toolbox.platform != platform { await forgetPlatform() }
    if toolbox.platform == nil || toolbox.isStale || isFresh {
      let listed = try await links.asking(&desk) { backend throws(BackendError) in
        try await backend.tooling?.servers() ?? []
      }
      toolbox.platform = platform
      toolbox.isStale = false
      toolbox.servers = own + Toolbox.distinct(listed, besides: own)
      await forgetGone()
    }
    return toolbox.servers
  }

  /// Reads the list again when another shell has changed it; what is wrong with it is said once.
  mutating func refreshToolServers() async {
    if toolServers.refresh() { await forgetGone() }
    if let problem = toolServers.problem { desk.sayOnce(Wording.toolServers(problem), .warning) }
  }

  /// Ends the connections to servers that are on no list any more, and the programs behind them.
  private mutating func forgetGone() async {
    let own = Set(toolServers.entries.map(\.server.id))
    let platform = Set(toolbox.servers.filter { $0.platform != nil }.map(\.id))
    for (id, connection) in toolbox.connections {
      let listed = connection.server.platform == nil ? own : platform
      if !listed.contains(id) { await forgetTools(of: id) }
    }
  }

  /// Connections of another platform are of no use any more.
  private mutating func forgetPlatform() async {
    for server in toolbox.servers where server.platform != nil { await forgetTools(of: server.id) }
    toolbox.servers.removeAll { $0.platform != nil }
    toolbox.platform = nil
  }

  /// Ends the connection to a server of tools, and what was known of it.
  mutating func forgetTools(of id: String) async {
    toolbox.tools[id] = nil
    toolbox.failedAt[id] = nil
    await toolbox.connections.removeValue(forKey: id)?.close()
  }

  /// Ends the programs and the sessions of the run.
  mutating func closeTools() async {
    let connections = Array(toolbox.connections.values)
    toolbox.connections = [:]
    await withTaskGroup(of: Void.self) { group in
      for connection in connections { group.addTask { await connection.close() } }
    }
  }

  /// Connects when first needed. - Returns: nil for a platform's when another server is in use.
  mutating func toolConnection(
    to server: ToolServer
  ) async -> (any ToolConnection)? {
    if let known = toolbox.connections[server.id] {
      if known.server.address == server.address, known.server.platform == server.platform { return known }
      await forgetTools(of: server.id)
    }
    let made =
      server.platform == nil
      ? desk.world.connectTools(server, desk.preferences.timeouts) : links.tooling?.connect(server)
    toolbox.connections[server.id] = made
    return made
  }
}

extension Toolbox {
  /// A platform cannot take the place of a server that the person added, or have two of one id.
  fileprivate static func distinct(_ listed: [ToolServer], besides own: [ToolServer]) -> [ToolServer] {
    var ids = Set(own.map(\.id))
    return listed.filter { ids.insert($0.id).inserted }
  }
}

import Chat
import Store

/// The tools of a run: who has some, which are chosen, and what is known of each.
struct Toolbox {
  /// Those that the person added, and what they let run for good.
  var toolServers: ToolServers
  var permissions: Permissions
  /// Those that somebody else adds for the session, such as an editor.
  var lent: [ToolServer] = []
  /// What the person let tools do until the session ends.
  var grants = Grants()
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
  /// When a server could not be asked for a reason that the person may remove, by its id, in seconds of `World.uptime`.
  var failedAt: [String: Double] = [:]
  /// The servers, by id, that a message went without and that the person was told of.
  var missing: Set<String> = []

  /// For so many seconds no message asks the person again to remove what stands in the way of a server.
  static let rest = 60.0
  /// For so many seconds a message waits for a server that the last one went without; after so many seconds the person is
  /// told which servers are waited for.
  static let patience = 5.0
}

extension Toolbox {
  /// The person's, and those that are lent; of two with one name the person's.
  var added: [ToolServer] { Toolbox.distinct(toolServers.entries.map(\.server) + lent, besides: []) }

  /// All that no platform has: the last is the program's own, where there is a terminal to be had and nobody's server is
  /// called so (docs/terminals.md 11).
  func own(_ links: Links, _ desk: Desk) -> [ToolServer] {
    let added = self.added
    return links.hasTerminals(desk) ? added + Toolbox.distinct([.terminals], besides: added) : added
  }

  /// What is offered is chosen anew, and the platform asked again.
  mutating func beginAnew() {
    choice = nil
    isStale = true
  }

  /// The servers of tools there are: the person's own, and those of the platform in use.
  /// - Parameter isFresh: the platform is asked even though it was before.
  mutating func findToolServers(
    isFresh: Bool, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) -> [ToolServer] {
    await refreshToolServers(&desk)
    let own = own(links, desk)
    let before = self.servers.filter { $0.platform != nil }
    self.servers = own + before
    guard let platform = links.front?.server.url, links.tooling != nil else {
      await forgetPlatform()
      return own
    }
    if self.platform != platform { await forgetPlatform() }
    if self.platform == nil || isStale || isFresh {
      let listed = try await links.asking(&desk) { backend throws(BackendError) in
        try await backend.tooling?.servers() ?? []
      }
      self.platform = platform
      isStale = false
      self.servers = own + Toolbox.distinct(listed, besides: own)
      await forgetGone()
    }
    return self.servers
  }

  /// Reads the list again when another shell has changed it; what is wrong with it is said once.
  mutating func refreshToolServers(_ desk: inout Desk) async {
    if toolServers.refresh() { await forgetGone() }
    if let problem = toolServers.problem { desk.sayOnce(Wording.toolServers(problem), .warning) }
  }

  /// Ends the connections to servers that are on no list any more, and the programs behind them.
  private mutating func forgetGone() async {
    let own = Set(added.map(\.id))
    let platform = Set(self.servers.filter { $0.platform != nil }.map(\.id))
    for (id, connection) in self.connections {
      let listed = connection.server.platform == nil ? own : platform
      if !listed.contains(id) { await forgetTools(of: id) }
    }
  }

  /// Connections of another platform are of no use any more.
  private mutating func forgetPlatform() async {
    for server in self.servers where server.platform != nil { await forgetTools(of: server.id) }
    self.servers.removeAll { $0.platform != nil }
    self.platform = nil
  }

  /// Ends the connection to a server of tools, and removes everything that it listed.
  mutating func forgetTools(of id: String) async {
    self.tools[id] = nil
    failedAt[id] = nil
    missing.remove(id)
    guard let connection = self.connections.removeValue(forKey: id) else { return }
    (resources[connection.server.name], prompts[connection.server.name]) = (nil, nil)
    await connection.close()
  }

  /// Ends the programs and the sessions of the run.
  mutating func closeTools() async {
    let connections = Array(self.connections.values)
    self.connections = [:]
    await withTaskGroup(of: Void.self) { group in
      for connection in connections { group.addTask { await connection.close() } }
    }
  }

  /// Connects when first needed. - Returns: nil for a platform's when another server is in use.
  mutating func toolConnection(
    to server: ToolServer, _ links: Links, _ desk: Desk
  ) async -> (any ToolConnection)? {
    // Made anew, as the servers that are kept come and go; it holds no connection of its own.
    if server.address == .terminals { return TerminalTools(links.terminalPlaces(desk), desk) }
    if let known = self.connections[server.id] {
      if known.server.address == server.address, known.server.platform == server.platform { return known }
      await forgetTools(of: server.id)
    }
    let made =
      server.platform == nil
      ? desk.world.connectTools(server, desk.preferences.timeouts) : links.tooling?.connect(server)
    self.connections[server.id] = made
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

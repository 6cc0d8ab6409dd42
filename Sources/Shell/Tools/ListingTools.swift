import Chat
import Store

extension Toolbox {
  /// What servers of tools have: all are asked at once, and what stands in the way is then settled one after the other.
  /// - Parameters:
  ///   - settles: false asks the person nothing.
  ///   - patience: the seconds that a message waits for those who are silent, once; nil waits as long as for any request.
  mutating func shelves(
    of servers: [ToolServer], settles: Bool = true, within patience: Double? = nil, _ links: inout Links,
    _ desk: inout Desk
  ) async throws(ShellError) -> [ToolShelf] {
    var connections: [(index: Int, tools: any ToolConnection)] = []
    for (index, server) in servers.enumerated() {
      if let tools = await toolConnection(to: server, links, desk) { connections.append((index, tools)) }
    }
    let asked = await desk.interruptible { [connections, pause = desk.world.pause] () throws(Never) in
      await Toolbox.lists(connections, within: patience, pause)
    }.get()
    var shelves: [ToolShelf] = []
    for (index, server) in servers.enumerated() {
      switch asked[index] {
      case .success(let tools): shelves.append(ToolShelf(server: server, tools: tools))
      case .failure(.cancelled), .failure(.server(.cancelled)): throw .interrupted
      case .failure(let error): shelves.append(try await settled(error, server, settles: settles, &links, &desk))
      case nil: shelves.append(ToolShelf(server: server, tools: knownTools(of: server), failure: .lost))
      }
      note(shelves[index], desk)
      if let patience, case .timedOut(.request, patience)? = shelves[index].failure {
        failedAt[server.id] = .infinity
      }
    }
    return shelves
  }

  private static func lists(
    _ connections: [(index: Int, tools: any ToolConnection)], within patience: Double?,
    _ pause: @escaping @Sendable (Double) async -> Void
  ) async -> [Int: Result<[Tool], ToolError>] {
    await withTaskGroup(of: (Int, Result<[Tool], ToolError>)?.self) { group in
      for (index, connection) in connections {
        group.addTask {
          let list = await Toolbox.list(connection)
          return (index, list)
        }
      }
      if let patience {
        group.addTask {
          await pause(patience)
          return nil
        }
      }
      var found: [Int: Result<[Tool], ToolError>] = [:]
      while found.count < connections.count, let next = await group.next() {
        // Those who are silent are asked no longer.
        guard let (index, list) = next else { break }
        found[index] = list
      }
      group.cancelAll()
      for (index, _) in connections where found[index] == nil {
        found[index] = .failure(Task.isCancelled ? .cancelled : .timedOut(.request, seconds: patience ?? 0))
      }
      return found
    }
  }

  /// Apart from the tuple that it goes into: with optimization, Swift 6.3 mixes up the elements before a `try await` in
  /// a tuple that a `do throws` returns.
  private static func list(_ connection: any ToolConnection) async -> Result<[Tool], ToolError> {
    do throws(ToolError) { return .success(try await connection.tools()) } catch { return .failure(error) }
  }

  private mutating func settled(
    _ error: ToolError, _ server: ToolServer, settles: Bool, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) -> ToolShelf {
    // A server may have prompts or things to read, and no tools.
    if case .notOffered = error { return ToolShelf(server: server, tools: []) }
    var last = error
    var isSettled = Settled()
    do throws(ShellError) {
      if settles, try await settle(error, of: server, &isSettled, &links, &desk) {
        return ToolShelf(
          server: server,
          tools: try await asking(server, &links, &desk) { tools throws(ToolError) in try await tools.tools() })
      }
    } catch {
      guard case .tool(let reason, _) = error else { throw error }
      last = reason
    }
    return ToolShelf(server: server, tools: knownTools(of: server), failure: last)
  }

  /// As they were last listed, in this run, by the platform, or in an earlier one.
  func knownTools(of server: ToolServer) -> [Tool] {
    self.tools[server.id] ?? server.tools
      ?? toolServers.entries.first { server.platform == nil && $0.server.name == server.name }?.tools ?? []
  }

  private mutating func note(_ shelf: ToolShelf, _ desk: Desk) {
    let id = shelf.server.id
    guard shelf.failure == nil else {
      failedAt[id] = desk.world.uptime()
      return
    }
    failedAt[id] = nil
    self.tools[id] = shelf.tools
    guard shelf.server.platform == nil,
      toolServers.entries.contains(where: { $0.server.name == shelf.server.name && $0.tools != shelf.tools })
    else { return }
    try? toolServers.keep(shelf.tools, of: shelf.server.name)  // for Tab alone: it is listed anew at the next use
  }
}

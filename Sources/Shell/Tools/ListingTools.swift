import Chat
import Store

extension Toolbox {
  /// What servers of tools have: all are started and asked at once, and what stands in the way is then settled one after
  /// the other.
  /// - Parameters:
  ///   - settles: false asks the person nothing.
  ///   - seconds: how long a message waits for those that start; nil waits as long as for any request. A server that the
  ///     last message went without gets less: its start goes on behind the message.
  mutating func shelves(
    of servers: [ToolServer], settles: Bool = true, within seconds: Double? = nil, _ links: inout Links,
    _ desk: inout Desk
  ) async throws(ShellError) -> [ToolShelf] {
    var wanted = ToolLists(seconds: seconds, pause: desk.world.pause)
    for (index, server) in servers.enumerated() {
      guard let tools = await toolConnection(to: server, links, desk) else { continue }
      wanted.connections.append(
        ToolLists.Connection(index: index, tools: tools, wasMissing: missing.contains(server.id)))
    }
    let (terminal, isQuiet) = (desk.world.terminal, desk.options.isQuiet)
    let asked = await desk.interruptible { [wanted] () throws(Never) in
      await wanted.all { names in
        guard !isQuiet else { return }
        terminal.write(
          .text("waiting for \(names.joined(separator: ", ")) to start; Ctrl-C stops waiting\n", .dim), to: .notices)
      }
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
    }
    return shelves
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
    failedAt[id] = nil
    if let failure = shelf.failure {
      if Obstacle(failure, of: shelf.server) != nil { failedAt[id] = desk.world.uptime() }
      return
    }
    self.tools[id] = shelf.tools
    guard shelf.server.platform == nil,
      toolServers.entries.contains(where: { $0.server.name == shelf.server.name && $0.tools != shelf.tools })
    else { return }
    try? toolServers.keep(shelf.tools, of: shelf.server.name)  // for Tab alone: it is listed anew at the next use
  }
}

/// The lists of tools of several servers, which are asked at once.
private struct ToolLists: Sendable {
  struct Connection: Sendable {
    var index: Int
    var tools: any ToolConnection
    /// Whether the last message went without it.
    var wasMissing: Bool
  }

  var connections: [Connection] = []
  /// nil waits as long as for any request.
  let seconds: Double?
  let pause: @Sendable (Double) async -> Void

  private enum Event: Sendable {
    case listed(Int, Result<[Tool], ToolError>)
    /// The time of those that were missing is over.
    case patienceOver
    case over
  }

  /// - Parameter waiting: told the names of the servers that are waited for, when that takes long.
  func all(waiting: @Sendable ([String]) -> Void) async -> [Int: Result<[Tool], ToolError>] {
    await withTaskGroup(of: Event.self) { group in
      for connection in connections {
        group.addTask {
          let list = await ToolLists.list(connection.tools)
          return .listed(connection.index, list)
        }
      }
      if let seconds { addWait(min(Toolbox.patience, seconds), .patienceOver, to: &group) }
      var found: [Int: Result<[Tool], ToolError>] = [:]
      var isOver = false
      while found.count < connections.count, !isOver, let event = await group.next() {
        switch event {
        case .listed(let index, let list): found[index] = found[index] ?? list
        case .patienceOver:
          let patience = min(Toolbox.patience, seconds ?? 0)
          for connection in connections where connection.wasMissing && found[connection.index] == nil {
            found[connection.index] = .failure(.timedOut(.start, seconds: patience))
          }
          let names = connections.filter { found[$0.index] == nil }.map(\.tools.server.name)
          let left = (seconds ?? 0) - patience
          guard !names.isEmpty, left > 0 else { isOver = true; continue }
          waiting(names)
          addWait(left, .over, to: &group)
        case .over: isOver = true
        }
      }
      group.cancelAll()
      for connection in connections where found[connection.index] == nil {
        found[connection.index] = .failure(
          Task.isCancelled ? .cancelled : .timedOut(.start, seconds: seconds ?? 0))
      }
      return found
    }
  }

  private func addWait(_ seconds: Double, _ event: Event, to group: inout TaskGroup<Event>) {
    group.addTask { [pause] in
      await pause(seconds)
      return event
    }
  }

  /// Apart from the event that it goes into: with optimization, Swift 6.3 mixes up the elements before a `try await` in
  /// a tuple that a `do throws` returns.
  private static func list(_ connection: any ToolConnection) async -> Result<[Tool], ToolError> {
    do throws(ToolError) { return .success(try await connection.tools()) } catch { return .failure(error) }
  }
}

package import Chat

/// The servers a person uses, in the order they were added, with what was last learnt about each.
///
/// Every change re-reads the file under a lock, so that two shells add to the same list. It is state, not
/// preferences: nobody edits it by hand, and a broken file is set aside.
package struct Servers: Sendable {
  package private(set) var entries: [Entry] = []
  /// What was wrong with the file when it was last read.
  package private(set) var problem: StateProblem?

  private var currentName: String?
  private let path: String?
  private let writes: Bool

  package struct Entry: Sendable, Equatable {
    package var server: Server
    /// The model that it was asked last, or that the person chose for it.
    package var model: String?
    /// Whether the person chose it: only the person changes it then.
    package var isModelChosen = false
    /// Whether the server's list did not have that model, and the user chose it all the same.
    package var isModelUnlisted = false
    /// Whether the server lists its models, as far as it was asked.
    package var hasModelList = true
    /// As the server last listed them.
    package var models: [Model]
    /// When it did, in milliseconds since 1970.
    package var modelsListedAt: Int?
  }

  package enum Failure: Error, Sendable, Equatable {
    case noServer(String)
    /// Another server has this name.
    case nameTaken(String)
    case emptyName
    case file(FileError)
  }

  /// Reads the file; one that is not there is an empty list. A broken one is too, and the next change sets it aside.
  /// - Parameters:
  ///   - path: nil begins empty and keeps everything in memory.
  ///   - writes: false reads the file this once and keeps changes in memory: nothing is made or written beside it.
  package init(_ path: String?, writes: Bool = true) {
    self.path = path
    self.writes = writes
    guard let path else { return }
    do throws(FileError) { take(try ServersFile(path).read()) } catch { problem = StateProblem(error) }
  }

  package var current: Entry? {
    currentName.flatMap { name in entries.first { $0.server.name == name } } ?? entries.first
  }

  package func named(_ name: String) -> Entry? { entries.first { $0.server.name == name } }

  /// The entry for an address, however it is written.
  package func at(_ url: String) -> Entry? {
    let url = Servers.canonical(url)
    return entries.first { Servers.canonical($0.server.url) == url }
  }

  /// Adds a server and makes it the current one. An address that is there already keeps its entry, and takes the new
  /// kind, and the name when one is given.
  /// - Parameters:
  ///   - name: nil derives one from the host.
  ///   - makesCurrent: false leaves the current one as it is.
  package mutating func add(
    kind: String, url: String, name: String? = nil, makesCurrent: Bool = true
  ) throws(Failure) -> Entry {
    try change { list throws(Failure) in
      let known = list.entries.firstIndex { Servers.canonical($0.server.url) == Servers.canonical(url) }
      if let name { try list.requireFree(name, except: known) }
      if let known {
        list.entries[known].server.kind = kind
        let isCurrent = list.currentName == list.entries[known].server.name
        if let name { list.entries[known].server.name = name }
        if makesCurrent || isCurrent { list.currentName = list.entries[known].server.name }
        return list.entries[known]
      }
      let server = Server(name: name ?? list.freeName(for: url), kind: kind, url: url)
      let entry = Entry(server: server, model: nil, models: [], modelsListedAt: nil)
      list.entries.append(entry)
      if makesCurrent { list.currentName = server.name }
      return entry
    }
  }

  /// Keeps an agent behind a bridge, and makes it the current one. One that is at the address already is what is there
  /// now.
  /// - Parameter name: of the entry that is the same agent, which was at another address.
  package mutating func keep(
    _ agent: BridgedAgent, at url: String, moving name: String? = nil, allowing origins: [String] = []
  ) throws(Failure) -> Server {
    try change { list throws(Failure) in
      let there = list.entries.firstIndex { Servers.canonical($0.server.url) == Servers.canonical(url) }
      let moved = list.entries.firstIndex { $0.server.name == name && $0.server.bridge?.id == agent.id }
      if let known = moved ?? there {
        list.entries[known].server.kind = "acp"
        list.entries[known].server.url = url
        list.entries[known].server.bridge = agent
        list.entries[known].server.allowedOrigins = origins
        let server = list.entries[known].server
        // Another agent was behind that address, which is gone.
        if let there, there != known { list.entries.remove(at: there) }
        list.currentName = server.name
        return server
      }
      let server = Server(
        name: list.freeName(for: url), kind: "acp", url: url, allowedOrigins: origins, bridge: agent)
      list.entries.append(Entry(server: server, model: nil, models: [], modelsListedAt: nil))
      list.currentName = server.name
      return server
    }
  }

  /// Gives a server another name.
  package mutating func rename(_ name: String, to newName: String) throws(Failure) {
    try change { list throws(Failure) in
      let index = try list.index(of: name)
      try list.requireFree(newName, except: index)
      list.entries[index].server.name = newName
      if list.currentName == name { list.currentName = newName }
    }
  }

  /// Removes a server; when it was the current one, the first of the rest is.
  package mutating func remove(_ name: String) throws(Failure) {
    try change { list throws(Failure) in
      list.entries.remove(at: try list.index(of: name))
      if list.currentName == name { list.currentName = nil }
    }
  }

  /// Makes a server the current one.
  package mutating func use(_ name: String) throws(Failure) {
    try change { list throws(Failure) in
      list.currentName = list.entries[try list.index(of: name)].server.name
    }
  }

  /// Remembers the model that the person chose for a server.
  package mutating func choose(model: String, of name: String, isUnlisted: Bool = false) throws(Failure) {
    try change { list throws(Failure) in
      let index = try list.index(of: name)
      list.entries[index].model = model
      list.entries[index].isModelChosen = true
      list.entries[index].isModelUnlisted = isUnlisted
    }
  }

  /// Remembers the model that a server was asked last; one that the person chose stays, whatever another shell asked.
  package mutating func note(asked model: String?, of name: String) throws(Failure) {
    try change { list throws(Failure) in
      let index = try list.index(of: name)
      if !list.entries[index].isModelChosen { list.entries[index].model = model }
    }
  }

  /// Remembers what the person chose on a gateway; nil for nothing.
  package mutating func choose(_ choice: GatewayChoice?, of name: String) throws(Failure) {
    try change { list throws(Failure) in
      list.entries[try list.index(of: name)].server.gateway = choice
    }
  }

  /// Lets the sign-in of a server go to another origin too (docs/rules.md T9, T10).
  package mutating func allow(origin: String, for name: String) throws(Failure) {
    let origin = Servers.canonical(origin)
    try change { list throws(Failure) in
      let index = try list.index(of: name)
      guard !list.entries[index].server.allowedOrigins.contains(origin) else { return }
      list.entries[index].server.allowedOrigins.append(origin)
    }
  }

  /// Remembers what models a server has.
  /// - Parameter moment: milliseconds since 1970.
  package mutating func remember(_ models: [Model], of name: String, at moment: Int) throws(Failure) {
    try change { list throws(Failure) in
      let index = try list.index(of: name)
      list.entries[index].models = models
      list.entries[index].modelsListedAt = moment
      list.entries[index].hasModelList = true
    }
  }

  /// Remembers that a server does not list its models.
  package mutating func noteMissingList(of name: String) throws(Failure) {
    try change { list throws(Failure) in
      let index = try list.index(of: name)
      list.entries[index].models = []
      list.entries[index].modelsListedAt = nil
      list.entries[index].hasModelList = false
    }
  }

  private func index(of name: String) throws(Failure) -> Int {
    guard let index = entries.firstIndex(where: { $0.server.name == name }) else { throw .noServer(name) }
    return index
  }

  private func requireFree(_ name: String, except index: Int?) throws(Failure) {
    guard !name.allSatisfy(\.isWhitespace) else { throw .emptyName }
    let taken = entries.firstIndex { $0.server.name == name }
    guard taken == nil || taken == index else { throw .nameTaken(name) }
  }
}

extension Servers.Entry {
  /// A server of which nothing more is known.
  package init(server: Server) { self.init(server: server, model: nil, models: [], modelsListedAt: nil) }
}

extension Servers {
  /// Runs a change on the newest state of the file and writes it. A change that cannot be written is not made here either.
  private mutating func change<T>(_ body: (inout Servers) throws(Failure) -> T) throws(Failure) -> T {
    var changed = self
    guard let path, writes else {
      let value = try body(&changed)
      self = changed
      return value
    }
    let file = ServersFile(path)
    let lock: FileLock
    do throws(FileError) {
      lock = try file.lock()
      take(try file.read())
      if case .broken(_, nil) = problem { problem = .broken(path: path, setAside: try file.setAside()) }
    } catch { throw .file(error) }
    defer { withExtendedLifetime(lock) {} }
    changed = self
    let value = try body(&changed)
    guard changed.stored != stored else { return value }
    do { try file.write(changed.stored) } catch { throw .file(error) }
    self = changed
    return value
  }

  private mutating func take(_ found: ServersFile.Content) {
    switch found {
    case .list(let list):
      entries = list.servers.map(Entry.init)
      currentName = list.current
      // That a file was set aside is still to be said.
      if case .broken(_, .some) = problem { return }
      problem = nil
    case .broken(let path):
      entries = []
      currentName = nil
      problem = .broken(path: path, setAside: nil)
    }
  }

  private var stored: ServersFile.List {
    ServersFile.List(version: 1, current: currentName, servers: entries.map(ServersFile.Item.init))
  }
}

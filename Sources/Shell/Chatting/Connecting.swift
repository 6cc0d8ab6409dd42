import Chat
import Store
import Text

/// From what the person said to a server and a model that can be asked.
extension Shell {
  /// The server in use: the option, the environment, the current one of the list.
  mutating func connected() async throws(ShellError) -> Connection {
    if let connection { return connection }
    guard let name = options.server ?? world.environment.serverAddress ?? servers.current?.server.name else {
      throw .noServer
    }
    return try await use(server: name)
  }

  /// Takes a kept server by name, or any address.
  @discardableResult
  mutating func use(server name: String) async throws(ShellError) -> Connection {
    let found: Connection
    if let kept = try kept(server: name) {
      found = Connection(
        server: kept.server, backend: try backend(for: kept.server), model: kept.model ?? kept.models.first?.id,
        isKept: true,
        models: kept.models, modelsFetchedAt: kept.modelsListedAt)
    } else {
      found = try await probedByName(name)
    }
    connection = found
    return found
  }

  /// Asks an address what it is.
  func probed(_ address: String, named name: String? = nil) async throws(ShellError) -> Connection {
    let probe = world.probe
    let timeouts = preferences.timeouts
    switch await interruptible({ () throws(BackendError) in try await probe(address, timeouts) }) {
    case .failure(.cancelled): throw .interrupted
    case .failure(let error): throw .backend(error, server: name ?? address)
    case .success(let found):
      let known = servers.at(found.url)
      var server =
        known?.server ?? Server(name: name ?? Connection.hostName(of: found.url), kind: found.kind, url: found.url)
      server.kind = found.kind
      return Connection(
        server: server, backend: try backend(for: server), model: known?.model ?? found.models?.first?.id,
        isKept: known != nil,
        models: found.models ?? [], modelsFetchedAt: found.models == nil ? nil : world.now())
    }
  }

  /// A bare word that no host has was meant as the name of a kept server.
  private func probedByName(_ word: String) async throws(ShellError) -> Connection {
    do throws(ShellError) {
      return try await probed(word)
    } catch {
      guard case .backend(.unreachable(_, .unknownHost), _) = error, word.allSatisfy({ !".:/".contains($0) }) else {
        throw error
      }
      throw .unknown(.server, word, nearest: Nearest.words(to: word, among: servers.entries.map(\.server.name)))
    }
  }

  /// A kept server by its name, or by a part of it that only it has.
  private func kept(server word: String) throws(ShellError) -> Servers.Entry? {
    if let exact = servers.entries.first(where: { $0.server.name == word }) { return exact }
    guard !word.contains("/"), !word.contains(":"), !word.contains(".") else { return nil }
    let matches = servers.entries.filter { $0.server.name.hasPrefix(word) }
    if matches.count > 1 { throw .ambiguous(.server, word, matches: matches.map(\.server.name)) }
    return matches.first
  }

  func backend(for server: Server) throws(ShellError) -> any Backend {
    guard let backend = world.backend(server) else { throw .unknownKind(server: server.name, kind: server.kind) }
    return backend
  }

  /// Refuses what the server in use cannot do.
  mutating func require(_ ability: Abilities) async throws(ShellError) {
    let connection = try await connected()
    guard connection.backend.abilities.contains(ability) else {
      throw .cannot(server: connection.server.name, ability)
    }
  }

  /// The server in use, with the model that is asked.
  mutating func connectedWithModel() async throws(ShellError) -> Connection {
    var connection = try await connected()
    let wanted = options.model ?? world.environment["PARLEY_MODEL"].flatMap { $0.isEmpty ? nil : $0 }
    if let wanted, connection.model == nil || !connection.isModelChosen {
      connection.model = try await model(called: wanted, of: &connection)
      connection.isModelChosen = true
    } else if !connection.isModelChosen, let used = conversation.session.model,
      connection.models.contains(where: { $0.id == used })
    {
      connection.model = used
    } else if connection.model == nil {
      try await refreshModels(of: &connection, unlessKnown: true)
      guard let first = connection.models.first else { throw .noModels(server: connection.server.name) }
      connection.model = first.id
    }
    self.connection = connection
    remember(connection)
    return connection
  }

  /// A model by its name, or by a part of it that only it has; the server is asked when the list does not know it.
  func model(called word: String, of connection: inout Connection) async throws(ShellError) -> String {
    var isFresh = false
    while true {
      if connection.models.contains(where: { $0.id == word }) { return word }
      let matches = connection.models.map(\.id).filter { $0.lowercased().contains(word.lowercased()) }
      if let only = matches.first, matches.count == 1 { return only }
      if matches.count > 1 { throw .ambiguous(.model, word, matches: matches) }
      if isFresh {
        throw .unknown(.model, word, nearest: Nearest.words(to: word, among: connection.models.map(\.id)))
      }
      try await refreshModels(of: &connection)
      isFresh = true
    }
  }

  /// Asks the server for its models and remembers them.
  func refreshModels(of connection: inout Connection, unlessKnown: Bool = false) async throws(ShellError) {
    if unlessKnown, !connection.models.isEmpty { return }
    let backend = connection.backend
    switch await interruptible({ () throws(BackendError) in try await backend.models() }) {
    case .failure(.cancelled): throw .interrupted
    case .failure(let error): throw .backend(error, server: connection.server.name)
    case .success(let models):
      connection.models = models
      connection.modelsFetchedAt = world.now()
    }
  }
}

extension [String: String] {
  /// The server that the environment names.
  var serverAddress: String? {
    for name in ["PARLEY_SERVER", "OPENAI_BASE_URL"] {
      if let value = self[name], !value.isEmpty { return value }
    }
    return nil
  }
}

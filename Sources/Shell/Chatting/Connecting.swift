import Chat
import Store
import Text

/// From what the person said to a server and a model that can be asked.
extension Shell {
  /// The server in use: the option, the environment, the current one of the list.
  mutating func connected() async throws(ShellError) -> Connection {
    if let connection { return connection }
    guard let name = desk.options.server ?? desk.world.environment.serverAddress ?? servers.current?.server.name else {
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
        server: kept.server, backend: try backend(for: kept.server), like: kept,
        models: kept.models, listedAt: kept.modelsListedAt)
    } else {
      found = try await probedByName(name)
    }
    connection = found
    sayExpiredCertificate(of: found.server)
    return found
  }

  /// What the person should know of whom is trusted, once in a run: that known_servers is damaged, and that a certificate
  /// that was trusted by hand has run out, which still holds (RELIABILITY T5).
  mutating func sayExpiredCertificate(of server: Server) {
    guard server.url.lowercased().hasPrefix("https:") else { return }
    if let words = Wording.knownServers(desk.world.knownServers.problems, desk.world.paths.knownServers),
      desk.isNew(words.string)
    {
      desk.say(words, .warning)
    }
    let (host, port) = Connection.hostAndPort(of: server.url)
    guard case .pinned(let pin)? = desk.world.knownServers.entry(of: host, port: port)?.trust,
      pin.validUntil > 0, pin.validUntil < desk.world.now() / 1000, desk.isNew("certificate of \(host):\(port)")
    else { return }
    desk.say("the certificate that you trust for \(host):\(port) ran out on \(Day.text(pin.validUntil))", .warning)
  }

  /// Asks an address what it is; the person is asked about its certificate where that is needed.
  /// - Parameter isBrief: only a question is to be asked of it, and nothing to be shown or kept of its models.
  mutating func probed(
    _ address: String, named name: String? = nil, kind: String? = nil, isBrief: Bool = false
  ) async throws(ShellError) -> Connection {
    let probe = desk.world.probe
    let timeouts = desk.preferences.timeouts
    var settled = Settled()
    while true {
      switch await desk.interruptible({ () throws(BackendError) in try await probe(address, kind, isBrief, timeouts) })
      {
      case .failure(.cancelled): throw .interrupted
      case .failure(.untrusted(let distrust)):
        guard try await desk.settleTrust(distrust, &settled) else {
          throw .backend(.untrusted(distrust), server: name ?? address)
        }
      case .failure(let error): throw .backend(error, server: name ?? address, kind: kind)
      case .success(let found): return try connection(to: found, named: name, isBrief)
      }
    }
  }

  private func connection(
    to found: FoundServer, named name: String?, _ isBrief: Bool
  ) throws(ShellError) -> Connection {
    let known = servers.at(found.url)
    var server =
      known?.server ?? Server(name: name ?? Connection.hostName(of: found.url), kind: found.kind, url: found.url)
    server.kind = found.kind
    let models = found.models ?? []
    var connection = Connection(
      server: server, backend: try backend(for: server), like: known,
      models: models, listedAt: found.models == nil ? nil : desk.world.now())
    connection.isListWhole = !isBrief
    return connection
  }

  /// A bare word that no host has was meant as the name of a kept server.
  private mutating func probedByName(_ word: String) async throws(ShellError) -> Connection {
    do throws(ShellError) {
      return try await probed(word, isBrief: !desk.options.isInteractive)
    } catch {
      guard case .backend(.unreachable(_, .unknownHost), _, _) = error, word.allSatisfy({ !".:/".contains($0) }) else {
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
    guard let backend = desk.world.backend(server, desk.preferences.timeouts) else {
      throw .unknownKind(server: server.name, kind: server.kind)
    }
    return backend
  }

  /// Refuses what the server in use cannot do.
  mutating func require(_ ability: Abilities) async throws(ShellError) {
    let connection = try await connected()
    guard connection.backend.abilities.contains(ability) else {
      throw .cannot(server: connection.server.name, ability)
    }
  }
}

extension [String: String] {
  /// The server that the environment names.
  var serverAddress: String? {
    for name in ["PARLEY_SERVER", "KAMIWAZA_BASE_URL", "KAMIWAZA_BASE_URI", "OPENAI_BASE_URL"] {
      if let value = self[name]?.trimmed, !value.isEmpty { return value }
    }
    return nil
  }
}

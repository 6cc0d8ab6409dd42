import Chat
import Store
import Text

/// From what the person said to a server and a model that can be asked.
extension Links {
  /// The server in use: the option, the environment, the current one of the list.
  @discardableResult
  mutating func connected(_ desk: inout Desk) async throws(ShellError) -> Link {
    if let front { return front }
    guard let name = nameInUse(desk) else { throw .noServer }
    return try await use(server: name, &desk)
  }

  /// What the server in use is called, or will be: the option, the environment, the current one of the list.
  func nameInUse(_ desk: Desk) -> String? {
    front?.server.name ?? nameOfRun(desk) ?? kept.current?.server.name
  }

  /// What the option or the environment calls the server of this run: a name or an address; nil where neither names one.
  func nameOfRun(_ desk: Desk) -> String? { desk.options.server ?? desk.world.environment.serverAddress }

  /// Connects where that can be done now, for what a platform has besides models; a failure is said, and is none.
  mutating func meet(_ desk: inout Desk) async throws(ShellError) {
    do throws(ShellError) { try await connected(&desk) } catch {
      switch error {
      case .noServer: return
      case .interrupted: throw error
      default: desk.complain(Complaint(error))
      }
    }
  }

  /// Takes a kept server by name, or any address.
  @discardableResult
  mutating func use(server name: String, _ desk: inout Desk) async throws(ShellError) -> Link {
    let found: Link
    if let kept = try kept(server: name) {
      if let front, front.server.url == kept.server.url, front.backend.agent != nil { return front }
      stash(besides: kept.server.url)
      if let running = unstash(kept.server) {
        found = running
      } else {
        found = Link(
          server: kept.server, backend: try backend(for: kept.server, desk), like: kept,
          models: kept.models, listedAt: kept.modelsListedAt)
      }
    } else {
      found = try await probedByName(name, &desk)
      await closeAgent(at: found.server.url)
      stash(besides: found.server.url)
    }
    front = found
    beginOverview(desk)
    sayExpiredCertificate(of: found.server, &desk)
    return found
  }

  /// What the person should know of whom is trusted, once in a run: that known_servers is damaged, and that a certificate
  /// that was trusted by hand has run out, which still holds (docs/rules.md T5).
  mutating func sayExpiredCertificate(of server: Server, _ desk: inout Desk) {
    guard server.url.lowercased().hasPrefix("https:") else { return }
    if let words = Wording.knownServers(desk.world.knownServers.problems, desk.world.paths.knownServers) {
      desk.sayOnce(words, .warning)
    }
    guard let key = Link.serverKey(of: server.url),
      case .pinned(let pin)? = desk.world.knownServers.entry(of: key.host, port: key.port)?.trust,
      pin.validUntil > 0, pin.validUntil < desk.world.now() / 1000
    else { return }
    desk.sayOnce(
      "the certificate that you trust for \(key.description) ran out on \(Moments.day(pin.validUntil))", .warning)
  }

  /// Finds the server at an address. For this machine without a port, also tries `usualPorts`. Asks the user about the
  /// certificate if necessary.
  /// - Parameters:
  ///   - isBrief: whether the server is used for one message only, so that its models need not be listed.
  ///   - takesUnlisted: whether a server that does not list its models is taken for an OpenAI-compatible one.
  mutating func probed(
    _ address: String, named name: String? = nil, kind: String? = nil, isBrief: Bool = false,
    takesUnlisted: Bool = false, _ desk: inout Desk
  ) async throws(ShellError) -> Link {
    if LikelySecret.isKey(address) { throw .secretOnLine }
    do throws(ShellError) {
      return try await probe(address, named: name, kind, isBrief, takesUnlisted, &desk)
    } catch {
      guard Links.isThisMachine(address), error.isNoServer else { throw error }
      for port in Links.usualPorts {
        let place = "\(address):\(port)"
        do throws(ShellError) {
          let link = try await probe(place, named: name, kind, isBrief, takesUnlisted, &desk)
          desk.say("found a server at \(place)")
          return link
        } catch  where error.isNoServer { continue }
      }
      throw .noUsualPort(host: address, ports: Links.usualPorts)
    }
  }

  /// The default ports of Ollama, llama.cpp, vLLM, LM Studio, LiteLLM and Open WebUI.
  private static let usualPorts = [11434, 8080, 8000, 1234, 4000, 3000]

  /// Whether an address names this machine and nothing else: no port, no scheme and no path.
  private static func isThisMachine(_ address: String) -> Bool {
    guard !address.contains(where: { ":/".contains($0) }), case .loopback = Network(host: address.lowercased()) else {
      return false
    }
    return true
  }

  private func probe(
    _ address: String, named name: String?, _ kind: String?, _ isBrief: Bool, _ takesUnlisted: Bool, _ desk: inout Desk
  ) async throws(ShellError) -> Link {
    let probe = desk.world.probe
    let timeouts = desk.preferences.timeouts
    var settled = Settled()
    while true {
      let subject: SafeText = "connecting to \(Filter.inline(name ?? address, width: 40))"
      let found = await desk.interruptible(for: subject) { () throws(BackendError) in
        try await probe(address, kind, isBrief, timeouts)
      }
      switch found {
      case .failure(.cancelled): throw .interrupted
      case .failure(.untrusted(let distrust)):
        guard try await desk.settleTrust(distrust, &settled) else {
          throw .backend(.untrusted(distrust), server: name ?? address)
        }
      case .failure(let error):
        guard let url = Links.unlistedServer(error, at: address, isNamed: kind == "openai", hasModel: takesUnlisted)
        else {
          throw .backend(error, server: name ?? address, kind: kind)
        }
        var link = try self.link(to: FoundServer(kind: "openai", url: url, models: nil), named: name, isBrief, desk)
        link.hasModelList = false
        return link
      case .success(let found): return try link(to: found, named: name, isBrief, desk)
      }
    }
  }

  /// The base address of an OpenAI-compatible server that has no list of models, after a probe that found no server;
  /// nil when nothing that was tried may be one.
  /// - Parameters:
  ///   - isNamed: whether the user says that it is such a server.
  ///   - hasModel: whether the user names the model to ask.
  static func unlistedServer(
    _ error: BackendError, at typed: String, isNamed: Bool, hasModel: Bool
  ) -> String? {
    guard isNamed || hasModel, case .notFound(let tried) = error else { return nil }
    let bases = tried.compactMap { attempt -> String? in
      guard attempt.url.hasSuffix("/models"), case .answered(let status, _) = attempt.outcome,
        BackendError.missingRoute.contains(status) || isNamed && status == 200
      else { return nil }
      return String(attempt.url.dropLast("/models".count))
    }
    // The whole address of a route says where it is; else the usual base comes last.
    return bases.first { (typed + "/").contains($0 + "/chat/completions/") } ?? bases.last
  }

  private func link(
    to found: FoundServer, named name: String?, _ isBrief: Bool, _ desk: Desk
  ) throws(ShellError) -> Link {
    let known = kept.at(found.url)
    var server =
      known?.server ?? Server(name: name ?? Link.hostName(of: found.url), kind: found.kind, url: found.url)
    server.kind = found.kind
    let models = found.models ?? []
    var link = Link(
      server: server, backend: try backend(for: server, desk), like: known,
      models: models, listedAt: found.models == nil ? nil : desk.world.now())
    link.isListWhole = !isBrief
    return link
  }

  /// A bare word that no host has was meant as the name of a kept server.
  private mutating func probedByName(_ word: String, _ desk: inout Desk) async throws(ShellError) -> Link {
    do throws(ShellError) {
      return try await probed(
        word, isBrief: !desk.options.isInteractive, takesUnlisted: modelOfRun(desk) != nil, &desk)
    } catch {
      guard case .backend(.unreachable(_, .unknownHost), _, _) = error, word.allSatisfy({ !".:/".contains($0) }) else {
        throw error
      }
      throw .unknown(.server, word, nearest: Nearest.words(to: word, among: kept.entries.map(\.server.name)))
    }
  }

  /// A kept server by its name, or by a beginning of it that no address has.
  private func kept(server word: String) throws(ShellError) -> Servers.Entry? {
    word.contains { ".:/".contains($0) } ? kept.named(word) : try kept.meant(by: word)
  }

  func backend(for server: Server, _ desk: Desk) throws(ShellError) -> any Backend {
    guard let backend = desk.world.backend(server, desk.preferences.timeouts) else {
      throw .unknownKind(server: server.name, kind: server.kind)
    }
    return backend
  }

  /// Refuses what the server in use cannot do.
  mutating func require(_ ability: Abilities, _ desk: inout Desk) async throws(ShellError) {
    let link = try await connected(&desk)
    guard link.backend.abilities.contains(ability) else {
      throw .cannot(server: link.server.name, ability)
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

extension Servers {
  /// The server of this name, or the only one whose name begins so; nil when there is none.
  func meant(by word: String) throws(ShellError) -> Entry? {
    if let exact = named(word) { return exact }
    let matches = entries.filter { $0.server.name.hasPrefix(word) }
    if matches.count > 1 { throw .ambiguous(.server, word, matches: matches.map(\.server.name)) }
    return matches.first
  }

  /// The same; throws where there is none, with the names that are near.
  func required(_ word: String) throws(ShellError) -> Entry {
    if let entry = try meant(by: word) { return entry }
    throw .unknown(.server, word, nearest: Nearest.words(to: word, among: entries.map(\.server.name)))
  }
}

extension ShellError {
  /// Whether nothing answers at an address, or something that is not a known server.
  fileprivate var isNoServer: Bool {
    guard case .backend(let error, _, _) = self else { return false }
    return switch error {
    case .unreachable, .notFound, .timedOut, .malformed, .tooLarge: true
    default: false
    }
  }
}

import Chat
import Store
import Text

/// Pairing with a bridge: whom it is spoken with is settled before anything is sent (docs/acp.md 10).
extension Links {
  /// What came of pairing.
  struct Paired {
    var server: Server
    /// Where the same agent was known to be before, by this address or another; nil of one that is new.
    var before: String?
    /// Whether another agent was known to be where it is now.
    var isInPlaceOfAnother: Bool
  }

  /// Gets the credentials and keeps them; nil when the person does not trust the bridge.
  mutating func pair(
    by text: PairingText, plain: Bool, _ desk: inout Desk
  ) async throws(ShellError) -> Paired? {
    switch text {
    case .credentials(let pairing):
      if let named = pairing.fingerprint { try await pin(named, at: pairing.url, desk) }
      return try await keep(pairing, plain, &desk)
    case .link(let link):
      let (isTrusted, shown) = try await settle(link, &desk)
      guard isTrusted else { return nil }
      let pairing = try await redeem(link, shown, plain, desk)
      if shown == nil, pairing.url.hasPrefix("wss:") {
        // Who may read a link in the clear is not to say whose token is sent where.
        guard let named = pairing.fingerprint else {
          let refusal = PairingRefusal.badCredentials(.missing("certFingerprint"))
          throw .backend(.notPaired(address: Link.hostName(of: link.url), refusal), server: "")
        }
        try await pin(named, at: pairing.url, desk)
      }
      // The way that the bridge names may be another than the one to its code.
      if let shown, Link.serverKey(of: link.url) != Link.serverKey(of: pairing.url) {
        try await pin(shown, at: pairing.url, desk)
      }
      return try await keep(pairing, plain, &desk)
    }
  }

  private func redeem(
    _ link: PairingLink, _ shown: Fingerprint?, _ plain: Bool, _ desk: Desk
  ) async throws(ShellError) -> Pairing {
    let redeem = desk.world.pairing.redeem
    let timeouts = desk.preferences.timeouts
    let tried: Result<Pairing, BackendError> = await desk.interruptible { () throws(BackendError) in
      try await redeem(link, shown, plain, timeouts)
    }
    do throws(BackendError) { return try tried.get() } catch {
      if error == .cancelled { throw .interrupted }
      throw .backend(error, server: Link.hostName(of: link.url))
    }
  }

  /// Looks who is there, and whether that is who the code names; without a name in it the person is asked.
  /// - Returns: whether it is trusted now, and by which certificate; nil in plain http.
  private func settle(_ link: PairingLink, _ desk: inout Desk) async throws(ShellError) -> (Bool, Fingerprint?) {
    guard link.url.lowercased().hasPrefix("https:") else { return (true, nil) }
    if let named = link.fingerprint {
      try await pin(named, at: link.url, desk)
      return (true, named)
    }
    let look = try await look(at: link.url, desk)
    guard let certificate = look.certificate else { throw .noCertificate(address: link.url) }
    guard look.isDistrusted else { return (true, certificate.fingerprint) }
    let distrust = Distrust(certificate, before: look.before)
    guard desk.options.canType else { throw .backend(.untrusted(distrust), server: distrust.address) }
    desk.say("hold what follows against the fingerprint that the bridge shows", .plain)
    var settled = Settled()
    let isTrusted = try await desk.settleTrust(distrust, &settled)
    if !isTrusted { desk.say("not paired") }
    return (isTrusted, certificate.fingerprint)
  }

  /// Trusts the certificate that was named, where that is the one which is shown.
  private func pin(_ named: Fingerprint, at url: String, _ desk: Desk) async throws(ShellError) {
    let look = try await look(at: url, desk)
    guard let certificate = look.certificate else { throw .noCertificate(address: url) }
    let distrust = Distrust(certificate, before: look.before)
    guard certificate.fingerprint == named else { throw .wrongBridge(distrust, named: named) }
    guard certificate.canBePinned else { throw .notPinnable(distrust) }
    if look.verdict != .pinned { try desk.pin(certificate) }
  }

  private func look(at url: String, _ desk: Desk) async throws(ShellError) -> Inspection {
    let look = await desk.inspected(Links.httpAddress(url))
    if let reason = look.failure {
      let address = Link.hostName(of: url)
      // What ends without a word at the handshake is a bridge that has had enough.
      if reason.isHangUp { throw .backend(.notPaired(address: address, .dropped), server: address) }
      throw .backend(.unreachable(address: address, reason: reason), server: address)
    }
    return look
  }

  /// A socket's address as that of the server which it is asked of.
  static func httpAddress(_ url: String) -> String { url.hasPrefix("ws") ? "http" + url.dropFirst(2) : url }

  private mutating func keep(
    _ pairing: Pairing, _ plain: Bool, _ desk: inout Desk
  ) async throws(ShellError) -> Paired {
    let agent = BridgedAgent(id: pairing.agent, folder: pairing.folder)
    let there = kept.at(pairing.url)
    let known = try await same(agent, as: pairing, &desk) ?? there
    // The connection that stands is by the credentials before.
    for url in Set([known, there].compactMap { $0?.server.url }) { await closeAgent(at: url) }
    stash(besides: known?.server.url ?? pairing.url)
    let server: Server
    do throws(Servers.Failure) {
      let allowed = plain && pairing.url.hasPrefix("ws:") ? [Links.httpAddress(pairing.url)] : []
      server = try kept.keep(agent, at: pairing.url, moving: known?.server.name, allowing: allowed)
    } catch { throw .servers(error) }
    let (place, problem) = await desk.world.pairing.keep(pairing, server)
    front = Link(server: server, backend: try backend(for: server, desk), like: nil, models: [], listedAt: nil)
    link.isKept = true
    desk.say("paired with \(server.name) at \(server.url); \(Wording.kept(place))")
    if let problem { desk.complain(Complaint(.credentials(problem))) }
    if known != nil { desk.say("it was known: its credentials are new, and its sessions begin anew") }
    if let known, known.server.url != server.url {
      desk.say("it says that it is \(server.name), which was at \(known.server.url) before", .warning)
      await forget(known.server, &desk)
    }
    return Paired(
      server: server, before: known?.server.url,
      isInPlaceOfAnother: there != nil && there?.server.bridge?.id != agent.id)
  }

  /// The agent that is known, where this is the same by another address: it shows the certificate that it showed there,
  /// or the person says so. Its id is no proof, since whoever was paired with it knows that.
  private func same(
    _ agent: BridgedAgent, as pairing: Pairing, _ desk: inout Desk
  ) async throws(ShellError) -> Servers.Entry? {
    if let there = kept.at(pairing.url), there.server.bridge?.id == agent.id { return there }
    guard let known = kept.entries.first(where: { $0.server.bridge?.id == agent.id }) else { return nil }
    if let pin = pin(at: known.server.url, desk), pin == self.pin(at: pairing.url, desk) { return known }
    guard desk.options.canType else {
      desk.say("it says that it is \(known.server.name), and cannot prove it: it is kept beside that", .warning)
      return nil
    }
    let isSame = try await desk.agrees(
      "It says that it is '\(known.server.name)', which was at \(known.server.url). Is it? It takes over its name and its sessions."
    )
    return isSame ? known : nil
  }

  private func pin(at url: String, _ desk: Desk) -> Fingerprint? {
    guard let key = Link.serverKey(of: url),
      case .pinned(let pin)? = desk.world.knownServers.entry(of: key.host, port: key.port)?.trust
    else { return nil }
    return pin.fingerprint
  }

  /// A way that is not gone any more keeps no secrets.
  private func forget(_ server: Server, _ desk: inout Desk) async {
    do throws(CredentialError) { try await desk.world.pairing.forget(server) } catch {
      desk.complain(Complaint(.credentials(error)))
    }
  }

  /// Connects, so that the person knows whether it works; what does not is said, and the pairing stays.
  mutating func connectPaired(_ desk: inout Desk) async {
    guard let agent = link.backend.agent else { return }
    let tried: Result<Void, BackendError> = await desk.interruptible { () throws(BackendError) in
      try await agent.connect()
    }
    do throws(BackendError) {
      try tried.get()
      desk.say("agent: \(link.server.name)\(Wording.agent(agent.state))")
    } catch {
      desk.complain(Complaint(error, server: link.server.name, kind: link.server.kind))
    }
  }
}

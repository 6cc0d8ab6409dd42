import Chat
import Store
import Text

extension Links {
  /// Asks a server for something. What stands in the way is settled with the person, and the server asked again.
  mutating func asking<T: Sendable>(
    _ desk: inout Desk, _ ask: @escaping @Sendable (any Backend) async throws(BackendError) -> T
  ) async throws(ShellError) -> T {
    var settled = Settled()
    while true {
      let backend = link.backend
      let subject: SafeText = "asking \(Filter.inline(link.server.name, width: 40))"
      switch await desk.interruptible(for: subject, { () throws(BackendError) in try await ask(backend) }) {
      case .success(let value): return value
      case .failure(.cancelled): throw .interrupted
      case .failure(let error):
        guard try await settle(error, &settled, &desk) else { throw link.failure(error) }
      }
    }
  }

  /// Whether what failed should be done again: the person has removed what stood in its way.
  mutating func settle(
    _ error: BackendError, _ settled: inout Settled, _ desk: inout Desk
  ) async throws(ShellError) -> Bool {
    switch error {
    case .untrusted(let distrust): return try await desk.settleTrust(distrust, &settled)
    case .withheld(let origin, let why):
      guard desk.options.canType, settled.origins.insert(origin).inserted,
        try await desk.agrees(TrustPage.question(origin, why, server: link.server.name))
      else { return false }
      try allow(origin, &desk)
      return true
    case .unauthorized:
      guard desk.options.canType, link.backend.account != nil, !settled.hasSignedIn else { return false }
      settled.hasSignedIn = true
      desk.say("\(link.server.name) wants you to sign in")
      try await signIn(&desk)
      return true
    case .agentSignIn(_, let ways):
      guard desk.options.canType, !settled.hasSignedIn, let agent = link.backend.agent, !ways.isEmpty else {
        return false
      }
      settled.hasSignedIn = true
      return try await signIn(to: agent, by: ways, &desk)
    default: return false
    }
  }

  /// Lets the sign-in of a server go to another origin, now and later.
  mutating func allow(_ origin: String, _ desk: inout Desk) throws(ShellError) {
    let origin = Servers.canonical(origin)
    if !link.server.allowedOrigins.contains(origin) { link.server.allowedOrigins.append(origin) }
    if link.isKept {
      do throws(Servers.Failure) {
        try kept.allow(origin: origin, for: link.server.name)
      } catch { throw .servers(error) }
    }
    link.backend = try backend(for: link.server, desk)
  }
}

extension Link {
  func failure(_ error: BackendError) -> ShellError { .backend(error, server: server.name, kind: server.kind) }
}

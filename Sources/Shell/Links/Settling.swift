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
    case .unauthorized, .signInRefused(_, .wrongEnvironmentKey):
      return try await signIn(after: error, &settled, &desk)
    case .agentSignIn(_, let ways):
      guard desk.options.canType, settled.signIns == 0, let agent = link.backend.agent, !ways.isEmpty else {
        return false
      }
      settled.signIns += 1
      return try await signIn(to: agent, by: ways, &desk)
    default: return false
    }
  }

  /// Has the user sign in once, or again after each key that the server refuses on its first use, three times at most.
  /// Returns whether to ask the server again.
  private mutating func signIn(
    after error: BackendError, _ settled: inout Settled, _ desk: inout Desk
  ) async throws(ShellError) -> Bool {
    guard let account = link.backend.account else { return false }
    link.hasAskedForSignIn = true
    let hadUncheckedKey = link.hasUncheckedKey
    if hadUncheckedKey {
      link.hasUncheckedKey = false
      do throws(CredentialError) { _ = try await account.signOut() } catch { throw .credentials(error) }
      desk.say("\(link.server.name) refused the key, so it was deleted", .error)
    }
    guard desk.options.canType, settled.signIns < (hadUncheckedKey ? 3 : 1) else { return false }
    settled.signIns += 1
    if case .signInRefused = error {
      desk.say(Complaint(link.failure(error)).text, .warning)
    } else if !hadUncheckedKey {
      desk.say("\(link.server.name) wants you to sign in")
    }
    try await signIn(&desk)
    return true
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

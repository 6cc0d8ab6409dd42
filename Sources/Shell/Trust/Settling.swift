import Chat
import Store
import Text

/// What stood in the way of a request and was settled with the person, so that nothing is asked twice.
struct Settled {
  var certificates: Set<Fingerprint> = []
  var origins: Set<String> = []
  var hasSignedIn = false
  var hasSwitchedModel = false
}

extension Shell {
  /// Asks a server for something. What stands in the way is settled with the person, and the server asked again.
  mutating func asking<T: Sendable>(
    _ connection: inout Connection,
    _ ask: @escaping @Sendable (any Backend) async throws(BackendError) -> T
  ) async throws(ShellError) -> T {
    var settled = Settled()
    while true {
      let backend = connection.backend
      switch await desk.interruptible({ () throws(BackendError) in try await ask(backend) }) {
      case .success(let value): return value
      case .failure(.cancelled): throw .interrupted
      case .failure(let error):
        guard try await settle(error, &connection, &settled) else { throw connection.failure(error) }
      }
    }
  }

  /// Whether what failed should be done again: the person has removed what stood in its way.
  mutating func settle(
    _ error: BackendError, _ connection: inout Connection, _ settled: inout Settled
  ) async throws(ShellError) -> Bool {
    switch error {
    case .untrusted(let distrust): return try await desk.settleTrust(distrust, &settled)
    case .withheld(let origin, let why):
      guard desk.options.canAsk, settled.origins.insert(origin).inserted,
        try await desk.agrees(TrustPage.question(origin, why, server: connection.server.name))
      else { return false }
      try allow(origin, for: &connection)
      return true
    case .unauthorized:
      guard desk.options.canAsk, connection.backend.account != nil, !settled.hasSignedIn else { return false }
      settled.hasSignedIn = true
      desk.say("\(connection.server.name) wants you to sign in")
      try await signIn(&connection)
      return true
    default: return false
    }
  }

  /// Lets the sign-in of a server go to another origin, now and later.
  mutating func allow(_ origin: String, for connection: inout Connection) throws(ShellError) {
    let origin = Servers.canonical(origin)
    if !connection.server.allowedOrigins.contains(origin) { connection.server.allowedOrigins.append(origin) }
    if connection.isKept {
      do throws(Servers.Failure) {
        try servers.allow(origin: origin, for: connection.server.name)
      } catch { throw .servers(error) }
    }
    connection.backend = try backend(for: connection.server)
  }
}

extension Connection {
  func failure(_ error: BackendError) -> ShellError { .backend(error, server: server.name, kind: server.kind) }
}

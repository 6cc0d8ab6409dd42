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
      switch await interruptible({ () throws(BackendError) in try await ask(backend) }) {
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
    case .untrusted(let distrust): return try await settleTrust(distrust, &settled)
    case .withheld(let origin, let why):
      guard options.canAsk, settled.origins.insert(origin).inserted,
        try await agrees(TrustPage.question(origin, why, server: connection.server.name))
      else { return false }
      try allow(origin, for: &connection)
      return true
    case .unauthorized:
      guard options.canAsk, connection.backend.account != nil, !settled.hasSignedIn else { return false }
      settled.hasSignedIn = true
      say("\(connection.server.name) wants you to sign in")
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

  /// Asks whether a certificate is to be trusted. Without somebody to ask it is not (RELIABILITY T2).
  mutating func settleTrust(_ distrust: Distrust, _ settled: inout Settled) async throws(ShellError) -> Bool {
    let certificate = distrust.certificate
    guard options.canAsk, certificate.canBePinned, settled.certificates.insert(certificate.fingerprint).inserted else {
      return false
    }
    guard try await trusts(distrust) else { return false }
    try pin(certificate)
    return true
  }

  /// Shows a certificate and asks for the word that trusts it: Enter is none (RELIABILITY T3, T4).
  private func trusts(_ distrust: Distrust) async throws(ShellError) -> Bool {
    world.terminal.write(TrustPage.text(distrust, columns: wrapColumns), to: .notices)
    let answer = try await answer(to: TrustPage.prompt(distrust))
    if Fingerprint(text: answer) == distrust.certificate.fingerprint { return true }
    return answer.lowercased() == TrustPage.word(distrust)
  }

  /// Trusts a certificate from now on, for its host and port.
  mutating func pin(_ certificate: ServerCertificate) throws(ShellError) {
    do throws(FileError) {
      try world.knownServers.trust(
        .pinned(Pin(certificate)), of: certificate.host, port: certificate.port, at: world.now())
    } catch { throw .knownServers(error) }
    world.forgetConnections()
  }
}

extension Connection {
  func failure(_ error: BackendError) -> ShellError { .backend(error, server: server.name, kind: server.kind) }
}

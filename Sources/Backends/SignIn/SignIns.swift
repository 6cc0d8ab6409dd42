package import Chat
import Transport
import Waiting

/// The sign-ins of a run: however often a server's backend is made, its requests share one `Bearer`.
package final class SignIns: Sendable {
  /// The key that the environment has for an address; nil as the kind is a server whose kind is not known yet.
  package typealias EnvironmentKey = @Sendable (ServerAddress, _ kind: String?) -> Credential?

  private let store: any CredentialStore
  private let environmentKey: EnvironmentKey
  private let clock: TimeSource
  /// How servers of tools are spoken with.
  let wires: WireMemory
  private let bearers = Locked<[String: Bearer]>([:])

  package init(
    _ store: any CredentialStore = MemoryCredentials(), environmentKey: @escaping EnvironmentKey = { _, _ in nil },
    clock: TimeSource = .system, wires: WireMemory = .inMemory()
  ) {
    self.wires = wires
    self.store = store
    self.environmentKey = environmentKey
    self.clock = clock
  }

  /// The key for an address that is to be probed.
  package func key(for address: ServerAddress) -> Credential? { environmentKey(address, nil) }

  /// Waits, for so many seconds at most, until what was begun with refresh tokens is kept: for the end of a run.
  package func finish(within seconds: Double) async {
    let bearers = bearers.withLock { Array($0.values) }.filter(\.isRenewing)
    guard !bearers.isEmpty else { return }
    _ = await within(seconds, pause: clock.sleep) { () async throws(Never) in
      for bearer in bearers { await bearer.finishRenewal() }
    }
  }

  func endpoint(_ server: Server, _ http: any HTTP, _ timeouts: Timeouts) -> Endpoint {
    var endpoint = Endpoint(server, http, bearer(server) { make(server, http, timeouts) }, timeouts, clock: clock)
    endpoint.wires = wires
    return endpoint
  }

  /// That of a server of tools, which no key of the environment signs in to, and whose tokens are renewed by who gave
  /// them out.
  func toolEndpoint(_ server: Server, _ http: any HTTP, _ timeouts: Timeouts) -> Endpoint {
    let renewal = TokenRenewal(server: server, http: http, timeouts: timeouts, clock: clock)
    let bearer = bearer(server) {
      Bearer(account: server.url, store: store, clock: clock) { (spent, issuer) async throws(BackendError) in
        guard let issuer else { throw .unauthorized(address: server.url, message: "") }
        return try await renewal.tokens(for: spent.refresh, at: issuer)
      }
    }
    return Endpoint(server, http, bearer, timeouts, clock: clock)
  }

  private func bearer(_ server: Server, _ make: () -> Bearer) -> Bearer {
    bearers.withLock { bearers in
      let name = "\(server.kind) \(server.url)"
      if let bearer = bearers[name] { return bearer }
      let bearer = make()
      bearers[name] = bearer
      return bearer
    }
  }

  private func make(_ server: Server, _ http: any HTTP, _ timeouts: Timeouts) -> Bearer {
    // Nothing is sent to an address that cannot be read, so it needs no key.
    let key = (try? ServerAddress(server.url)).flatMap { environmentKey($0, server.kind) }
    let renewal = TokenRenewal(server: server, http: http, timeouts: timeouts, clock: clock)
    let isCodeServer = server.kind == Kind.codeServer.name
    return Bearer(
      account: server.url, key: key, store: store, clock: clock,
      margin: isCodeServer ? CodeServerAPI.margin : 30,
      renewal: { (spent, issuer) async throws(BackendError) in
        if isCodeServer { return try await renewal.tokens(ofCodeServer: spent) }
        return try await renewal.tokens(for: spent.refresh, issuer: issuer)
      })
  }
}

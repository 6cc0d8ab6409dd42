/// What signs a person in to one server, as it is kept between runs.
package struct StoredSignIn: Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// A key or token that the person brought.
    case key
    /// A personal access token that was made for this device.
    case device
    /// Tokens of a password or browser sign-in, which are renewed with `refresh`.
    case session
    /// What we call ourselves at a server that knows no persons, and tells them apart by it.
    case guest
  }

  package var kind: Kind
  /// Sent as the bearer.
  package var token: Secret
  package var refresh: Secret?
  /// What a device's token is revoked by.
  package var tokenID: String?
  /// Milliseconds since 1970.
  package var expiresAt: Int?
  /// How long the token was good for when it came, in seconds.
  package var lifetime: Int?
  package var username: String?
  /// What a gate before the server wants besides.
  package var pass: GatePass?
  /// Who gave the tokens out, where it is they who renew them; nil where the server does.
  package var issuer: Issuer?

  /// An authorization server, and what it knows us by (docs/mcp.md 7).
  package struct Issuer: Sendable, Equatable {
    /// The name it gives itself.
    package var url: String
    /// Where it gives out tokens.
    package var tokenEndpoint: String
    /// Where it takes them back; nil when nowhere.
    package var revocationEndpoint: String?
    /// What this issuer knows us as, and no other.
    package var clientID: String
    /// What the tokens are for.
    package var resource: String
    /// The rights that were asked for, separated by blanks.
    package var scope: String?

    package init(
      url: String, tokenEndpoint: String, revocationEndpoint: String? = nil, clientID: String, resource: String,
      scope: String? = nil
    ) {
      self.url = url
      self.tokenEndpoint = tokenEndpoint
      self.revocationEndpoint = revocationEndpoint
      self.clientID = clientID
      self.resource = resource
      self.scope = scope
    }
  }

  package init(
    _ kind: Kind, token: Secret, refresh: Secret? = nil, tokenID: String? = nil, expiresAt: Int? = nil,
    lifetime: Int? = nil, username: String? = nil, pass: GatePass? = nil, issuer: Issuer? = nil
  ) {
    self.kind = kind
    self.token = token
    self.refresh = refresh
    self.tokenID = tokenID
    self.expiresAt = expiresAt
    self.lifetime = lifetime
    self.username = username
    self.pass = pass
    self.issuer = issuer
  }
}

/// Keeps sign-ins between runs. A protocol because the process ends here. An account is a server's `url`.
package protocol CredentialStore: Sendable {
  /// nil when nothing is kept for the account.
  func read(_ account: String) async throws(CredentialError) -> StoredSignIn?

  /// Where it went is what the person is told.
  /// - Parameter spent: the refresh token that was spent for this sign-in; nil when a person signed in. What is kept of it
  ///   is worth nothing any more, so its successor goes to the same place even in a run that keeps nothing else.
  func write(
    _ signIn: StoredSignIn, for account: String, replacing spent: Secret?
  ) async throws(CredentialError) -> CredentialPlace

  /// Takes it away wherever it was ever put, and looks whether it is gone (docs/rules.md C9).
  func erase(_ account: String) async throws(CredentialError)

  /// Runs `body` while no other process does the same for the account: a refresh token may be spent once only
  /// (docs/rules.md C10).
  func exclusively<T: Sendable>(_ account: String, _ body: @Sendable () async -> T) async throws(CredentialError) -> T
}

extension CredentialStore {
  /// Keeps what a person signed in with.
  package func write(_ signIn: StoredSignIn, for account: String) async throws(CredentialError) -> CredentialPlace {
    try await write(signIn, for: account, replacing: nil)
  }
}

package enum CredentialPlace: Sendable, Equatable {
  /// The desktop's secret service.
  case keyring
  /// A docker credential helper, by its name.
  case helper(String)
  /// A file that is not encrypted and that only the person may read.
  case file(String)
  /// For this run only.
  case memory
}

package enum CredentialError: Error, Sendable, Equatable {
  /// The place that the person asked for is not there.
  case unavailable(place: String, reason: String)
  /// Others can read or could have written the file.
  case exposed(Exposure)
  case broken(path: String)
  /// A program that keeps secrets failed, or did not answer.
  case program(name: String, reason: String)
  case file(path: String, reason: String)
  /// After erasing there was still something.
  case stillThere(place: String)
}

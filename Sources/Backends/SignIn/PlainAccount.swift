import Chat

/// Signing in by what is typed here alone: no terms to agree to, no browser, no device to be remembered, and nothing that the
/// server would revoke.
protocol PlainAccount: Account {
  var endpoint: Endpoint { get }
}

extension PlainAccount {
  func acceptConsent() async throws(BackendError) {}

  func signIn(with provider: IdentityProvider?, elsewhere: Bool) async throws(BackendError) -> BrowserSignIn {
    throw .signInRefused(address: endpoint.address, .nothingOffered)
  }

  func rememberLimit() async throws(BackendError) -> Int? { nil }

  func remember(as name: String) async throws(BackendError) -> Remembered {
    throw .signInRefused(address: endpoint.address, .nothingOffered)
  }

  var hasEnvironmentKey: Bool { endpoint.bearer.hasEnvironmentKey }

  func hasSignIn() async -> Bool { await endpoint.bearer.hasSignIn }

  func signOut() async throws(CredentialError) -> SignedOut {
    try await endpoint.bearer.forget()
    return SignedOut()
  }
}

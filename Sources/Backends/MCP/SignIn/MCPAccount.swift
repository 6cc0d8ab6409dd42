import Chat
import Transport

/// Signing in to a server of tools that the person added.
struct MCPAccount: ToolAccount {
  let signer: ToolSigner
  /// Asks the server what it is, signed by somebody else.
  let ask: @Sendable (any MCPSigner) async throws(ToolError) -> Void

  private var endpoint: Endpoint { signer.endpoint }

  func signIn(token: Secret) async throws(ToolError) -> SignedIn {
    guard token.fitsHeader else { throw .server(.signInRefused(address: endpoint.address, .wrongToken)) }
    do throws(BackendError) { try endpoint.recipients.check(endpoint.server.url) } catch { throw .server(error) }
    try await ask(TrialSigner(endpoint: endpoint, token: token))
    let kept = await endpoint.bearer.keep(StoredSignIn(.key, token: token, expiresAt: TokenClaims(token)?.expiresAt))
    signer.settle()
    return SignedIn(person: Person(name: "key", kind: .key), place: kept.place, problem: kept.problem)
  }

  func signIn(clientID: String?) async throws(ToolError) -> BrowserSignIn {
    throw .server(.signInRefused(address: endpoint.address, .nothingOffered))
  }

  func hasSignIn() async -> Bool { await endpoint.bearer.hasSignIn }

  func signOut() async throws(CredentialError) { try await endpoint.bearer.forget() }
}

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
    do throws(BackendError) { try endpoint.recipients.check(endpoint.server.url) } catch {
      throw ToolError(signIn: error)
    }
    try await ask(TrialSigner(endpoint: endpoint, token: token))
    return await keep(StoredSignIn(.key, token: token, expiresAt: TokenClaims(token)?.expiresAt))
  }

  func signIn(clientID: String?) async throws(ToolError) -> BrowserSignIn {
    let demand = try await demand()
    do throws(BackendError) {
      try endpoint.recipients.check(endpoint.server.url)
      let before = try await endpoint.bearer.stored
      let (resource, authority) = try await SignInDiscovery(endpoint: endpoint).look(for: demand)
      let flow = ToolBrowserFlow(
        endpoint: endpoint, resource: resource, authority: authority,
        scope: ToolBrowserFlow.scope(for: demand, of: resource, authority, before: before))
      return try await flow.begin(clientID: clientID, known: before?.issuer, keep: keep)
    } catch { throw ToolError(signIn: error) }
  }

  /// What the server asks for, which is found out by coming with nothing.
  private func demand() async throws(ToolError) -> ResourceDemand {
    if let demand = signer.demand { return demand }
    do throws(ToolError) {
      try await ask(TrialSigner(endpoint: endpoint, token: nil, demanded: signer.note))
    } catch {
      guard case .signInNeeded = error else { throw error }
    }
    return signer.demand ?? ResourceDemand(url: endpoint.server.url)
  }

  private func keep(_ signIn: StoredSignIn) async -> SignedIn {
    let kept = await endpoint.bearer.keep(signIn)
    signer.settle()
    let person = Person(name: signIn.username ?? "", expiresAt: signIn.expiresAt, kind: signIn.kind)
    return SignedIn(person: person, place: kept.place, problem: kept.problem)
  }

  func hasSignIn() async -> Bool { await endpoint.bearer.hasSignIn }

  func signOut() async throws(CredentialError) {
    await revoke()
    try await endpoint.bearer.forget()
  }

  /// Tells who gave the tokens out that they are not needed any more (RFC 7009). A courtesy: whatever they say, nothing
  /// is kept here.
  private func revoke() async {
    guard let signIn = try? await endpoint.bearer.stored, let issuer = signIn.issuer,
      let url = issuer.revocationEndpoint
    else { return }
    let taker = endpoint.at(url).within(seconds: 5)
    let fields: FormFields = [
      "token": (signIn.refresh ?? signIn.token).reveal(),
      "token_type_hint": signIn.refresh == nil ? "access_token" : "refresh_token", "client_id": issuer.clientID,
    ]
    _ = try? await taker.send(taker.timed(.form(url, fields)), signed: .not)  // as above
  }
}

extension ToolError {
  /// What failed a sign-in. There is no allowing of it to go somewhere, as there is for that of a server of models.
  init(signIn error: BackendError) {
    if case .withheld(let origin, .inTheClear) = error {
      self = .inTheClear(origin: origin)
    } else {
      self = .server(error)
    }
  }
}

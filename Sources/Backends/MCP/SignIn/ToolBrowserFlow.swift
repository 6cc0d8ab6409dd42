import Chat
import Transport
import Wire

/// A sign-in to a server of tools that the person finishes in a browser (docs/mcp.md 7.4 to 7.6).
struct ToolBrowserFlow: Sendable {
  /// That of the server of tools.
  let endpoint: Endpoint
  let resource: ProtectedResource
  let authority: AuthorizationServer
  /// The rights to ask for, separated by blanks; nil lets the server decide.
  let scope: String?

  /// What is asked for: what the server wanted, else all that it says there is, and for more rights the old ones too.
  /// - Parameter before: what the person was signed in with.
  static func scope(
    for demand: ResourceDemand, of resource: ProtectedResource, _ authority: AuthorizationServer, before: StoredSignIn?
  ) -> String? {
    var scopes = Scopes(demand.lacksScope ? before?.issuer?.scope : nil)
    scopes.add(demand.scope ?? resource.scopes.joined(separator: " "))
    // Without it some give no token to renew with.
    if scopes.text != nil, authority.offersOfflineAccess { scopes.add("offline_access") }
    return scopes.text
  }

  /// - Parameters:
  ///   - clientID: what the person registered us as.
  ///   - known: what this issuer gave us before.
  func begin(
    clientID: String?, known: StoredSignIn.Issuer?,
    keep: @escaping @Sendable (StoredSignIn) async -> SignedIn
  ) async throws(BackendError) -> BrowserSignIn {
    guard let loopback = LoopbackReturn() else {
      throw .notSignedIn(endpoint.address, "there is no listening on this machine")
    }
    let proof = PKCE()
    let client = try await client(clientID, known, loopback, proof)
    return BrowserSignIn(url: page(client, loopback, proof), code: nil) { () async throws(BackendError) in
      let code = try await loopback.code(
        of: authority.issuer, mustSay: authority.namesItself, address: endpoint.address)
      return await keep(try await signIn(code, client, loopback, proof))
    }
  }

  /// What the issuer knows us as: kept for it alone, and used again where it still holds.
  private func client(
    _ given: String?, _ known: StoredSignIn.Issuer?, _ loopback: LoopbackReturn, _ proof: PKCE
  ) async throws(BackendError) -> String {
    if let given { return given }
    if let known, known.url == authority.issuer, known.scope == scope,
      try await isWelcome(page(known.clientID, loopback, proof))
    {
      return known.clientID
    }
    let registration = ClientRegistration(endpoint: endpoint, authority: authority)
    return try await registration.clientID(redirect: loopback.url, scope: scope)
  }

  /// Many know us only as coming back to the very port that we had then: better found out before a person sees it.
  private func isWelcome(_ page: String) async throws(BackendError) -> Bool {
    let preview = try await endpoint.at(authority.issuer).get(page, signed: .not)
    return preview.status < 400 && !(preview.location?.contains("error=") ?? false)
  }

  private func page(_ client: String, _ loopback: LoopbackReturn, _ proof: PKCE) -> String {
    let query: FormFields = [
      "response_type": "code", "client_id": client, "redirect_uri": loopback.url, "scope": scope,
      "state": loopback.state, "code_challenge": proof.challenge, "code_challenge_method": "S256",
      "resource": resource.url,
    ]
    return "\(authority.authorization)\(authority.authorization.contains("?") ? "&" : "?")\(query.encoded)"
  }

  /// Trades a code for tokens.
  private func signIn(
    _ code: String, _ client: String, _ loopback: LoopbackReturn, _ proof: PKCE
  ) async throws(BackendError) -> StoredSignIn {
    let giver = endpoint.at(authority.token)
    let fields: FormFields = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": loopback.url, "client_id": client,
      "code_verifier": proof.verifier, "resource": resource.url,
    ]
    let document = try await giver.send(giver.timed(.form(authority.token, fields)), signed: .not)
    guard document.isSuccess else { throw .notSignedIn(endpoint.address, error: document.json?["error"]?.string) }
    guard let json = document.unmaskedJSON, let tokens = Tokens(json) else {
      throw .malformed(address: giver.address, detail: "no token")
    }
    // One that is bound to a key of ours would be of no use as a bearer.
    if let type = json["token_type"]?.string, type.lowercased() != "bearer" {
      throw .malformed(address: giver.address, detail: "a token of another kind")
    }
    let issuer = StoredSignIn.Issuer(
      url: authority.issuer, tokenEndpoint: authority.token, revocationEndpoint: authority.revocation,
      clientID: client, resource: resource.url, scope: scope ?? json["scope"]?.string)
    return tokens.signIn(now: endpoint.clock.sinceEpoch(), issuer: issuer)
  }
}

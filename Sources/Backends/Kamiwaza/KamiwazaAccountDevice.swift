import Chat
import Transport
import Wire

// A browser, a device that is remembered, and the way out.
extension KamiwazaAccount {
  /// The platform hands a native program no token: its sign-in page only says who its identity provider is, which is then
  /// asked directly (docs/kamiwaza.md 3.4).
  func signIn(with provider: IdentityProvider?, elsewhere: Bool) async throws(BackendError) -> BrowserSignIn {
    let home = Origin(url: endpoint.server.url)?.url ?? endpoint.server.url
    let query: FormFields = ["redirect_uri": home + "/", "provider": provider?.alias]
    let page = try await endpoint.get(url("/auth/login?\(query.encoded)"), signed: .not)
    guard 300..<400 ~= page.status, let location = page.location,
      let issuer = IdentityIssuer(location: location.hasPrefix("/") ? home + location : location)
    else {
      throw .signInRefused(address: address, .browser("the server does not say who its identity provider is"))
    }
    let flow = BrowserFlow(
      endpoint: endpoint, issuer: try await issuer.discovered(by: endpoint),
      keep: { (tokens, issuer) async throws(BackendError) in await keep(tokens, username: nil, issuer: issuer) })
    return try await flow.begin(provider, elsewhere: elsewhere)
  }

  func rememberLimit() async throws(BackendError) -> Int? {
    do throws(BackendError) { return try await policy().lifetime } catch {
      guard case .refused(_, 403, _) = error else { throw error }
      return nil
    }
  }

  func remember(as name: String) async throws(BackendError) -> Remembered {
    let policy = try await policy()
    let session = try await bearer.stored
    let made = try await makePAT(name, policy)
    // Some servers give out tokens that they do not take themselves.
    do throws(BackendError) { try await tryOut(made.token) } catch {
      // It would live for a hundred days. A person who gave up does not end this: it is a child of nobody, and short.
      if let id = made.id { _ = await Task { await briefly.revoke(id, .signIn) }.value }
      throw error
    }
    let kept = await replace(
      with: StoredSignIn(
        .device, token: made.token, tokenID: made.id, expiresAt: made.expiresAt, username: session?.username))
    return Remembered(
      expiresAt: made.expiresAt, missingRoles: missingRoles(of: made.token, beside: session?.token), place: kept.place,
      problem: kept.problem)
  }

  /// Keeps a sign-in that works. A device's token that it takes the place of is revoked, best effort: nobody would know of
  /// it any more. One that a run without leave to write leaves in its place is not touched.
  func replace(
    with signIn: StoredSignIn, issuer: TokenEndpoint? = nil
  ) async -> (place: CredentialPlace, problem: CredentialError?) {
    let before = try? await bearer.stored  // what cannot be read cannot be revoked
    let kept = await bearer.keep(signIn, issuer: issuer)
    if kept.place != .memory, let before, before.kind == .device, before.token != signIn.token, let id = before.tokenID,
      id != signIn.tokenID, await briefly.revoke(id, .with(before.token)) != nil
    {
      _ = await briefly.revoke(id, .with(signIn.token))
    }
    return kept
  }

  /// For what need not succeed.
  private var briefly: KamiwazaAccount { KamiwazaAccount(endpoint.within(seconds: 5)) }

  /// Servers before 0.12 have none to tell.
  private func policy() async throws(BackendError) -> PATPolicy {
    let document = try await endpoint.get(url("/auth/pat-config"))
    if document.status == 404 || document.status == 405 { return PATPolicy() }
    guard document.isSuccess else { throw failure(document) }
    return document.json.map(PATPolicy.init) ?? PATPolicy()
  }

  /// A server that does not tell how long a token may live may refuse the wish: it is asked for one as long as it likes.
  private func makePAT(_ name: String, _ policy: PATPolicy) async throws(BackendError) -> MadePAT {
    do throws(BackendError) { return try await makePAT(name, policy, living: policy.lifetime) } catch {
      guard case .refused(_, 400, _) = error, !policy.isTold else { throw error }
      return try await makePAT(name, policy, living: nil)
    }
  }

  /// Once only (docs/rules.md N5), both ways that servers read it: in the query and as a body.
  private func makePAT(
    _ name: String, _ policy: PATPolicy, living seconds: Int?
  ) async throws(BackendError) -> MadePAT {
    let name = String(name.prefix(255))
    let audience = "kamiwaza-platform"
    let query: FormFields = [
      "name": name, "ttl_seconds": seconds.map(String.init), "scope": policy.defaultScope, "aud": audience,
    ]
    var body: JSON = ["name": .string(name), "aud": .string(audience)]
    body["ttl_seconds"] = seconds.map { .int($0) }
    body["scope"] = policy.defaultScope.map { .string($0) }
    let document = try await endpoint.send(
      endpoint.request("POST", url("/auth/pats?\(query.encoded)"), json: body), signed: .once)
    guard document.isSuccess else {
      // What a site allows is worth telling; our tokens are not in it.
      throw endpoint.failures.status(
        document.status, ErrorBody(document.said), location: document.location,
        retryAfter: RetryAfter.seconds(of: document.response, now: endpoint.clock.sinceEpoch()))
    }
    guard let made = document.unmaskedJSON.flatMap(MadePAT.init) else {
      throw .malformed(address: address, detail: "no token")
    }
    return made
  }

  private func missingRoles(of token: Secret, beside session: Secret?) -> [String] {
    guard let before = session.flatMap(TokenClaims.init)?.roles, let now = TokenClaims(token)?.roles else { return [] }
    return before.subtracting(now).sorted()
  }
}

// The way out.
extension KamiwazaAccount {
  /// The device's token first: once the session has ended nobody could revoke it (docs/kamiwaza.md 3.3).
  func signOut() async throws(CredentialError) -> SignedOut {
    var result = SignedOut()
    let stored: StoredSignIn?
    do throws(BackendError) {
      stored = try await bearer.stored
    } catch {
      // What cannot be read can be erased at most.
      result.left = error
      stored = nil
    }
    if let stored {
      let token = await lastToken() ?? stored.token
      if stored.kind == .device, let id = stored.tokenID {
        result.left = await revoke(id, .with(token))
        result.revokedDevice = result.left == nil
      }
      // Whoever cannot be reached once is not waited for twice.
      if !(result.left?.isAboutReaching ?? false) { await logOut(token, &result) }
    }
    try await bearer.forget()
    return result
  }

  /// nil when it cannot be renewed: then the old one must do.
  private func lastToken() async -> Secret? {
    // A renewal goes to the server's own address, and there only where the sign-in may.
    guard endpoint.mayBeSignedIn else { return nil }
    do throws(BackendError) { return try await bearer.token() } catch { return nil }
  }

  private func revoke(_ id: String, _ signature: Endpoint.Signature) async -> BackendError? {
    let request = endpoint.request("DELETE", url("/auth/pats/\(id.percentEncoded)"))
    do throws(BackendError) {
      let document = try await endpoint.send(request, signed: signature)
      // One that is gone already needs no revoking.
      return document.isSuccess || document.status == 404 ? nil : failure(document)
    } catch { return error }
  }

  private func logOut(_ token: Secret, _ result: inout SignedOut) async {
    do throws(BackendError) {
      let document = try await endpoint.send(
        endpoint.request("POST", url("/auth/logout"), json: [:]), signed: .with(token))
      if document.isSuccess {
        result.page = document.json.map(LogoutResponse.init)?.page
      } else if ![401, 404].contains(document.status), result.left == nil {
        // A token that is no longer taken has no session to end.
        result.left = failure(document)
      }
    } catch {
      result.left = result.left ?? error
    }
  }
}

extension BackendError {
  fileprivate var isAboutReaching: Bool {
    switch self {
    case .unreachable, .timedOut, .untrusted, .withheld, .cancelled: true
    default: false
    }
  }
}

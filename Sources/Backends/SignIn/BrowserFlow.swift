import Chat
import Transport
import Wire

/// A sign-in that the person finishes in a browser: a code that comes back to this machine (RFC 8252 with PKCE), or a
/// word that is typed on another device (RFC 8628).
struct BrowserFlow: Sendable {
  let endpoint: Endpoint
  let issuer: IdentityIssuer
  /// Keeps the tokens and says whose they are.
  let keep: @Sendable (Tokens, TokenEndpoint) async throws(BackendError) -> SignedIn

  /// Without `offline_access` the provider's idle limit ends the sign-in after half an hour (docs/kamiwaza.md 3.3).
  static let scope = "openid email profile offline_access"

  /// The identity provider, which is named when it cannot be reached.
  private var provider: Endpoint { endpoint.at(issuer.url) }

  /// Asks the identity provider, signed with nothing of ours.
  func ask(_ url: String, _ fields: FormFields) async throws(BackendError) -> Document {
    try await provider.send(provider.timed(.form(url, fields)), signed: .not)
  }

  func begin(_ provider: IdentityProvider?, elsewhere: Bool) async throws(BackendError) -> BrowserSignIn {
    if !elsewhere, let loopback = try await withLoopback(provider) { return loopback }
    if let device = issuer.deviceAuthorization { return try await withDevice(device) }
    throw refused(
      elsewhere
        ? "the identity provider offers no sign-in on another device"
        : "the identity provider sends no browser back here")
  }

  func refused(_ reason: String) -> BackendError { .notSignedIn(endpoint.address, reason) }
  func refused(error word: String?) -> BackendError { .notSignedIn(endpoint.address, error: word) }

  /// Trades what the browser brought for tokens.
  func tokens(_ fields: FormFields) async throws(BackendError) -> Result<Tokens, TokenRefusal> {
    let document = try await ask(issuer.token, fields)
    if document.isSuccess {
      guard let tokens = document.unmaskedJSON.flatMap(Tokens.init) else {
        throw .malformed(address: provider.address, detail: "no token")
      }
      return .success(tokens)
    }
    return .failure(TokenRefusal(word: document.json?["error"]?.string))
  }
}

/// Why a token endpoint gave none (RFC 6749, section 5.2).
struct TokenRefusal: Error {
  var word: String?
}

// By way of this machine.
extension BrowserFlow {
  /// nil when there is no listening here, or the provider does not send anybody here.
  private func withLoopback(_ provider: IdentityProvider?) async throws(BackendError) -> BrowserSignIn? {
    guard let loopback = LoopbackReturn() else { return nil }
    let proof = PKCE()
    let redirect = loopback.url
    func page(_ scope: String) -> String {
      let query: FormFields = [
        "response_type": "code", "client_id": issuer.clientID, "redirect_uri": redirect, "scope": scope,
        "state": loopback.state, "code_challenge": proof.challenge, "code_challenge_method": "S256",
        "kc_idp_hint": provider?.alias,
      ]
      return "\(issuer.authorization)\(issuer.authorization.contains("?") ? "&" : "?")\(query.encoded)"
    }
    var url = page(BrowserFlow.scope)
    // A provider that knows no such address shows an error page and sends nobody back: better found out now.
    var preview = try await self.provider.get(url, signed: .not)
    if let location = preview.location, location.hasPrefix(redirect), location.contains("error=invalid_scope") {
      url = page("openid email profile")
      preview = try await self.provider.get(url, signed: .not)
    }
    guard !(400..<500 ~= preview.status), preview.location.map({ !$0.hasPrefix(redirect) }) ?? true else { return nil }
    return BrowserSignIn(url: url, code: nil) { () async throws(BackendError) in
      try await finish(loopback, proof)
    }
  }

  private func finish(_ loopback: LoopbackReturn, _ proof: PKCE) async throws(BackendError) -> SignedIn {
    let code = try await loopback.code(of: issuer.url, address: endpoint.address)
    let answer = try await tokens([
      "grant_type": "authorization_code", "code": code, "redirect_uri": loopback.url, "client_id": issuer.clientID,
      "code_verifier": proof.verifier,
    ])
    switch answer {
    case .success(let tokens): return try await keep(tokens, issuer.tokenEndpoint)
    case .failure(let refusal): throw refused(error: refusal.word)
    }
  }
}

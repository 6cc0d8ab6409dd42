import Chat
import Transport
import Wire

/// Where an identity provider gives out tokens, and the name we go by there.
struct TokenEndpoint: Sendable, Equatable {
  var url: String
  var clientID: String
  /// What its tokens are for; nil where that is not asked for (RFC 8707).
  var resource: String?
}

extension TokenEndpoint {
  init(_ issuer: StoredSignIn.Issuer) {
    self.init(url: issuer.tokenEndpoint, clientID: issuer.clientID, resource: issuer.resource)
  }
}

/// Spends a refresh token at a Kamiwaza server (docs/kamiwaza.md 3.1, 3.3). Never tried twice by itself
/// (docs/rules.md N5).
///
/// The platform is asked first, whoever gave the tokens out: it knows its own identity provider. When it refuses, the
/// provider itself is asked, for tokens of a browser sign-in of this run; its address is not kept between runs.
struct TokenRenewal: Sendable {
  let server: Server
  let http: any HTTP
  let timeouts: Timeouts
  let clock: TimeSource

  /// The longest that each of the two may be asked, in seconds: other processes wait a minute for the lock, and must not
  /// give up while this one is at it (docs/rules.md C10).
  private static let patience = 25.0

  /// Throws `unauthorized` when the token is not taken, and only then.
  func tokens(for refresh: Secret, issuer: TokenEndpoint?) async throws(BackendError) -> Tokens {
    do throws(BackendError) {
      // In the query, as the platform wants it: this address is in no error and no description (docs/rules.md C6).
      let query: FormFields = ["refresh_token": refresh.reveal()]
      return try await tokens(of: HTTPRequest("POST", "\(server.url)/auth/refresh?\(query.encoded)"), from: server.url)
    } catch {
      guard case .unauthorized = error, let issuer else { throw error }
      return try await tokens(for: refresh, at: issuer)
    }
  }

  /// Such a server wants both, and the access token still good (docs/terminals.md 8).
  func tokens(ofCodeServer spent: SpentTokens) async throws(BackendError) -> Tokens {
    let body: JSON = ["refreshToken": .string(spent.refresh.reveal())]
    var request = HTTPRequest(
      "POST", "\(server.url)/api/auth/refresh", headers: [(name: "Content-Type", value: "application/json")],
      body: body.bytes())
    request.authorize(with: spent.access)
    return try await tokens(of: request, from: server.url)
  }

  /// Asks who gave the token out, and nobody else (RFC 6749, section 6).
  func tokens(for refresh: Secret, at issuer: TokenEndpoint) async throws(BackendError) -> Tokens {
    let fields: FormFields = [
      "grant_type": "refresh_token", "refresh_token": refresh.reveal(), "client_id": issuer.clientID,
      "resource": issuer.resource,
    ]
    return try await tokens(of: .form(issuer.url, fields), from: issuer.url)
  }

  private func tokens(of request: HTTPRequest, from url: String) async throws(BackendError) -> Tokens {
    // Signed with nothing: what the environment or the store holds is not asked for.
    let endpoint = Endpoint(server, http, Bearer.none, timeouts, clock: clock).at(url)
      .within(seconds: TokenRenewal.patience)
    let document = try await endpoint.send(endpoint.timed(request), signed: .not)
    switch document.status {
    case 200..<300:
      guard let json = document.unmaskedJSON, let tokens = Tokens(json) else {
        throw .malformed(address: endpoint.address, detail: "no token")
      }
      return tokens
    case 429:
      throw .rateLimited(
        address: endpoint.address, message: "",
        retryAfter: RetryAfter.seconds(of: document.response, now: clock.sinceEpoch()))
    case 400..<500: throw .unauthorized(address: endpoint.address, message: "")
    // The words are not passed on: they may have the token in them.
    default: throw .refused(address: endpoint.address, status: document.status, message: "")
    }
  }
}

import Chat
import Transport
import Wire

/// An identity provider that speaks OpenID Connect, as a platform's own sign-in page names it (docs/kamiwaza.md 3.4).
struct IdentityIssuer: Sendable {
  let url: String
  let clientID: String
  private(set) var authorization = ""
  private(set) var token = ""
  /// Where to begin a sign-in on another device (RFC 8628); nil when it offers none.
  private(set) var deviceAuthorization: String?

  /// Reads it from where the platform would send a browser: `{issuer}/protocol/openid-connect/auth?client_id=…`.
  init?(location: String) {
    let parts = location.split(separator: "?", maxSplits: 1)
    guard let address = parts.first, let end = address.firstRange(of: "/protocol/openid-connect/auth"),
      Origin(url: location) != nil
    else { return nil }
    url = String(address[..<end.lowerBound])
    let query = parts.count > 1 ? QueryItems(String(parts[1].prefix { $0 != "#" })) : QueryItems("")
    clientID = query["client_id"] ?? "kamiwaza-platform"
  }

  var tokenEndpoint: TokenEndpoint { TokenEndpoint(url: token, clientID: clientID) }

  /// Its addresses (OpenID Connect Discovery, section 4). Whoever answers must be who was asked, and all of it be where
  /// the person's sign-in may go.
  func discovered(by endpoint: Endpoint) async throws(BackendError) -> IdentityIssuer {
    try check(url, endpoint)
    // Who cannot be reached is the provider, not the platform.
    let document = try await endpoint.at(url).get("\(url)/.well-known/openid-configuration", signed: .not)
    guard document.status == 200, let json = document.json,
      json["issuer"]?.string?.droppingSlash == url.droppingSlash,
      let authorization = json["authorization_endpoint"]?.string, let token = json["token_endpoint"]?.string
    else { throw .signInRefused(address: endpoint.address, .browser("the identity provider does not describe itself")) }
    var issuer = self
    issuer.authorization = authorization
    issuer.token = token
    issuer.deviceAuthorization = json["device_authorization_endpoint"]?.string
    for address in [authorization, token, issuer.deviceAuthorization].compactMap({ $0 }) {
      try check(address, endpoint)
    }
    return issuer
  }

  /// It gets a code and gives tokens, never our bearer; so it may be any host, but not in the clear unless allowed.
  private func check(_ url: String, _ endpoint: Endpoint) throws(BackendError) {
    guard let origin = Origin(url: url) else {
      throw .signInRefused(address: endpoint.address, .browser("the identity provider's address cannot be used"))
    }
    if origin.isInTheClear { try endpoint.recipients.check(url) }
  }
}

/// The items of a query, decoded.
struct QueryItems: Sendable {
  private var items: [String: String] = [:]

  init(_ query: String) {
    for item in query.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      items[QueryItems.decoded(parts[0])] = parts.count > 1 ? QueryItems.decoded(parts[1]) : ""
    }
  }

  subscript(name: String) -> String? { items[name] }

  private static func decoded(_ text: Substring) -> String {
    String(text.replacing("+", with: " ")).percentDecoded
  }
}

extension String {
  fileprivate var droppingSlash: Substring { hasSuffix("/") ? dropLast() : self[...] }
}

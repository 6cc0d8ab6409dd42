import Foundation

/// The platform's own sign-in with a browser, which ends with a cookie and not with tokens (docs/kamiwaza.md 3.4).
enum LoginRoutes {
  static let all: [Route] = [
    Route("GET", "/auth/login", answer: login),
    Route("GET", "/auth/callback", answer: callback),
  ]

  private static let path = "/auth/callback"

  /// Whether that is where this site's own sign-in comes back.
  static func isCallback(_ address: String, _ call: Call) -> Bool {
    address.hasPrefix(call.origin + "/") && address.hasSuffix(path)
  }

  @Sendable private static func login(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    guard playground.options.oidc else { throw Refusal(503, "No identity provider is configured") }
    let query = Fields.encoded([
      "response_type": "code", "client_id": Accounts.audience, "scope": "openid email profile",
      "redirect_uri": callbackAddress(call, playground), "state": Base64URL.encode(Tokens.random(12)),
    ])
    return .redirect(302, to: IdentityRoutes.authorizationAddress(call, playground) + "?" + query)
  }

  /// Sets the cookie and goes to the web interface.
  @Sendable private static func callback(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    guard let code = call.query["code"] else { throw .missing("query", "code") }
    let address = callbackAddress(call, playground)
    let user = try await playground.provider.redeem(code, redirect: address, verifier: nil)
    let tokens = try await playground.accounts.open(for: user)
    let reply = Reply.redirect(302, to: playground.address(of: "/", for: call))
    let cookie = AuthRoutes.withCookie(tokens).headers.first { $0.name == "Set-Cookie" }
    return reply.with("Set-Cookie", cookie?.value ?? "")
  }

  private static func callbackAddress(_ call: Call, _ playground: Playground) -> String {
    call.origin + playground.options.apiRoot + path
  }
}

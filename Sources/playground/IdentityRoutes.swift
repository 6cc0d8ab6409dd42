import Foundation
import Wire

/// `/realms/kamiwaza`: an identity provider, for a sign-in with a browser or with a code on another device.
enum IdentityRoutes {
  private static let realm = "/realms/kamiwaza"
  private static let connect = realm + "/protocol/openid-connect"

  static let all: [Route] = [
    Route("GET", realm + "/.well-known/openid-configuration", at: .site, answer: discovery),
    Route("GET", connect + "/auth", at: .site) { (call, _) async throws(Refusal) in
      _ = try wish(call, in: call.query)
      return SignInPage.reply(for: call.query, fields: wishFields)
    },
    Route("POST", connect + "/auth", at: .site, answer: signIn),
    Route("POST", connect + "/token", at: .site, answer: token),
    Route("POST", connect + "/auth/device", at: .site, answer: startDevice),
    Route("GET", realm + "/device", at: .site) { (call, _) async throws(Refusal) in
      SignInPage.reply(for: call.query, fields: [], asking: "user_code")
    },
    Route("POST", realm + "/device", at: .site, answer: allowDevice),
    // Tokens are signed with a key that nobody else has.
    Route("GET", connect + "/certs", at: .site) { (_, _) async throws(Refusal) in .json(["keys": .array([])]) },
  ]

  private static let wishFields = [
    "response_type", "client_id", "redirect_uri", "state", "scope", "code_challenge", "code_challenge_method",
  ]

  static func authorizationAddress(_ call: Call, _ playground: Playground) -> String {
    playground.address(of: connect + "/auth", for: call)
  }

  @Sendable private static func discovery(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    func address(_ path: String) -> JSON { .string(playground.address(of: path, for: call)) }
    return .json([
      "issuer": address(realm), "authorization_endpoint": address(connect + "/auth"),
      "token_endpoint": address(connect + "/token"), "jwks_uri": address(connect + "/certs"),
      "device_authorization_endpoint": address(connect + "/auth/device"),
      "response_types_supported": ["code"], "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": ["HS256"], "code_challenge_methods_supported": ["S256"],
      "grant_types_supported": [
        "authorization_code", "refresh_token", "password", "urn:ietf:params:oauth:grant-type:device_code",
      ], "scopes_supported": ["openid", "email", "profile", "offline_access"],
    ])
  }

  /// What the browser is to be sent back with. Nothing is sent to an address that is not a client's own.
  private static func wish(_ call: Call, in fields: Fields) throws(Refusal) -> IdentityProvider.Wish {
    let redirect = fields["redirect_uri"] ?? ""
    let isOwn = redirect == LoginRoutes.callbackAddress(inPlaceOf: call, redirect)
    guard isOwn || isLoopback(redirect) else { throw problem("Invalid parameter: redirect_uri") }
    guard fields["client_id"] == Accounts.audience else { throw problem("Client not found.") }
    guard fields["response_type"] == "code" else { throw problem("Missing parameter: response_type") }
    let challenge = fields["code_challenge"]
    guard isOwn || (challenge?.count == 43 && fields["code_challenge_method"] == "S256") else {
      throw problem("Missing parameter: code_challenge_method")
    }
    return IdentityProvider.Wish(redirect: redirect, state: fields["state"], challenge: challenge)
  }

  /// `http://127.0.0.1:PORT/callback` (RFC 8252, 7.3: any port).
  private static func isLoopback(_ address: String) -> Bool {
    guard let parts = URLComponents(string: address) else { return false }
    return parts.scheme == "http" && parts.host == "127.0.0.1" && parts.port != nil && parts.path == "/callback"
      && parts.query == nil && parts.fragment == nil && parts.user == nil
  }

  private static func problem(_ text: String) -> Refusal {
    Refusal(.html(WebPages.page("We are sorry", "<p>\(WebPages.escaped(text))</p>"), status: 400))
  }

  @Sendable private static func signIn(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    let form = call.form
    let wish = try wish(call, in: form)
    let user: User
    do throws(Refusal) {
      user = try await playground.accounts.check(form["username"] ?? "", form["password"] ?? "")
    } catch {
      return SignInPage.reply(for: form, fields: wishFields, complaint: "Invalid username or password.")
    }
    let code = await playground.provider.makeCode(for: user, wish)
    var query = Fields.encoded(["code": code, "session_state": UUID().uuidString.lowercased()])
    if let state = wish.state { query += "&" + Fields.encoded(["state": state]) }
    return .redirect(302, to: wish.redirect + "?" + query)
  }

  @Sendable private static func token(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    let form = call.form
    guard form["client_id"] == Accounts.audience else {
      throw .oauth(401, "invalid_client", "Invalid client or Invalid client credentials")
    }
    let user: User
    switch form["grant_type"] {
    case "authorization_code":
      user = try await playground.provider.redeem(
        form["code"] ?? "", redirect: form["redirect_uri"] ?? "", verifier: form["code_verifier"])
    case "urn:ietf:params:oauth:grant-type:device_code":
      user = try await playground.provider.redeem(device: form["device_code"] ?? "")
    case "password":
      user = try await granted { () async throws(Refusal) in
        try await playground.accounts.check(form["username"] ?? "", form["password"] ?? "")
      }
    case "refresh_token":
      return .json(
        try await granted { () async throws(Refusal) in
          try await playground.accounts.refresh(form["refresh_token"] ?? "")
        }
      ).with("Cache-Control", "no-store")
    default: throw .oauth(400, "unsupported_grant_type", "Unsupported grant_type")
    }
    return .json(try await playground.accounts.open(for: user)).with("Cache-Control", "no-store")
  }

  /// The platform's refusals in the provider's words.
  private static func granted<Value: Sendable>(_ work: () async throws(Refusal) -> Value) async throws(Refusal)
    -> Value
  {
    do throws(Refusal) {
      return try await work()
    } catch {
      throw .oauth(error.reply.status == 401 ? 401 : 400, "invalid_grant", "Token is not active")
    }
  }

  @Sendable private static func startDevice(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    guard call.form["client_id"] == Accounts.audience else {
      throw .oauth(401, "invalid_client", "Invalid client or Invalid client credentials")
    }
    let codes = await playground.provider.makeDevice()
    let page = playground.address(of: realm + "/device", for: call)
    return .json([
      "device_code": .string(codes.device), "user_code": .string(codes.user), "verification_uri": .string(page),
      "verification_uri_complete": .string(page + "?" + Fields.encoded(["user_code": codes.user])),
      "expires_in": .int(IdentityProvider.deviceLife), "interval": .int(IdentityProvider.interval),
    ])
  }

  @Sendable private static func allowDevice(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    let form = call.form
    var user: User?
    do throws(Refusal) {
      if form["deny"] == nil {
        user = try await playground.accounts.check(form["username"] ?? "", form["password"] ?? "")
      }
    } catch {
      return SignInPage.reply(for: form, fields: [], asking: "user_code", complaint: "Invalid username or password.")
    }
    guard await playground.provider.decide(form["user_code"] ?? "", user) else {
      return SignInPage.reply(for: form, fields: [], asking: "user_code", complaint: "That code is not known.")
    }
    let word = user == nil ? "The device was turned away." : "The device is signed in. You may close this page."
    return .html(WebPages.page("Device", "<p>\(word)</p>"))
  }
}

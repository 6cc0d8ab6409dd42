import Wire

/// `/auth` and `/security`: signing in and out (docs/kamiwaza.md 3).
enum AuthRoutes {
  static let all: [Route] = [
    Route("GET", "/auth/health") { (_, playground) async throws(Refusal) in
      // The first specification has the address, and no words of what is there.
      .json(
        playground.options.seedShape && !playground.options.noAuth
          ? [:] : ["status": "healthy", "KAMIWAZA_USE_AUTH": .bool(!playground.options.noAuth)])
    },
    Route("GET", "/auth/") { (_, _) async throws(Refusal) in .json(["message": "Kamiwaza Auth Service"]) },
    Route("GET", "/auth/idp/public/providers", answer: providers),
    Route("POST", "/auth/token", answer: token),
    Route("POST", "/auth/refresh", answer: refresh),
    Route("POST", "/auth/logout", answer: logout),
    Route("GET", "/auth/users/me", signedIn: me),
    Route("GET", "/whoami") { (call, playground, identity) async throws(Refusal) in
      .json([
        "user_id": .string(identity.user.id), "username": .string(identity.user.name), "tenant_id": "default",
        "roles": .array(identity.user.roles.map(JSON.string)),
      ])
    },
    Route("GET", "/auth/users/me/password-capability") { (_, _, _) async throws(Refusal) in
      .json(["available": false, "reason": "the playground's passwords are fixed"])
    },
    Route("GET", "/security/public/config", answer: consent),
    Route("POST", "/security/consent/accept") { (_, _) async throws(Refusal) in
      .json(["accepted": true, "message": "Consent recorded"])
    },
  ]

  @Sendable private static func providers(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    let isSeed = playground.options.seedShape
    let google: JSON = [
      "alias": "google", isSeed ? "provider_id" : "providerId": "google",
      isSeed ? "display_name" : "displayName": "Google", "enabled": true,
    ]
    let listed: [JSON] = playground.options.oidc ? [google] : []
    return .json(["providers": .array(listed), "idp_management_enabled": true])
  }

  @Sendable private static func token(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    guard call.headers["content-type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
      throw .missing("body", "username")
    }
    let form = call.form
    guard let name = form["username"] else { throw .missing("body", "username") }
    guard let password = form["password"] else { throw .missing("body", "password") }
    guard form["grant_type"] ?? "password" == "password" else {
      throw .oauth(400, "unsupported_grant_type", "Unsupported grant_type")
    }
    return withCookie(try await playground.accounts.open(for: try await user(name, password, playground)))
  }

  /// The release before hands on what its identity provider says (docs/kamiwaza.md 8).
  private static func user(_ name: String, _ password: String, _ playground: Playground) async throws(Refusal) -> User {
    do throws(Refusal) {
      return try await playground.accounts.check(name, password)
    } catch {
      guard playground.options.release == .old, error.reply.status == 401 else { throw error }
      throw .oauth(401, "invalid_grant", "Invalid user credentials")
    }
  }

  @Sendable private static func refresh(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    if let token = call.query["refresh_token"] {
      // The release before leaves the refresh token as it is, and gives out none (docs/kamiwaza.md 3.3).
      let spends = playground.options.release != .old
      return withCookie(try await playground.accounts.refresh(token, spends: spends))
    }
    guard let cookie = call.cookies["access_token"] else { throw .unauthorized("No refresh token provided") }
    return withCookie(try await playground.accounts.refresh(cookie: cookie))
  }

  static func withCookie(_ tokens: JSON) -> Reply {
    let access = tokens["access_token"]?.string ?? ""
    return Reply.json(tokens).with("Set-Cookie", "access_token=\(access); Path=/; HttpOnly; SameSite=Lax")
      .with("Cache-Control", "no-store")
  }

  @Sendable private static func logout(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    // Who is not signed in any more may say so too.
    if let token = call.token, let identity = try? await playground.accounts.identity(of: token),
      identity.kind == .session
    {
      try await playground.accounts.close(identity.id)
    }
    let back = call.json?["post_logout_redirect_uri"] ?? .null
    return Reply.json([
      "message": "Logged out", "logout_time": .string(Timestamps.naive()), "session_termination_requested": true,
      "front_channel_logout_url": .null, "post_logout_redirect_uri": back,
    ]).with("Set-Cookie", "access_token=; Path=/; Max-Age=0")
  }

  @Sendable private static func me(_ call: Call, _ playground: Playground, _ identity: Identity) async throws(Refusal)
    -> Reply
  {
    // Where nobody signs in there is nobody to describe (docs/kamiwaza.md 3.1).
    guard identity.kind != .none else { throw .unauthorized("Not authenticated") }
    return .json(identity.user.info(under: identity.kind))
  }

  @Sendable private static func consent(_ call: Call, _ playground: Playground) async throws(Refusal) -> Reply {
    guard playground.options.consent else { return .json(["consent_enabled": false, "banner_enabled": false]) }
    return .json([
      "consent_enabled": true,
      "consent_content": """
      <h2>Notice</h2><p>This system is for <b>authorised use</b> only. Questions &amp; answers may be \
      recorded.</p><ul><li>Share nothing secret.</li></ul>
      """,
      "consent_button_label": "I agree", "banner_enabled": true, "banner_top_text": "UNCLASSIFIED // PLAYGROUND",
      "banner_top_color": "#007a33", "banner_bottom_text": "Nothing here is real", "banner_bottom_color": "#007a33",
    ])
  }
}

import Wire

/// `/auth/pats`: personal access tokens (docs/kamiwaza.md 3.1, 3.2).
enum PersonalTokenRoutes {
  static let all: [Route] = [
    Route("POST", "/auth/pats", signedIn: make),
    Route("GET", "/auth/pats") { (_, playground, identity) async throws(Refusal) in
      .json(await playground.accounts.personalTokens(of: identity.user))
    },
    Route("DELETE", "/auth/pats/{jti}") { (call, playground, identity) async throws(Refusal) in
      try await playground.accounts.revoke(call.parameters["jti"] ?? "", of: identity.user)
      return .json(["message": "PAT revoked"])
    },
  ]

  static let policy = Route("GET", "/auth/pat-config") { (_, _, _) async throws(Refusal) in
    .json([
      "scope_hierarchy": ["openid", "read", "write"],
      "scope_labels": ["openid": "Sign in", "read": "Read", "write": "Read and write"],
      "available_scopes": ["openid", "read", "write"], "default_scope": "openid",
      "ttl": [
        "default_seconds": .int(Accounts.defaultLife), "min_seconds": .int(Accounts.shortestLife),
        "max_seconds": .int(Accounts.longestLife),
      ],
    ])
  }

  /// The query counts (docs/kamiwaza.md 3.3); the first specification knows only the body.
  @Sendable private static func make(_ call: Call, _ playground: Playground, _ identity: Identity) async throws(Refusal)
    -> Reply
  {
    let body = call.json
    func text(_ name: String) -> String? {
      playground.options.seedShape ? body?[name]?.string : call.query[name]
    }
    var seconds = playground.options.seedShape ? body?["ttl_seconds"]?.int : nil
    if !playground.options.seedShape, let asked = call.query["ttl_seconds"] {
      guard let number = Int(asked) else {
        throw .invalid("query", "ttl_seconds", "Input should be a valid integer", type: "int_parsing", input: asked)
      }
      seconds = number
    }
    let wish = PersonalTokenWish(name: text("name"), seconds: seconds, scope: text("scope"), audience: text("aud"))
    return .json(try await playground.accounts.makePersonalToken(wish, for: identity.user))
  }
}

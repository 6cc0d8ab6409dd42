import Chat
import Wire

/// A token response (RFC 6749, section 5.1; docs/kamiwaza.md 3.2).
struct Tokens: Sendable {
  var access: Secret
  /// nil keeps the one there was.
  var refresh: Secret?
  /// Seconds the access token is good for.
  var lifetime: Int?

  /// nil when there is no token in it that a request could carry.
  init?(_ json: JSON) {
    guard let access = json[either: "access_token", "accessToken", "token"]?.string.map(Secret.init), access.fitsHeader
    else {
      return nil
    }
    self.access = access
    refresh = json[either: "refresh_token", "refreshToken"]?.string.map(Secret.init).flatMap { $0.isEmpty ? nil : $0 }
    lifetime = json[either: "expires_in", "expiresIn"]?.double.flatMap { 0..<1e9 ~= $0 ? Int($0) : nil }
  }

  /// The sign-in that they make; `now` is in seconds since 1970. `before` is what they follow, whose name, refresh token
  /// and issuer stay when there is no other.
  func signIn(
    now: Double, username: String? = nil, issuer: StoredSignIn.Issuer? = nil, before: StoredSignIn? = nil
  ) -> StoredSignIn {
    let claims = TokenClaims(access)
    return StoredSignIn(
      .session, token: access, refresh: refresh ?? before?.refresh,
      expiresAt: lifetime.map { Int(now * 1000) + $0 * 1000 } ?? claims?.expiresAt, lifetime: lifetime,
      username: username ?? before?.username ?? claims?.username, issuer: issuer ?? before?.issuer)
  }
}

extension JSON {
  /// The first of these members that is there and not null: servers write names in snake_case or in camelCase.
  subscript(either names: String...) -> JSON? {
    for name in names {
      if let value = self[name], !value.isNull { return value }
    }
    return nil
  }
}

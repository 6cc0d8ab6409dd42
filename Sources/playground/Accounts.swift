import Foundation
import Wire

/// Users, sessions and personal access tokens; owns what is kept of them.
actor Accounts {
  static let audience = "kamiwaza-platform"

  private let folder: StateFolder
  private let accessLife: Int
  /// Whether personal access tokens are as on the platform: checked for their audience, with a longest life.
  private let isStrict: Bool
  private var kept: Kept
  /// Every token that was given out, for who looks for traces of them.
  private(set) var given: [String] = []
  private let users: [User]
  private var tokens: Tokens { Tokens(secret: kept.secret) }

  init(folder: StateFolder, accessLife: Int, isStrict: Bool, users: [User] = User.all) throws {
    self.users = users
    self.folder = folder
    self.accessLife = accessLife
    self.isStrict = isStrict
    kept = try Kept.load(from: folder)
    try kept.save(to: folder)
  }

  // Signing in

  /// The user whose password that is; refuses as docs/kamiwaza.md 8 lists.
  func check(_ name: String, _ password: String) throws(Refusal) -> User {
    // A wrong name takes as long as a wrong password.
    let user = users.first { $0.name == name }
    guard Tokens.isEqual(password, user?.password ?? UUID().uuidString), let user else {
      throw .unauthorized("Invalid username or password")
    }
    switch user.standing {
    case .active: return user
    case .locked: throw Refusal(423, "Account is temporarily locked")
    case .disabled: throw Refusal(403, "Account is disabled")
    }
  }

  /// TokenResponse of a new session.
  func open(for user: User) throws(Refusal) -> JSON {
    let session = UUID().uuidString.lowercased()
    kept.sessions[session] = Kept.Session(user: user.name, refresh: "")
    return try issue(session)
  }

  /// TokenResponse for a refresh token. - Parameter spends: it holds for once, and its successor is in the answer.
  func refresh(_ token: String, spends: Bool = true) throws(Refusal) -> JSON {
    guard let claims = tokens.claims(of: token), claims["typ"]?.string == "Refresh",
      let id = claims["sid"]?.string, let session = kept.sessions[id],
      Tokens.isEqual(claims["jti"]?.string ?? "", session.refresh)
    else { throw .unauthorized("Invalid refresh token") }
    return try issue(id, renewing: spends)
  }

  /// TokenResponse for the session that a cookie's access token belongs to, expired or not (docs/kamiwaza.md 3.4).
  func refresh(cookie: String) throws(Refusal) -> JSON {
    guard let id = tokens.claims(of: cookie)?["sid"]?.string, kept.sessions[id] != nil else {
      throw .unauthorized("Session expired. Please log in again.")
    }
    return try issue(id)
  }

  func close(_ session: String) throws(Refusal) {
    kept.sessions[session] = nil
    try save()
  }

  private func issue(_ id: String, renewing: Bool = true) throws(Refusal) -> JSON {
    guard let session = kept.sessions[id], let user = users.first(where: { $0.name == session.user }) else {
      throw .unauthorized("Invalid session token")
    }
    let refresh = renewing ? UUID().uuidString.lowercased() : session.refresh
    kept.sessions[id]?.refresh = refresh
    try save()
    let now = Timestamps.now
    var access = claims(of: user, type: "Bearer", expires: now + accessLife)
    access["sid"] = .string(id)
    access["aud"] = .string(Self.audience)
    access["round"] = .int(kept.round)
    let refreshClaims: JSON = [
      "iss": "kamiwaza-playground", "typ": "Refresh", "sub": .string(user.id), "sid": .string(id),
      "jti": .string(refresh), "iat": .int(now),
    ]
    var identity = claims(of: user, type: "ID", expires: now + accessLife)
    identity["email"] = .string(user.email)
    var response: JSON = [
      "access_token": .string(give(access)), "token_type": "bearer", "expires_in": .int(accessLife),
      "id_token": .string(give(identity)),
    ]
    if renewing { response["refresh_token"] = .string(give(refreshClaims)) }
    return response
  }

  private func claims(of user: User, type: String, expires: Int) -> JSON {
    [
      "iss": "kamiwaza-playground", "typ": .string(type), "sub": .string(user.id),
      "preferred_username": .string(user.name), "roles": .array(user.roles.map(JSON.string)),
      "jti": .string(UUID().uuidString.lowercased()), "iat": .int(Timestamps.now), "exp": .int(expires),
    ]
  }

  // Being signed in

  /// Who sent the token; refuses one that is none of ours, expired or revoked.
  func identity(of token: String) throws(Refusal) -> Identity {
    let token = !isStrict && token.hasPrefix(Self.seedMark) ? String(token.dropFirst(Self.seedMark.count)) : token
    guard let claims = tokens.claims(of: token), let user = users.first(where: { $0.id == claims["sub"]?.string })
    else { throw .unauthorized("Invalid session token") }
    guard let expires = claims["exp"]?.int, expires > Timestamps.now else { throw .unauthorized("token_expired") }
    switch claims["typ"]?.string {
    case "Bearer":
      guard claims["round"]?.int == kept.round else { throw .unauthorized("token_expired") }
      guard let id = claims["sid"]?.string, kept.sessions[id] != nil else {
        throw .unauthorized("Session expired. Please log in again.")
      }
      return Identity(user: user, kind: .session, id: id)
    case "PAT":
      guard let pat = kept.personalTokens.first(where: { $0.jti == claims["jti"]?.string }), !pat.isRevoked else {
        throw .unauthorized("token_revoked")
      }
      guard !isStrict || pat.audience == Self.audience else { throw .unauthorized("token_missing_aud") }
      return Identity(user: user, kind: .personal, id: pat.jti)
    default: throw .unauthorized("Invalid session token")
    }
  }

  // Personal access tokens

  /// What they begin with in the first specification, and on no platform (docs/kamiwaza.md 3.2).
  private static let seedMark = "pat_"
  static let shortestLife = 60
  static let defaultLife = 2_592_000
  static let longestLife = 7_776_000

  /// PATCreateResponse (docs/kamiwaza.md 3.2).
  func makePersonalToken(_ wish: PersonalTokenWish, for user: User) throws(Refusal) -> JSON {
    let life = wish.seconds ?? Self.defaultLife
    guard life >= Self.shortestLife, !isStrict || life <= Self.longestLife else {
      throw Refusal(400, "ttl_seconds must be between \(Self.shortestLife) and \(Self.longestLife)")
    }
    let now = Timestamps.naive()
    let pat = Kept.PersonalToken(
      id: UUID().uuidString.lowercased(), jti: UUID().uuidString.lowercased(), owner: user.id, name: wish.name,
      scope: wish.scope ?? "openid", audience: wish.audience, expires: Timestamps.now + life, createdAt: now,
      updatedAt: now, isRevoked: false)
    kept.personalTokens.append(pat)
    try save()
    var claims = claims(of: user, type: "PAT", expires: pat.expires)
    claims["jti"] = .string(pat.jti)
    if let audience = pat.audience { claims["aud"] = .string(audience) }
    return ["token": .string((isStrict ? "" : Self.seedMark) + give(claims)), "pat": pat.json]
  }

  private func give(_ claims: JSON) -> String {
    let token = tokens.sign(claims)
    given.append(token)
    return token
  }

  func personalTokens(of user: User) -> JSON {
    ["pats": .array(kept.personalTokens.filter { $0.owner == user.id }.map(\.json))]
  }

  func revoke(_ jti: String, of user: User) throws(Refusal) {
    guard let place = kept.personalTokens.firstIndex(where: { $0.jti == jti && $0.owner == user.id }) else {
      throw Refusal(404, "PAT not found")
    }
    kept.personalTokens[place].isRevoked = true
    kept.personalTokens[place].updatedAt = Timestamps.naive()
    try save()
  }

  // What the one who runs it asks for

  func expireAccessTokens() throws(Refusal) {
    kept.round += 1
    try save()
  }

  /// How many were good until now.
  func revokePersonalTokens() throws(Refusal) -> Int {
    let good = kept.personalTokens.indices.filter { !kept.personalTokens[$0].isRevoked }
    for place in good { kept.personalTokens[place].isRevoked = true }
    try save()
    return good.count
  }

  private func save() throws(Refusal) {
    do {
      try kept.save(to: folder)
    } catch {
      throw Refusal(500, "the state cannot be written: \(error.localizedDescription)")
    }
  }
}

/// What a new personal access token shall be.
struct PersonalTokenWish: Sendable {
  var name: String?
  var seconds: Int?
  var scope: String?
  var audience: String?
}

extension Kept.PersonalToken {
  fileprivate var json: JSON {
    [
      "id": .string(id), "jti": .string(jti), "owner_id": .string(owner), "name": name.map(JSON.string) ?? .null,
      "scope": scope.map(JSON.string) ?? .null, "aud": audience.map(JSON.string) ?? .null, "exp": .int(expires),
      "tenant_id": "default", "created_at": .string(createdAt), "updated_at": .string(updatedAt),
      "revoked": .bool(isRevoked),
    ]
  }
}

import Chat
import Wire

/// Who asks, by `/auth/users/me` or `/whoami` (docs/kamiwaza.md 3.2).
struct UserInfo {
  var name: String
  /// nil when it is the subject, or anything else that only a machine calls somebody.
  var properName: String?
  var email: String?
  var groups: [String]
  var roles: [String]

  /// nil when it names nobody.
  init?(_ json: JSON) {
    let user = json["user"].flatMap { $0.object == nil ? nil : $0 } ?? json
    let subject = user[either: "sub", "subject", "user_id", "userId", "id"]?.string
    let username = user[either: "username", "preferred_username", "preferredUsername", "name"]?.string
    guard let name = username ?? subject ?? user["email"]?.string, !name.isEmpty else { return nil }
    self.name = name
    properName = username == nil || name == subject || UserInfo.isUUID(name) ? nil : name
    email = user["email"]?.string
    groups = UserInfo.strings(user["groups"])
    roles = UserInfo.strings(user["roles"] ?? user["realm_access"]?["roles"])
  }

  private static func strings(_ json: JSON?) -> [String] {
    if let word = json?.string { return [word] }
    return (json?.array ?? []).compactMap { $0.string ?? $0["name"]?.string }
  }

  private static func isUUID(_ text: String) -> Bool {
    text.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12]
      && text.allSatisfy { $0 == "-" || $0.isHexDigit }
  }
}

/// How long personal access tokens may live (`/auth/pat-config`).
struct PATPolicy: Equatable {
  /// Seconds a device is remembered for when nobody says less (docs/kamiwaza.md 3.3).
  static let wish = 8_640_000

  var defaultScope: String?
  var minimum: Int?
  var maximum: Int?

  /// Whether the server said how long.
  var isTold: Bool { minimum != nil || maximum != nil }

  init() {}

  init(_ json: JSON) {
    defaultScope = json[either: "default_scope", "defaultScope"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    let ttl = json["ttl"]
    minimum = ttl?[either: "min_seconds", "minSeconds"]?.int.flatMap { $0 > 0 ? $0 : nil }
    maximum = ttl?[either: "max_seconds", "maxSeconds"]?.int.flatMap { $0 > 0 ? $0 : nil }
  }

  var lifetime: Int { min(max(PATPolicy.wish, minimum ?? 0), maximum ?? .max) }
}

/// A personal access token that was made (PATCreateResponse).
struct MadePAT {
  var token: Secret
  var id: String?
  /// Milliseconds since 1970.
  var expiresAt: Int?

  /// nil when there is no token in it that a request could carry.
  init?(_ json: JSON) {
    guard let token = json[either: "token", "access_token", "accessToken"]?.string.map(Secret.init), token.fitsHeader
    else { return nil }
    let claims = TokenClaims(token)
    let pat = json["pat"] ?? json
    self.token = token
    id = pat["jti"]?.string ?? claims?.id
    expiresAt = pat["exp"]?.int.flatMap { 0...100_000_000_000 ~= $0 ? $0 * 1000 : nil } ?? claims?.expiresAt
  }
}

/// What stands before a sign-in (`/security/public/config`).
struct ConsentConfig {
  var consent: Gate.Consent?
  var banner: [String]

  init(_ json: JSON) {
    let text = json[either: "consent_content", "consentContent"]?.string.map(HTMLText.plain) ?? ""
    let button = json[either: "consent_button_label", "consentButtonLabel"]?.string
    let asks = json[either: "consent_enabled", "consentEnabled"]?.bool ?? false
    consent = asks ? Gate.Consent(text: text, button: button.flatMap { $0.isEmpty ? nil : $0 }) : nil
    let hasBanner = json[either: "banner_enabled", "bannerEnabled"]?.bool ?? false
    let lines = [
      json[either: "banner_top_text", "bannerTopText"], json[either: "banner_bottom_text", "bannerBottomText"],
    ]
    banner = hasBanner ? lines.compactMap { $0?.string.map(HTMLText.plain) }.filter { !$0.isEmpty } : []
  }
}

extension IdentityProvider {
  /// Those of `/auth/idp/public/providers` that are switched on.
  static func list(_ json: JSON) -> [IdentityProvider] {
    (json["providers"]?.array ?? json.array ?? []).compactMap { entry in
      guard entry["enabled"]?.bool ?? true, let alias = entry["alias"]?.string, !alias.isEmpty else { return nil }
      let name = entry[either: "displayName", "display_name", "providerId", "provider_id"]?.string ?? alias
      return IdentityProvider(alias: alias, name: name.isEmpty ? alias : name)
    }
  }
}

/// What `/auth/logout` leaves to be done.
struct LogoutResponse {
  /// A page that ends the sign-in at the identity provider.
  var page: String?

  init(_ json: JSON) {
    page = json[either: "front_channel_logout_url", "frontChannelLogoutUrl"]?.string
      .flatMap { Origin(url: $0) == nil ? nil : $0 }
  }
}

import Chat
import Foundation
import Wire

/// What a token says of itself (RFC 7519). Nobody checked its signature: good for telling, not for trusting.
struct TokenClaims {
  private let claims: JSON

  /// nil for a token that is no JWT.
  init?(_ token: Secret) {
    let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
      let json = try? JSON(parsing: bytes), json.object != nil  // what is not JSON is no JWT
    else { return nil }
    claims = json
  }

  /// Milliseconds since 1970.
  var expiresAt: Int? { seconds("exp").map { $0 * 1000 } }
  var id: String? { claims["jti"]?.string }
  var username: String? { claims["preferred_username"]?.string ?? claims["username"]?.string }

  /// nil when it says nothing of roles.
  var roles: Set<String>? {
    let places = [claims["roles"], claims["realm_access"]?["roles"]].compactMap { $0?.array }
    return places.isEmpty ? nil : Set(places.joined().compactMap(\.string))
  }

  private func seconds(_ name: String) -> Int? {
    claims[name]?.double.flatMap { 0...1e11 ~= $0 ? Int($0) : nil }
  }
}

/// Base64 with the letters for URLs and without padding (RFC 4648, section 5).
enum Base64URL {
  static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let letters = String(text).replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
    let padding = String(repeating: "=", count: (4 - letters.count % 4) % 4)
    return Data(base64Encoded: letters + padding).map { Array($0) }
  }
}

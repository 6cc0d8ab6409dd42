import Chat
import Wire

/// Who gives out tokens for a server of tools (RFC 8414).
struct AuthorizationServer: Sendable, Equatable {
  /// The name it has: compared letter for letter.
  var issuer: String
  var authorization: String
  var token: String
  var registration: String?
  var revocation: String?
  /// Whether it says who answers, so that an answer without it is not its own (RFC 9207).
  var namesItself: Bool
  var offersOfflineAccess: Bool

  /// Why a document is of no use.
  enum Refusal: Error, Equatable {
    case anotherIssuer, incomplete, noPKCE
  }

  init(_ json: JSON, issuer: String) throws(Refusal) {
    guard json["issuer"]?.string == issuer else { throw .anotherIssuer }
    guard let authorization = json["authorization_endpoint"]?.string, let token = json["token_endpoint"]?.string else {
      throw .incomplete
    }
    // Without it a code that somebody catches is as good as ours.
    guard let methods = json["code_challenge_methods_supported"]?.array, methods.contains(.string("S256")) else {
      throw .noPKCE
    }
    self.issuer = issuer
    self.authorization = authorization
    self.token = token
    registration = json["registration_endpoint"]?.string
    revocation = json["revocation_endpoint"]?.string
    namesItself = json["authorization_response_iss_parameter_supported"]?.bool ?? false
    offersOfflineAccess = json["scopes_supported"]?.array?.contains("offline_access") ?? false
  }

  /// Where it may describe itself (docs/mcp.md 7.3).
  static func places(of issuer: String) -> [String] {
    guard let url = SplitURL(issuer) else { return [] }
    let (oauth, openID) = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
    let first = [url.origin + oauth + url.path, url.origin + openID + url.path]
    return url.path.isEmpty ? first : first + [url.origin + url.path + openID]
  }

  /// All of its addresses that we would go to, or send the person to.
  var addresses: [String] { [authorization, token] + [registration, revocation].compactMap { $0 } }
}

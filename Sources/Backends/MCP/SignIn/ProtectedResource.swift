import Chat
import Wire

/// What a server of tools says of itself as something that is protected (RFC 9728).
struct ProtectedResource: Sendable, Equatable {
  /// As it calls itself: what tokens are asked for.
  var url: String
  var issuers: [String]
  var scopes: [String]

  /// One that nobody describes.
  init(url: String, issuer: String) {
    self.url = url
    issuers = [issuer]
    scopes = []
  }

  /// nil for a document that is none, or describes somebody else: it must be about the address that was asked, or a
  /// whole of which that is a part.
  init?(_ json: JSON, for address: String) {
    guard let resource = json["resource"]?.string, ProtectedResource.isPart(address, of: resource) else { return nil }
    url = resource
    issuers = (json["authorization_servers"]?.array ?? []).compactMap(\.string)
    scopes = (json["scopes_supported"]?.array ?? []).compactMap(\.string)
  }

  /// Where it may be described when it does not say where (docs/mcp.md 7.1).
  static func places(of address: String) -> [String] {
    guard let url = SplitURL(address) else { return [] }
    let place = url.origin + "/.well-known/oauth-protected-resource"
    return url.path.isEmpty ? [place] : [place + url.path, place]
  }

  private static func isPart(_ address: String, of resource: String) -> Bool {
    guard let part = SplitURL(address), let whole = SplitURL(resource), part.origin == whole.origin else {
      return false
    }
    return part.path == whole.path || part.path.hasPrefix(whole.path + "/")
  }
}

/// A URL cut where well-known addresses are made of it.
struct SplitURL {
  /// Scheme, host and port, the port left out where it is the scheme's own.
  var origin: String
  /// Without a slash at the end; empty for the root.
  var path: String

  init?(_ url: String) {
    guard let origin = Origin(url: url), let start = url.firstRange(of: "://")?.upperBound else { return nil }
    self.origin = origin.url
    let rest = url[start...].drop { !"/?#".contains($0) }
    var path = rest.prefix { $0 != "?" && $0 != "#" }
    while path.hasSuffix("/") { path.removeLast() }
    self.path = String(path)
  }
}

import Chat
package import Transport

/// A secret of the environment, bound to the origins of one address. It is never encoded, printed or reflected.
package final class Credential: Sendable {
  /// Why a secret cannot be used.
  package enum Refusal: Error, Sendable, Equatable {
    /// Empty, or with a blank or a control character in it.
    case unusable
  }

  let secret: Secret
  private let origins: Set<Origin>

  /// `address` is a server's URL, or what a person typed for one: then every origin that it may mean.
  package init(_ secret: String, for address: ServerAddress) throws(Refusal) {
    let secret = Secret(secret)
    guard secret.fitsHeader else { throw .unusable }
    self.secret = secret
    origins = Set(address.candidates.compactMap { Origin(url: $0) })
  }

  /// Whether an address is at one of its origins.
  func covers(_ url: String) -> Bool { Origin(url: url).map(origins.contains) ?? false }

  /// Adds the `Authorization` header (RFC 6750) to a request to one of the credential's origins, and to no other. In the
  /// clear it does not go (docs/rules.md T9): nobody has let it yet, where it is not known what is there.
  package func authorize(_ request: inout HTTPRequest) {
    guard let origin = Origin(url: request.url), origins.contains(origin), !origin.isInTheClear else { return }
    request.authorize(with: secret)
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "<secret>" }
  package var debugDescription: String { "<secret>" }
  package var customMirror: Mirror { Mirror(reflecting: "<secret>") }
}

extension Secret {
  /// Whether it can stand in a header as it is: not empty, no blank, no control character, ASCII.
  ///
  /// Servers take headers of 8 to 64 KiB; a longer token would be of no use.
  var fitsHeader: Bool { !isEmpty && reveal().utf8.count <= 32 << 10 && reveal().utf8.allSatisfy { 0x21...0x7E ~= $0 } }

  /// Whether it can stand in a cookie (RFC 6265, section 4.1.1).
  var fitsCookie: Bool { fitsHeader && !reveal().utf8.contains { #"",;\"#.utf8.contains($0) } }
}

extension HTTPRequest {
  /// The one place where a secret becomes a header (RFC 6750, docs/rules.md C6).
  mutating func authorize(with token: Secret, cookie: Bool = false) {
    headers.append((name: "Authorization", value: "Bearer \(token.reveal())"))
    if cookie, token.fitsCookie { headers.append((name: "Cookie", value: "access_token=\(token.reveal())")) }
  }

  /// What it was signed with.
  var bearerToken: Secret? {
    headers.last { $0.name == "Authorization" && $0.value.hasPrefix("Bearer ") }.map {
      Secret(String($0.value.dropFirst(7)))
    }
  }
}

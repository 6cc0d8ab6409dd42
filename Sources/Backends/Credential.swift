package import Transport

/// A secret bound to the origins it may be sent to. It is never encoded, printed or reflected, and leaves through
/// `authorize` only.
package final class Credential: Sendable {
  /// Why a secret cannot be used with an address.
  package enum Refusal: Error, Sendable, Equatable {
    /// Empty, or with a blank or a control character in it.
    case unusable
    /// The address is plain http to a public host.
    case notConfidential(address: String)
  }

  private let secret: String
  private let origins: Set<Origin>

  /// `address` is a server's URL, or what a person typed for one: then every origin that it may mean.
  package init(_ secret: String, for address: ServerAddress) throws(Refusal) {
    guard !secret.isEmpty, secret.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .unusable }
    let confidential = address.candidates.compactMap { Origin(url: $0) }.filter(\.isConfidential)
    guard !confidential.isEmpty else { throw .notConfidential(address: address.description) }
    self.secret = secret
    origins = Set(confidential)
  }

  /// The text without the secret: a server may repeat it in an error, which is shown and kept.
  func masking(_ bytes: [UInt8]) -> [UInt8] {
    String(decoding: bytes, as: UTF8.self).contains(secret)
      ? Array(String(decoding: bytes, as: UTF8.self).replacing(secret, with: "<secret>").utf8) : bytes
  }

  /// Adds the `Authorization` header (RFC 6750) to a request to one of the credential's origins, and to no other.
  package func authorize(_ request: inout HTTPRequest) {
    guard let origin = Origin(url: request.url), origins.contains(origin) else { return }
    request.headers.append((name: "Authorization", value: "Bearer \(secret)"))
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "<secret>" }
  package var debugDescription: String { "<secret>" }
  package var customMirror: Mirror { Mirror(reflecting: "<secret>") }
}

import Chat
import Foundation
import Transport

/// A name and a password as one word (RFC 7617, section 2).
enum BasicCredentials {
  /// `name:password` as it is sent; what has no colon is that already.
  static func encoded(_ secret: Secret) -> Secret {
    let text = secret.reveal()
    return text.contains(":") ? Secret(Data(text.utf8).base64EncodedString()) : secret
  }

  /// The name in it.
  static func user(_ secret: Secret) -> String? {
    guard let data = Data(base64Encoded: encoded(secret).reveal()) else { return nil }
    return String(decoding: data, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: false).first.map(
      String.init)
  }
}

extension HTTPRequest {
  mutating func authorize(asBasic secret: Secret) {
    headers.append((name: "Authorization", value: "Basic \(BasicCredentials.encoded(secret).reveal())"))
  }
}

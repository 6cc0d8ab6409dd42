import CPlayground
import Foundation
import Wire

/// Signs and reads JSON Web Tokens (RFC 7519) with HMAC-SHA256.
struct Tokens: Sendable {
  var secret: [UInt8]

  func sign(_ claims: JSON) -> String {
    let header: JSON = ["alg": "HS256", "typ": "JWT", "kid": "playground"]
    let signed = Base64URL.encode(header.bytes()) + "." + Base64URL.encode(claims.bytes())
    return signed + "." + Base64URL.encode(mac(of: signed))
  }

  /// The claims of a token that was signed here, whatever its age; nil for anything else.
  func claims(of token: String) -> JSON? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let signature = Base64URL.decode(parts[2]),
      Self.isEqual(signature, mac(of: "\(parts[0]).\(parts[1])")), let payload = Base64URL.decode(parts[1])
    else { return nil }
    // What was signed here is JSON.
    return try? JSON(parsing: payload)
  }

  private func mac(of text: String) -> [UInt8] {
    let message = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, &digest, nil)
    return digest
  }

  /// Compares in a time that tells nothing about where two secrets differ.
  static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
  }

  static func isEqual(_ one: String, _ other: String) -> Bool { isEqual(Array(one.utf8), Array(other.utf8)) }

  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(bytes, bytes.count, &digest)
    return digest
  }

  static func random(_ count: Int) -> [UInt8] {
    var source = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &source) }
  }
}

/// Base64 for addresses, without padding (RFC 4648, 5).
enum Base64URL {
  static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func decode(_ text: Substring) -> [UInt8]? {
    var padded = text.replacing("-", with: "+").replacing("_", with: "/")
    padded += String(repeating: "=", count: (4 - padded.count % 4) % 4)
    return Data(base64Encoded: String(padded)).map(Array.init)
  }
}

/// The proof that whoever brings a code is who asked for it (RFC 7636), by SHA-256.
struct PKCE: Sendable {
  let verifier: String

  /// 32 bytes of the system's randomness.
  init() { verifier = Unguessable.text() }

  init(verifier: String) { self.verifier = verifier }

  var challenge: String { Base64URL.encode(sha256(verifier.utf8)) }
}

/// Text that nobody can guess.
enum Unguessable {
  static func text() -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }
}

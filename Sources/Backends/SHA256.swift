import CDigest

/// The SHA-256 of bytes: 32 of them.
func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  let bytes = Array(bytes)
  precondition(cdigest_sha256(bytes, bytes.count, &digest) == 1, "OpenSSL has no SHA-256")
  return digest
}

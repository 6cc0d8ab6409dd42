import CPlayground
import Chat

/// A self-signed certificate with its key, as PEM.
struct ServingCertificate: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private static let file = "certificate.pem"

  /// Key and certificate, one after the other.
  private let pem: [UInt8]
  let fingerprint: Fingerprint

  /// The one in the folder, else a new one that is kept there.
  static func load(from folder: StateFolder) throws -> ServingCertificate {
    guard let pem = try folder.read(file) else { return try renew(in: folder) }
    return try ServingCertificate(pem: pem)
  }

  /// Makes another one and keeps it.
  static func renew(in folder: StateFolder) throws -> ServingCertificate {
    let made = try ServingCertificate(pem: make())
    try folder.write(made.pem, to: file)
    return made
  }

  private init(pem: [UInt8]) throws(Failure) {
    self.pem = pem
    let certificate = try Self.read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
    defer { X509_free(certificate) }
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    var count: UInt32 = 0
    guard X509_digest(certificate, EVP_sha256(), &digest, &count) == 1, let fingerprint = Fingerprint(digest) else {
      throw Failure(description: "OpenSSL cannot digest the certificate")
    }
    self.fingerprint = fingerprint
  }

  /// A server's context for it; the caller frees it.
  func makeContext() throws(Failure) -> OpaquePointer {
    let certificate = try Self.read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
    defer { X509_free(certificate) }
    let key = try Self.read(pem) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    defer { EVP_PKEY_free(key) }
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw Failure(description: "OpenSSL: no context") }
    cplayground_allow_partial_writes(context)
    guard cplayground_require_tls12(context) == 1, SSL_CTX_use_certificate(context, certificate) == 1,
      SSL_CTX_use_PrivateKey(context, key) == 1
    else {
      SSL_CTX_free(context)
      throw Failure(description: "OpenSSL refuses the certificate")
    }
    return context
  }

  private static func read(_ pem: [UInt8], _ parse: (OpaquePointer) -> OpaquePointer?) throws(Failure) -> OpaquePointer
  {
    let found = pem.withUnsafeBytes { bytes -> OpaquePointer? in
      guard let source = cplayground_open_bytes(bytes.baseAddress, Int32(bytes.count)) else { return nil }
      defer { BIO_free(source) }
      return parse(source)
    }
    guard let found else { throw Failure(description: "\(file) holds no key and certificate") }
    return found
  }

  /// EC P-256, for ten years, for 127.0.0.1 and localhost.
  private static func make() throws(Failure) -> [UInt8] {
    guard let key = cplayground_make_key(), let certificate = X509_new(), let sink = BIO_new(BIO_s_mem()) else {
      throw Failure(description: "OpenSSL makes no key")
    }
    defer {
      EVP_PKEY_free(key)
      X509_free(certificate)
      BIO_free(sink)
    }
    let serial = Tokens.random(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial)
    X509_gmtime_adj(X509_getm_notBefore(certificate), -86400)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 10 * 365 * 86400)
    X509_set_pubkey(certificate, key)
    let name = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "kamiwaza playground", -1, -1, 0)
    X509_set_issuer_name(certificate, name)
    let extensions = [
      (NID_basic_constraints, "critical,CA:FALSE"), (NID_ext_key_usage, "serverAuth"),
      (NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost"),
    ]
    guard extensions.allSatisfy({ cplayground_add_extension(certificate, $0.0, $0.1) == 1 }),
      X509_sign(certificate, key, EVP_sha256()) > 0,
      PEM_write_bio_PKCS8PrivateKey(sink, key, nil, nil, 0, nil, nil) == 1, PEM_write_bio_X509(sink, certificate) == 1
    else { throw Failure(description: "OpenSSL makes no certificate") }
    var text: UnsafeMutablePointer<CChar>?
    let count = cplayground_bytes(sink, &text)
    return Array(UnsafeRawBufferPointer(start: text, count: count))
  }
}

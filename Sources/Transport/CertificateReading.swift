import Addresses
import CTLS
import Chat

extension ServerCertificate {
  /// The certificate of the last handshake; nil without one, or when it cannot be read.
  init?(of server: ServerKey, in check: OpaquePointer) {
    var size = 0
    guard let start = ctls_check_leaf(check, &size) else { return nil }
    let der = Array(UnsafeBufferPointer(start: start, count: size))
    self.init(of: server, der: der, problems: Self.problems(in: check))
  }

  /// nil when it is no certificate.
  init?(of server: ServerKey, der: [UInt8], problems: [Problem]) {
    guard let found = ctls_describe(der, der.count) else { return nil }
    defer { ctls_description_free(found) }
    let description = found.pointee
    guard let fingerprint = Fingerprint(withUnsafeBytes(of: description.fingerprint) { Array($0) }),
      let keyFingerprint = Fingerprint(withUnsafeBytes(of: description.key_fingerprint) { Array($0) })
    else { return nil }
    let names = UnsafeBufferPointer(start: description.names, count: description.name_count)
    self.init(
      host: server.host, port: server.port, der: der, fingerprint: fingerprint, keyFingerprint: keyFingerprint,
      subject: String(cString: description.subject), issuer: String(cString: description.issuer),
      names: names.compactMap { $0.map { String(cString: $0) } }, validFrom: Int(description.valid_from),
      validUntil: Int(description.valid_until), key: String(cString: description.key), problems: problems)
  }

  private static func problems(in check: OpaquePointer) -> [Problem] {
    let bits = ctls_check_problems(check)
    let known = namedProblems.filter { bits & $0.0.rawValue != 0 }.map(\.1)
    let others = (0...).lazy.map { ctls_check_other_problem(check, $0) }.prefix { $0 != nil }
    return known + others.compactMap { $0.map { .other(String(cString: $0)) } }
  }

  private static let namedProblems: [(ctls_problem, Problem)] = [
    (CTLS_SELF_SIGNED, .selfSigned), (CTLS_UNKNOWN_ISSUER, .unknownIssuer), (CTLS_WRONG_NAME, .wrongName),
    (CTLS_EXPIRED, .expired), (CTLS_NOT_YET_VALID, .notYetValid), (CTLS_WEAK_KEY, .weakKey),
    (CTLS_WEAK_SIGNATURE, .weakSignature),
  ]
}

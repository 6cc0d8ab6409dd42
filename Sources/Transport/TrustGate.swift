import Addresses
import CCurl
import CTLS
import Chat

/// Decides whether one transfer may speak to its server: in the handshake, and again before the request, as a pooled
/// connection has no handshake (docs/rules.md 2.2 to 2.5). Belongs to the loop thread.
final class TrustGate {
  let server: ServerKey
  /// The transfer's.
  var handle: UnsafeMutableRawPointer?
  /// Whether it kept a request from a connection that had passed once.
  private(set) var hasHeldBack = false

  private let trust: any Trust
  private let leaves: TrustedLeaves
  private let check: OpaquePointer
  private var expectation = TrustExpectation()
  private var unreadableFile: String?

  init(_ server: ServerKey, trust: any Trust, leaves: TrustedLeaves) throws(TransportError) {
    if let words = Self.reasonAgainstLibrary { throw .tls(words) }
    guard let check = ctls_check_new(server.name, server.isAddress) else { throw .other("out of memory") }
    self.server = server
    self.trust = trust
    self.leaves = leaves
    self.check = check
  }

  deinit { ctls_check_free(check) }

  static func at(_ context: UnsafeMutableRawPointer?) -> TrustGate {
    guard let context else { preconditionFailure("libcurl lost the context") }
    return Unmanaged<TrustGate>.fromOpaque(context).takeUnretainedValue()
  }

  // Within a transfer

  func prepareHandshake(in sslContext: UnsafeMutableRawPointer?) -> CURLcode {
    expectation = trust.expectation(of: server.host, port: server.port)
    let pin = expectation.pin?.fingerprint.bytes
    let isWhole = ctls_check_begin(check, sslContext, pin, expectation.authorities)
    // The system may vouch all the same.
    unreadableFile = isWhole ? nil : expectation.authorities
    return CURLE_OK
  }

  func admitsRequest() -> Bool {
    noteVoucher()
    let now = trust.expectation(of: server.host, port: server.port)
    guard let ssl = handle.flatMap({ ccurl_get_ssl($0) }), let shown = Self.peer(of: ssl) else { return holdBack() }
    if let pin = now.pin, ctls_is_equal(pin.fingerprint.bytes, shown.bytes, pin.fingerprint.bytes.count) { return true }
    return leaves.contains(shown, of: server, authorities: now.authorities) || holdBack()
  }

  private func holdBack() -> Bool {
    hasHeldBack = true
    // libcurl would keep a connection that more requests can share, and offer it to each.
    if let handle { ccurl_set_long(handle, CURLOPT_FORBID_REUSE, 1) }
    return false
  }

  private func noteVoucher() {
    guard
      let leaf = Fingerprint(Array(UnsafeBufferPointer(start: ctls_check_fingerprint(check), count: CTLS_DIGEST_SIZE)))
    else {
      return
    }
    switch (ctls_check_verdict(check), expectation.authorities) {
    case (CTLS_SYSTEM, _):
      if leaves.note(leaf, of: server, by: .system) { trust.noteSystemTrust(in: server.host, port: server.port) }
    case (CTLS_AUTHORITIES, let file?): _ = leaves.note(leaf, of: server, by: .authorities(file))
    case (CTLS_PINNED, _): trust.notePinUse(in: server.host, port: server.port)
    default: break
    }
  }

  private static func peer(of ssl: UnsafeMutableRawPointer) -> Fingerprint? {
    var digest = [UInt8](repeating: 0, count: CTLS_DIGEST_SIZE)
    return ctls_peer_fingerprint(ssl, &digest) ? Fingerprint(digest) : nil
  }

  // After a transfer

  /// Why a transfer that ended with `code` ended, if it was for want of trust.
  func failure(_ code: CURLcode) -> TransportError? {
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION where ctls_check_verdict(check) == CTLS_REFUSED: return refusal
    case CURLE_ABORTED_BY_CALLBACK where hasHeldBack: return refusal
    default: return nil
    }
  }

  private var refusal: TransportError {
    if let unreadableFile { return .tls("the authorities in \(unreadableFile) cannot be read") }
    guard let certificate else { return .tls("the server's certificate cannot be read") }
    return .untrusted(Distrust(certificate, before: before))
  }

  private var before: Distrust.Before {
    if let pin = expectation.pin { return .pinned(pin) }
    if let file = expectation.authorities { return .authorities(file: file) }
    if let line = expectation.damagedLine { return .damaged(line: line) }
    return expectation.wasTrustedBySystem ? .system : .nothing
  }

  /// What the last handshake showed and decided; nil before one.
  var sight: Sight? {
    guard let certificate else { return nil }
    let verdict: Inspection.Verdict =
      switch (ctls_check_verdict(check), expectation.authorities) {
      case (CTLS_SYSTEM, _): .system
      case (CTLS_AUTHORITIES, let file?): .authorities(file: file)
      case (CTLS_PINNED, _): .pinned
      default: .distrusted(before)
      }
    return Sight(certificate: certificate, verdict: verdict)
  }

  private var certificate: ServerCertificate? { ServerCertificate(of: server, in: check) }

  // The library

  /// Why this libcurl cannot be used for https; the name would not be checked by any other (docs/rules.md 2.2).
  private static let reasonAgainstLibrary = reasonAgainst(ccurl_tls_library().map { String(cString: $0) } ?? "")

  static func reasonAgainst(_ library: String) -> String? {
    guard !library.hasPrefix("OpenSSL/") else { return nil }
    return "libcurl uses \(library.isEmpty ? "no TLS" : library), and https needs the one that uses OpenSSL"
  }
}

/// What a look at a server showed.
struct Sight: Sendable {
  var certificate: ServerCertificate
  var verdict: Inspection.Verdict
}

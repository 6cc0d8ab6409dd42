/// A certificate as a server showed it, and what is wrong with it.
package struct ServerCertificate: Sendable, Equatable {
  /// As it was asked for: lower case, no brackets, no dot at the end; with its port one server.
  package var host: String
  package var port: Int
  package var der: [UInt8]
  /// SHA-256 of `der`: what is pinned (docs/rules.md T1).
  package var fingerprint: Fingerprint
  /// SHA-256 of the public key alone; used only to say that a renewed certificate has the same key.
  package var keyFingerprint: Fingerprint
  /// Distinguished names on one line, such as `CN=kz.lan, O=Example`.
  package var subject: String
  package var issuer: String
  /// Host names and addresses it is for.
  package var names: [String]
  /// Seconds since 1970.
  package var validFrom: Int
  package var validUntil: Int
  /// Such as `RSA 2048 bits` or `EC P-256`.
  package var key: String
  /// All that is wrong with it, not only what was found first.
  package var problems: [Problem]

  package init(
    host: String, port: Int, der: [UInt8], fingerprint: Fingerprint, keyFingerprint: Fingerprint, subject: String,
    issuer: String, names: [String], validFrom: Int, validUntil: Int, key: String, problems: [Problem]
  ) {
    self.host = host
    self.port = port
    self.der = der
    self.fingerprint = fingerprint
    self.keyFingerprint = keyFingerprint
    self.subject = subject
    self.issuer = issuer
    self.names = names
    self.validFrom = validFrom
    self.validUntil = validUntil
    self.key = key
    self.problems = problems
  }

  package enum Problem: Sendable, Equatable {
    case selfSigned
    /// Signed by an authority that this machine does not know.
    case unknownIssuer
    case wrongName
    case expired
    case notYetValid
    /// RSA below 2048 bits, EC below 224: never pinned (docs/rules.md T5).
    case weakKey
    /// Signed with SHA-1 or MD5.
    case weakSignature
    /// Anything else, in the words of the TLS library.
    case other(String)
  }

  /// Whether it may be pinned at all.
  package var canBePinned: Bool { !problems.contains(.weakKey) }
}

/// A SHA-256 digest.
package struct Fingerprint: Sendable, Hashable {
  /// 32 bytes.
  package let bytes: [UInt8]

  /// nil unless there are 32 bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// 32 bytes that are all the same, as a stand-in where there is no digest.
  package init(repeating byte: UInt8) { bytes = [UInt8](repeating: byte, count: 32) }

  /// Reads 64 hexadecimal digits, with or without `SHA256:` in front and colons, blanks or hyphens between.
  package init?(text: String) {
    var digits = text[...]
    if digits.lowercased().hasPrefix("sha256:") { digits = digits.dropFirst(7) }
    let nibbles = digits.filter { !":- \t".contains($0) }.map(\.hexDigitValue)
    guard nibbles.count == 64, !nibbles.contains(nil) else { return nil }
    let values = nibbles.compactMap { $0 }
    bytes = stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  /// `SHA256:` and 64 digits: one word, for a command line or a file.
  package var word: String { "SHA256:" + hex }

  /// Sixteen groups of four digits, to be compared by eye.
  package var groups: String {
    let digits = Array(hex)
    return stride(from: 0, to: 64, by: 4).map { String(digits[$0..<($0 + 4)]) }.joined(separator: " ")
  }

  private var hex: String {
    let digits = Array("0123456789ABCDEF")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

/// A certificate that was trusted by hand, for one host and port.
package struct Pin: Sendable, Equatable {
  package var fingerprint: Fingerprint
  package var keyFingerprint: Fingerprint
  package var der: [UInt8]
  package var subject: String
  /// Seconds since 1970.
  package var validUntil: Int

  package init(
    fingerprint: Fingerprint, keyFingerprint: Fingerprint, der: [UInt8], subject: String, validUntil: Int
  ) {
    self.fingerprint = fingerprint
    self.keyFingerprint = keyFingerprint
    self.der = der
    self.subject = subject
    self.validUntil = validUntil
  }

  package init(_ certificate: ServerCertificate) {
    self.init(
      fingerprint: certificate.fingerprint, keyFingerprint: certificate.keyFingerprint, der: certificate.der,
      subject: certificate.subject, validUntil: certificate.validUntil)
  }
}

/// A certificate that is not trusted, and what was trusted at that host and port before. Nothing was sent to it.
package struct Distrust: Sendable, Equatable {
  package var certificate: ServerCertificate
  package var before: Before

  package init(_ certificate: ServerCertificate, before: Before) {
    self.certificate = certificate
    self.before = before
  }

  package enum Before: Sendable, Equatable {
    case nothing
    case pinned(Pin)
    /// The system trusted what was there before, which makes this a change and no first use (docs/rules.md T5).
    case system
    /// Only what an authority of this file signed was trusted there.
    case authorities(file: String)
    /// What was trusted there cannot be read any more: this line of `known_servers`, from 1.
    case damaged(line: Int)
  }

  /// `host`, or `host:port` when the port is not that of https.
  package var address: String {
    let host = certificate.host.contains(":") ? "[\(certificate.host)]" : certificate.host
    return certificate.port == 443 ? host : "\(host):\(certificate.port)"
  }
}

/// What a look at a server found before anything was said to it.
package struct Inspection: Sendable, Equatable {
  package var host: String
  package var port: Int
  /// What the name stands for; empty when it is not known.
  package var addresses: [String]
  /// Why there is no connection; nil when there is one.
  package var failure: BackendError.Unreachable?
  /// nil for plain http, and when there is no connection.
  package var certificate: ServerCertificate?
  package var verdict: Verdict?

  package init(
    host: String, port: Int, addresses: [String] = [], failure: BackendError.Unreachable? = nil,
    certificate: ServerCertificate? = nil, verdict: Verdict? = nil
  ) {
    self.host = host
    self.port = port
    self.addresses = addresses
    self.failure = failure
    self.certificate = certificate
    self.verdict = verdict
  }

  package enum Verdict: Sendable, Equatable {
    case system, pinned
    /// By the authorities of a file that the person named for this server.
    case authorities(file: String)
    case distrusted(Distrust.Before)
  }
}

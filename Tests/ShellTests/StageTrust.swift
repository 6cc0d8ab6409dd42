import Chat
import Foundation
import Store

@testable import Shell

/// Certificates on the stage: nobody but the person vouches for them.
extension Stage {
  /// `[shows ADDRESS WORD [PROBLEM…]]`: a server's certificate, a different one for each word.
  func setCertificate(_ direction: StageDirection) {
    let strings = direction.strings
    var certificate = ServerCertificate.made(for: strings[0], called: strings[1])
    if strings.count > 2 {
      certificate.problems = strings.dropFirst(2).map {
        ["expired": .expired, "weak": .weakKey, "wrong-name": .wrongName][$0] ?? .other($0)
      }
    }
    with { [certificate] in $0.certificates["\(certificate.host):\(certificate.port)"] = certificate }
  }

  /// What the network does before each request.
  func requireTrust(in url: String) throws(BackendError) {
    if case .distrusted(let before)? = inspection(of: url).verdict, let certificate = inspection(of: url).certificate {
      throw .untrusted(Distrust(certificate, before: before))
    }
  }

  func inspection(of url: String) -> Inspection {
    if let directed = with({ $0.inspections[url] }) { return directed }
    let (host, port) = Connection.hostAndPort(of: url)
    var inspection = Inspection(host: host, port: port, addresses: ["192.0.2.7"])
    guard url.hasPrefix("https:"), let certificate = with({ $0.certificates["\(host):\(port)"] }) else {
      if url.hasPrefix("https:") { inspection.verdict = .system }
      return inspection
    }
    inspection.certificate = certificate
    let known = KnownServers(home + "/known_servers").entry(of: host, port: port)
    inspection.verdict =
      switch known?.trust {
      case .pinned(let pin): pin.fingerprint == certificate.fingerprint ? .pinned : .distrusted(.pinned(pin))
      case .authorities(let file): .authorities(file: file)
      case .system: .distrusted(.system)
      case .damaged(let line): .distrusted(.damaged(line: line))
      case nil: .distrusted(.nothing)
      }
    return inspection
  }
}

extension ServerCertificate {
  /// One that is trusted by nobody, with its own fingerprint for each word.
  static func made(for address: String, called word: String) -> ServerCertificate {
    let (host, port) = Connection.hostAndPort(of: address.contains("://") ? address : "https://" + address)
    let digits = word.utf8.map { String(format: "%02X", $0) }.joined() + String(repeating: "0", count: 64)
    let print = Fingerprint(text: String(digits.prefix(64))) ?? Fingerprint(repeating: 0)
    return ServerCertificate(
      host: host, port: port, der: Array(word.utf8), fingerprint: print, keyFingerprint: print, subject: "CN=\(word)",
      issuer: "CN=\(word)", names: [host], validFrom: 1_780_000_000, validUntil: 1_850_000_000, key: "EC P-256",
      problems: [.selfSigned])
  }
}

import Chat
import Foundation
import Store

@testable import Shell

/// Certificates on the stage, and who vouches for them.
extension Stage {
  /// `[shows ADDRESS WORD [signed-by WORD] [PROBLEM…]]`: a server's certificate, a different one for each word. Who is
  /// called `system` has signed what the system trusts.
  func setCertificate(_ direction: StageDirection) {
    let strings = direction.strings
    var certificate = ServerCertificate.made(for: strings[0], called: strings[1])
    var problems = Array(strings.dropFirst(2))
    var signer: String?
    if problems.first == "signed-by" {
      signer = problems[1]
      problems.removeFirst(2)
      certificate.problems = [.unknownIssuer]
      certificate.issuer = "CN=\(signer ?? "")"
    }
    if !problems.isEmpty {
      certificate.problems = problems.map {
        ["expired": .expired, "weak": .weakKey, "wrong-name": .wrongName][$0] ?? .other($0)
      }
    }
    with { [certificate, signer] in
      $0.certificates["\(certificate.host):\(certificate.port)"] = certificate
      $0.signers["\(certificate.host):\(certificate.port)"] = signer
    }
  }

  /// How many authorities a file has: a line each that is neither `-----BEGIN…` nor `-----END…`.
  func signers(in path: String) -> Int? {
    let count = names(in: path).count
    return count > 0 ? count : nil
  }

  private func names(in path: String) -> [String] {
    let lines = with { $0.files[path] }?.split(separator: "\n").map(String.init) ?? []
    guard lines.first?.hasPrefix("-----BEGIN CERTIFICATE") == true else { return [] }
    return lines.filter { !$0.hasPrefix("-----") && $0 != "junk" }
  }

  /// What the network does before each request.
  func requireTrust(in url: String) throws(BackendError) {
    let found = inspection(of: url)
    guard case .distrusted(let before)? = found.verdict, let certificate = found.certificate else {
      if found.verdict == .system, found.certificate != nil {
        let known = KnownServers(home + "/known_servers")
        known.noteSystemTrust(of: found.host, port: found.port, at: with { $0.now })
        known.finishNotes()
      }
      return
    }
    if case .authorities(let file) = before, names(in: file).isEmpty {
      throw .unreachable(address: url, reason: .tls("the authorities in \(file) cannot be read"))
    }
    throw .untrusted(Distrust(certificate, before: before))
  }

  func inspection(of url: String) -> Inspection {
    if let directed = with({ $0.inspections[url] }) { return directed }
    guard let key = Link.serverKey(of: url) else {
      return Inspection(host: "", port: 0, failure: .badAddress("the address has no host that can be looked up"))
    }
    let (host, port) = (key.host, key.port)
    var inspection = Inspection(host: host, port: port, addresses: ["192.0.2.7"])
    guard url.hasPrefix("https:"), let certificate = with({ $0.certificates["\(host):\(port)"] }) else {
      if url.hasPrefix("https:") { inspection.verdict = .system }
      return inspection
    }
    inspection.certificate = certificate
    inspection.verdict = verdict(
      on: certificate, signedBy: with { $0.signers["\(host):\(port)"] },
      KnownServers(home + "/known_servers").entry(of: host, port: port))
    return inspection
  }

  private func verdict(
    on certificate: ServerCertificate, signedBy signer: String?, _ known: KnownServers.Entry?
  ) -> Inspection.Verdict {
    let isWhole = certificate.problems == [.unknownIssuer]
    if isWhole, signer == "system" { return .system }
    switch known?.trust {
    case .pinned(let pin): return pin.fingerprint == certificate.fingerprint ? .pinned : .distrusted(.pinned(pin))
    case .authorities(let file):
      let isSigned = isWhole && signer.map(names(in: file).contains) ?? false
      return isSigned ? .authorities(file: file) : .distrusted(.authorities(file: file))
    case .system: return .distrusted(.system)
    case .damaged(let line): return .distrusted(.damaged(line: line))
    case nil: return .distrusted(.nothing)
    }
  }
}

extension ServerCertificate {
  /// One that is trusted by nobody, with its own fingerprint for each word.
  static func made(for address: String, called word: String) -> ServerCertificate {
    guard let key = Link.serverKey(of: address.contains("://") ? address : "https://" + address) else {
      preconditionFailure("the stage direction shows a certificate of no address")
    }
    let (host, port) = (key.host, key.port)
    let digits = word.utf8.map { String(format: "%02X", $0) }.joined() + String(repeating: "0", count: 64)
    let print = Fingerprint(text: String(digits.prefix(64))) ?? Fingerprint(repeating: 0)
    return ServerCertificate(
      host: host, port: port, der: Array(word.utf8), fingerprint: print, keyFingerprint: print, subject: "CN=\(word)",
      issuer: "CN=\(word)", names: [host], validFrom: 1_780_000_000, validUntil: 1_850_000_000, key: "EC P-256",
      problems: [.selfSigned])
  }
}

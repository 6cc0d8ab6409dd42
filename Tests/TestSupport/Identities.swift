package import Foundation

/// A certificate with its chain, and its key, in PEM files.
package struct Identity: Sendable {
  package let certificate: URL
  package let chain: URL
  package let key: URL
}

/// Makes certificates with the openssl program, in a folder of its own.
package struct Identities: Sendable {
  package static let openssl = ScriptedServer.program("openssl")

  private let folder: URL

  package init(in folder: URL) { self.folder = folder }

  package enum Key: String, Sendable { case ec, rsa1024, rsa2048 }

  /// Signed by itself unless an `issuer` is given. `names` is as in a subjectAltName.
  package func make(
    _ name: String, names: String? = "DNS:localhost,IP:127.0.0.1", from start: Int = -1, until end: Int = 2,
    key kind: Key = .ec, digest: String = "sha256", isAuthority: Bool = false, sameKeyAs other: Identity? = nil,
    issuer: Identity? = nil
  ) throws -> Identity {
    let word = UUID().uuidString
    func file(_ suffix: String) -> URL { folder.appendingPathComponent("\(word).\(suffix)") }
    let identity = Identity(certificate: file("pem"), chain: file("chain"), key: other?.key ?? file("key"))
    if other == nil { try openssl(["genpkey", "-out", identity.key.path] + Self.options(kind)) }
    try openssl(["req", "-new", "-key", identity.key.path, "-subj", "/O=Example/CN=\(name)", "-out", file("csr").path])

    var extensions = ["basicConstraints=critical,CA:\(isAuthority ? "TRUE" : "FALSE")"]
    if let names { extensions.append("subjectAltName=\(names)") }
    let settings =
      "[ca]\ndefault_ca=d\n[d]\ndatabase=\(file("db").path)\nnew_certs_dir=\(folder.path)\nrand_serial=yes\n"
      + "policy=p\nx509_extensions=x\nunique_subject=no\n[p]\nO=optional\nCN=supplied\n[x]\n"
      + extensions.joined(separator: "\n") + "\n"
    try Data(settings.utf8).write(to: file("cnf"))
    try Data().write(to: file("db"))
    let signing =
      issuer.map { ["-cert", $0.certificate.path, "-keyfile", $0.key.path] }
      ?? ["-selfsign", "-keyfile", identity.key.path]
    try openssl(
      ["ca", "-batch", "-notext", "-config", file("cnf").path, "-in", file("csr").path, "-md", digest]
        + ["-out", identity.certificate.path, "-startdate", Self.day(start), "-enddate", Self.day(end)] + signing)
    var chain = try Data(contentsOf: identity.certificate)
    if let issuer { chain += try Data(contentsOf: issuer.certificate) }
    try chain.write(to: identity.chain)
    return identity
  }

  private static func options(_ kind: Key) -> [String] {
    switch kind {
    case .ec: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    case .rsa1024: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]
    case .rsa2048: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    }
  }

  private static func day(_ offset: Int) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    format.dateFormat = "yyyyMMddHHmmss'Z'"
    return format.string(from: Date(timeIntervalSinceNow: Double(offset) * 86400))
  }

  private func openssl(_ arguments: [String]) throws {
    guard let program = Self.openssl else { throw ScriptedServerError.missing("openssl") }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let output = Pipe()
    process.standardError = output
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let words = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw IdentityError(arguments: arguments, words: String(decoding: words, as: UTF8.self))
    }
  }
}

package struct IdentityError: Error {
  package let arguments: [String]
  package let words: String
}

extension Identity {
  /// The certificate alone, DER.
  package var der: [UInt8] {
    get throws {
      let text = try String(decoding: Data(contentsOf: certificate), as: UTF8.self)
      let body = text.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN") }.dropFirst()
        .prefix { !$0.hasPrefix("-----END") }.joined()
      guard let bytes = Data(base64Encoded: body) else { throw IdentityError(arguments: [], words: text) }
      return Array(bytes)
    }
  }
}

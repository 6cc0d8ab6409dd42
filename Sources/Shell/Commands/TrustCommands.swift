import Addresses
import Chat
import Store
import Text
import Wire

/// The parts of `/server` that are about certificates.
extension Commands {
  /// `SERVER`, `SERVER FINGERPRINT` or `SERVER CA-FILE`; a server is a name or an address.
  static func trust(_ words: [String], _ shell: inout Shell) async throws(ShellError) {
    let url = try address(words[0], shell)
    if url.lowercased().hasPrefix("http://") {
      throw .notEncrypted(origin: origin(url) ?? url, server: shell.links.kept.named(words[0])?.server.name)
    }
    let inspection = await shell.desk.inspected(url)
    if words.count > 1, Fingerprint(text: words[1]) == nil {
      return try await trust(file: words[1], for: words[0], url, inspection, &shell)
    }
    if let reason = inspection.failure { throw unreachable(words[0], reason) }
    guard let certificate = inspection.certificate else { throw .noCertificate(address: url) }
    let distrust = Distrust(certificate, before: inspection.before)
    if words.count > 1, let given = Fingerprint(text: words[1]) {
      guard given == certificate.fingerprint else { throw .wrongFingerprint(distrust, given: given) }
      guard certificate.canBePinned else { throw .notPinnable(distrust) }
      try shell.desk.pin(certificate)
    } else if inspection.isDistrusted {
      var settled = Settled()
      guard try await shell.desk.settleTrust(distrust, &settled) else {
        throw .backend(.untrusted(distrust), server: words[0])
      }
    } else {
      return shell.desk.say(
        "\(distrust.address) is trusted already (\(TrustPage.verdict(inspection.verdict))); it shows \(certificate.fingerprint.word)"
      )
    }
    shell.desk.say("\(distrust.address) is trusted from now on, as long as it shows this certificate")
  }

  private static func unreachable(_ word: String, _ reason: BackendError.Unreachable) -> ShellError {
    .backend(.unreachable(address: word, reason: reason), server: word)
  }

  /// A server that cannot be reached now may be trusted by a file all the same; what is no address may not.
  private static func trust(
    file: String, for word: String, _ url: String, _ inspection: Inspection, _ shell: inout Shell
  ) async throws(ShellError) {
    if case .badAddress? = inspection.failure { throw unreachable(word, inspection.failure ?? .other("")) }
    guard shell.desk.world.fileExists(file) else { throw .notAFingerprint(file) }
    let path = shell.desk.world.absolutePath(file)
    guard shell.desk.world.checkAuthorities(path) != nil else {
      throw .file(FileProblem(path: file, reason: "it has no certificate that can be read"))
    }
    let before = shell.desk.world.knownServers.entry(of: inspection.host, port: inspection.port)
    try shell.desk.trust(.authorities(file: path), of: inspection)
    guard inspection.failure == nil else {
      return shell.desk.say("\(name(inspection)) is trusted when an authority of \(file) signed its certificate")
    }
    let look = await shell.desk.inspected(url)
    guard case .distrusted? = look.verdict, let certificate = look.certificate else {
      return shell.desk.say("\(name(inspection)) is trusted when an authority of \(file) signed its certificate")
    }
    try shell.desk.takeBack(before, of: inspection)
    throw .backend(.untrusted(Distrust(certificate, before: .authorities(file: path))), server: word)
  }

  /// `ORIGIN` or `ORIGIN SERVER`: lets the sign-in of a server, the one in use unless it is named, go there too
  /// (docs/rules.md T9, T10).
  static func allow(_ words: [String], _ shell: inout Shell) async throws(ShellError) {
    guard let origin = origin(words[0]) else {
      throw unreachable(words[0], .badAddress("it takes http://HOST:PORT or https://HOST:PORT"))
    }
    let name: String
    if words.count > 1, try known(words[1], shell) != shell.links.front?.server.name {
      name = try known(words[1], shell)
      do throws(Servers.Failure) { try shell.links.kept.allow(origin: origin, for: name) } catch {
        throw .servers(error)
      }
    } else {
      name = try await shell.links.connected(&shell.desk).server.name
      try shell.links.allow(origin, &shell.desk)
    }
    let isInTheClear = origin.hasPrefix("http:")
    shell.desk.say(
      "the sign-in of \(name) may go to \(origin)\(isInTheClear ? ", which is not encrypted" : "")",
      isInTheClear ? .warning : .dim)
  }

  static func allowListing(of shell: Shell) -> Listing {
    Listing(
      columns: [Listing.Column("SERVER", "server"), Listing.Column("SIGN-IN MAY GO TO", "origin")],
      rows: shell.links.kept.entries.flatMap { entry in
        entry.server.allowedOrigins.map { ["server": .string(entry.server.name), "origin": .string($0)] }
      },
      whenEmpty: "no sign-in may go elsewhere than to its own server")
  }

  /// Scheme, host and port of an address that is written out; nil for anything else.
  private static func origin(_ url: String) -> String? {
    let schemes = ["http://", "https://"]
    guard let scheme = schemes.first(where: url.lowercased().hasPrefix) else { return nil }
    let host = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    guard !host.isEmpty, !host.hasPrefix(":"), !host.contains("@"), !host.contains(where: \.isWhitespace) else {
      return nil
    }
    return Servers.canonical(scheme + host)
  }

  static func forgetTrust(_ word: String, _ shell: inout Shell) throws(ShellError) {
    guard let key = Link.serverKey(of: try address(word, shell)) else {
      throw unreachable(word, .badAddress("not a host or host:port"))
    }
    let forgotten: KnownServers.Entry?
    do throws(FileError) {
      forgotten = try shell.desk.world.knownServers.forget(key.host, port: key.port)
    } catch { throw .knownServers(error) }
    shell.desk.world.forgetConnections()
    let server: SafeText = "\(key.description)"
    switch forgotten?.trust {
    case nil: shell.desk.say(server + " was not trusted by hand")
    case .system: shell.desk.say("it was the system that trusted " + server + "; that it did is forgotten")
    case .damaged(let line): shell.desk.say("line \(line) of known_servers, about " + server + ", is gone")
    case .pinned, .authorities: shell.desk.say(server + " is no longer trusted by hand")
    }
  }

  /// What a word for a server means: the address of a kept one, or itself, over TLS unless it says otherwise.
  private static func address(_ word: String, _ shell: Shell) throws(ShellError) -> String {
    if let kept = shell.links.kept.named(word) { return kept.server.url }
    if word.contains("://") { return word }
    guard word.contains(".") || word.contains(":") || word == "localhost" else {
      return try shell.links.kept.named(known(word, shell))?.server.url ?? word
    }
    return "https://" + word
  }

  private static func name(_ inspection: Inspection) -> String {
    ServerKey(host: inspection.host, port: inspection.port).description
  }

  static func trustListing(of shell: Shell) -> Listing {
    Listing(
      columns: [
        Listing.Column("HOST", "host"), Listing.Column("PORT", "port"), Listing.Column("TRUSTED", "trust"),
        Listing.Column("BY", "by"), Listing.Column("SINCE", "since"), Listing.Column("UNTIL", "until"),
      ],
      rows: shell.desk.world.knownServers.entries.map { entry in
        let (trust, by, until): (String, String, String?) =
          switch entry.trust {
          case .pinned(let pin): ("you", pin.fingerprint.word, pin.validUntil > 0 ? Moments.day(pin.validUntil) : nil)
          case .authorities(let file): ("authorities", file, nil)
          case .system: ("system", "", nil)
          case .damaged(let line): ("damaged", "line \(line) cannot be read", nil)
          }
        return [
          "host": .string(entry.host), "port": .int(entry.port), "trust": .string(trust), "by": .string(by),
          "since": entry.firstSeen > 0 ? .string(Moments.day(entry.firstSeen / 1000)) : .null,
          "until": until.map(JSON.string) ?? .null,
        ]
      },
      whenEmpty: "no certificate was trusted so far")
  }
}

extension Inspection {
  var isDistrusted: Bool { if case .distrusted? = verdict { true } else { false } }

  var before: Distrust.Before { if case .distrusted(let before)? = verdict { before } else { .nothing } }
}

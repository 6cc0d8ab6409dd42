import Chat
import Store
import Text
import Wire

/// The parts of `/server` that are about certificates.
extension Commands {
  /// `SERVER`, `SERVER FINGERPRINT` or `SERVER CA-FILE`; a server is a name or an address.
  static func trust(_ words: [String], _ shell: inout Shell) async throws(ShellError) {
    let url = try address(words[0], shell)
    if url.lowercased().hasPrefix("http://") { return try await allow(url, &shell) }
    let inspection = await shell.inspected(url)
    if words.count > 1, Fingerprint(text: words[1]) == nil {
      return try trust(file: words[1], for: inspection, &shell)
    }
    if let reason = inspection.failure {
      throw .backend(.unreachable(address: Commands.name(inspection), reason: reason), server: words[0])
    }
    guard let certificate = inspection.certificate else { throw .noCertificate(address: url) }
    let distrust = Distrust(certificate, before: inspection.before)
    if words.count > 1, let given = Fingerprint(text: words[1]) {
      guard given == certificate.fingerprint else { throw .wrongFingerprint(distrust, given: given) }
      guard certificate.canBePinned else { throw .notPinnable(distrust) }
      try shell.pin(certificate)
    } else if inspection.isDistrusted {
      var settled = Settled()
      guard try await shell.settleTrust(distrust, &settled) else {
        throw .backend(.untrusted(distrust), server: words[0])
      }
    } else {
      return shell.say("\(distrust.address) is trusted already (\(TrustPage.verdict(inspection.verdict)))")
    }
    shell.say("\(distrust.address) is trusted from now on, as long as it shows this certificate")
  }

  /// Lets the sign-in of the server in use go to an address that is not encrypted.
  private static func allow(_ url: String, _ shell: inout Shell) async throws(ShellError) {
    var connection = try await shell.connected()
    let origin = String(url.prefix(7)) + (url.dropFirst(7).prefix { $0 != "/" })
    try shell.allow(origin, for: &connection)
    shell.connection = connection
    shell.say("the sign-in of \(connection.server.name) may go to \(origin), which is not encrypted", .warning)
  }

  private static func trust(file: String, for inspection: Inspection, _ shell: inout Shell) throws(ShellError) {
    let text: String
    guard shell.world.fileExists(file) else { throw .notAFingerprint(file) }
    do throws(FileProblem) { text = try shell.world.readFile(file) } catch { throw .file(error) }
    guard text.contains("-----BEGIN CERTIFICATE-----") else { throw .notAFingerprint(file) }
    do throws(FileError) {
      try shell.world.knownServers.trust(
        .authorities(file: shell.world.absolutePath(file)), of: inspection.host, port: inspection.port,
        at: shell.world.now())
    } catch { throw .knownServers(error) }
    shell.world.forgetConnections()
    shell.say("\(name(inspection)) is trusted when an authority of \(file) signed its certificate")
  }

  static func forgetTrust(_ word: String, _ shell: inout Shell) throws(ShellError) {
    let (host, port) = Connection.hostAndPort(of: try address(word, shell))
    let forgotten: KnownServers.Entry?
    do throws(FileError) {
      forgotten = try shell.world.knownServers.forget(host, port: port)
    } catch { throw .knownServers(error) }
    shell.world.forgetConnections()
    let server: SafeText = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    switch forgotten?.trust {
    case nil: shell.say(server + " was not trusted by hand")
    case .system: shell.say("it was the system that trusted " + server + "; that it did is forgotten")
    case .damaged(let line): shell.say("line \(line) of known_servers, about " + server + ", is gone")
    case .pinned, .authorities: shell.say(server + " is no longer trusted by hand")
    }
  }

  /// What a word for a server means: the address of a kept one, or itself, over TLS unless it says otherwise.
  private static func address(_ word: String, _ shell: Shell) throws(ShellError) -> String {
    if let kept = shell.servers.named(word) { return kept.server.url }
    if word.contains("://") { return word }
    guard word.contains(".") || word.contains(":") || word == "localhost" else {
      return try shell.servers.named(known(word, shell))?.server.url ?? word
    }
    return "https://" + word
  }

  private static func name(_ inspection: Inspection) -> String {
    let host = inspection.host.contains(":") ? "[\(inspection.host)]" : inspection.host
    return "\(host):\(inspection.port)"
  }

  static func trustListing(of shell: Shell) -> Listing {
    Listing(
      columns: [
        Listing.Column("HOST", "host"), Listing.Column("PORT", "port"), Listing.Column("TRUSTED", "trust"),
        Listing.Column("BY", "by"), Listing.Column("SINCE", "since"), Listing.Column("UNTIL", "until"),
      ],
      rows: shell.world.knownServers.entries.map { entry in
        let (trust, by, until): (String, String, String?) =
          switch entry.trust {
          case .pinned(let pin): ("you", pin.fingerprint.word, pin.validUntil > 0 ? Day.text(pin.validUntil) : nil)
          case .authorities(let file): ("authorities", file, nil)
          case .system: ("system", "", nil)
          case .damaged(let line): ("damaged", "line \(line) cannot be read", nil)
          }
        return [
          "host": .string(entry.host), "port": .int(entry.port), "trust": .string(trust), "by": .string(by),
          "since": entry.firstSeen > 0 ? .string(Day.text(entry.firstSeen / 1000)) : .null,
          "until": until.map(JSON.string) ?? .null,
        ]
      },
      whenEmpty: "no certificate was trusted by hand")
  }
}

extension Shell {
  /// Looks at a server without saying anything to it.
  func inspected(_ url: String) async -> Inspection {
    let inspect = world.inspect
    let timeouts = preferences.timeouts
    let result: Result<Inspection, Never> = await interruptible { () throws(Never) in await inspect(url, timeouts) }
    return result.get()
  }

  /// After `/connect`: signs in where the server wants it, and takes its models.
  mutating func enter(_ connection: inout Connection) async throws(ShellError) {
    guard let account = connection.backend.account else { return }
    if await !account.hasSignIn() {
      guard options.canAsk else { return say("it wants you to sign in: \(asTyped("/login"))") }
      try await signIn(&connection)
    }
    try await takeModels(&connection)
    let ready = connection.models.filter(\.isReady)
    guard let model = connection.model, !ready.isEmpty else {
      throw .noModels(server: connection.server.name, kind: connection.server.kind)
    }
    say(
      ready.count == 1
        ? "model: \(model)" : "model: \(model), one of \(ready.count) that can be asked; /model switches")
  }

  /// A server that is forgotten leaves no sign-in behind, at the server or here.
  mutating func forgetSignIn(of name: String) async throws(ShellError) {
    guard let server = servers.named(name)?.server, let backend = world.backend(server), let account = backend.account,
      await account.hasSignIn()
    else { return }
    try await signOut(of: Connection(server: server, backend: backend, isKept: true, models: []))
  }
}

extension Inspection {
  var isDistrusted: Bool { if case .distrusted? = verdict { true } else { false } }

  var before: Distrust.Before { if case .distrusted(let before)? = verdict { before } else { .nothing } }
}

import Chat
import Text

/// What a person is told before a certificate is trusted. The sentences are those of docs/kamiwaza.md 10.1.
enum TrustPage {
  /// The word that trusts it.
  static func word(_ distrust: Distrust) -> String { distrust.before == .nothing ? "yes" : "trust new" }

  static func prompt(_ distrust: Distrust) -> StyledText {
    .text("Type \(word(distrust)) to trust it, no to cancel: ", .warning)
  }

  static func text(_ distrust: Distrust, columns: Int?) -> StyledText {
    let paragraph = wrapped(sentence(distrust), columns)
    var rows = distrust.before == .nothing ? firstUse(distrust.certificate) : change(distrust)
    let room = (columns ?? 80) - 2
    // Fingerprints are to be compared: they are whole, if not beside each other then below.
    if distrust.before != .nothing, room < 58 { rows = stacked(rows) }
    let table = Table(rows: rows).lines(columns: room)
    return .text(paragraph + "\n\n", .warning) + table.map { Span("  " + $0 + "\n") } + .text("\n")
  }

  private static func sentence(_ distrust: Distrust) -> SafeText {
    switch distrust.before {
    case .nothing:
      """
      The server at \(distrust.address) is using a certificate not signed by a recognized certificate authority. This \
      is common for private Kamiwaza installations. Do you want to trust this certificate?
      """
    case .damaged(let line):
      """
      The entry of this server in known_servers, line \(line), cannot be read. What was trusted there before is not \
      known, and the certificate may have changed since you last connected. This could indicate a security issue. Do \
      you want to trust the certificate that it shows now?
      """
    case .pinned, .system, .authorities:
      """
      The security certificate for this server has changed since you last connected. This could indicate a security \
      issue. Do you want to trust the new certificate?
      """
    }
  }

  private static func firstUse(_ certificate: ServerCertificate) -> [[SafeText]] {
    let prints = lines(of: certificate.fingerprint)
    let rows: [[SafeText]] = [
      ["server", "\(certificate.host), port \(certificate.port)"], ["subject", "\(certificate.subject)"],
      ["for", "\(certificate.names.prefix(8).joined(separator: ", "))"], ["issuer", "\(certificate.issuer)"],
      ["valid", "\(Moments.day(certificate.validFrom)) to \(Moments.day(certificate.validUntil))"],
      ["key", "\(certificate.key)"],
      ["problems", problems(certificate)],
    ]
    // A certificate may lack a subject or names.
    return rows.filter { !$0[1].isEmpty } + prints.enumerated().map { [$0.offset == 0 ? "SHA-256" : "", $0.element] }
  }

  /// Side by side: what was trusted, and what is shown now.
  private static func change(_ distrust: Distrust) -> [[SafeText]] {
    let new = distrust.certificate
    let now = lines(of: new.fingerprint)
    let server: [SafeText] = ["server", "\(new.host), port \(new.port)", ""]
    guard case .pinned(let old) = distrust.before else {
      return [
        server, ["", "before", "now"], ["trusted by", voucher(distrust.before), "nobody"],
        ["subject", "", "\(new.subject)"], ["valid until", "", "\(Moments.day(new.validUntil))"],
        ["problems", "", problems(new)],
      ] + now.enumerated().map { [$0.offset == 0 ? "SHA-256" : "", "", $0.element] }
    }
    let before = lines(of: old.fingerprint)
    let sameKey: SafeText = old.keyFingerprint == new.keyFingerprint ? "the same: it was renewed" : "another"
    return [
      server, ["", "before", "now"], ["subject", "\(old.subject)", "\(new.subject)"],
      ["valid until", "\(Moments.day(old.validUntil))", "\(Moments.day(new.validUntil))"], ["key", "", sameKey],
      ["problems", "", problems(new)],
    ] + zip(before, now).enumerated().map { [$0.offset == 0 ? "SHA-256" : "", $0.element.0, $0.element.1] }
  }

  /// First all that was before, then all that is now.
  private static func stacked(_ rows: [[SafeText]]) -> [[SafeText]] {
    [[rows[0][0], rows[0][1]]]
      + [1, 2].flatMap { column in
        [[rows[1][column], ""]] + rows.dropFirst(2).filter { !$0[column].isEmpty }.map { [$0[0], $0[column]] }
      }
  }

  /// Who vouched for what was there before.
  private static func voucher(_ before: Distrust.Before) -> SafeText {
    switch before {
    case .nothing: "nobody"
    case .pinned: "you"
    case .system: "this system"
    case .authorities(let file): "the authorities in \(file)"
    case .damaged: "not known"
    }
  }

  /// Four lines of four groups, which fit beside each other.
  private static func lines(of fingerprint: Fingerprint) -> [SafeText] {
    let groups = fingerprint.groups.split(separator: " ")
    return stride(from: 0, to: groups.count, by: 4).map {
      "\(groups[$0..<min($0 + 4, groups.count)].joined(separator: " "))"
    }
  }

  /// All that is wrong with it, such as `self-signed, expired`.
  static func problems(_ certificate: ServerCertificate) -> SafeText {
    certificate.problems.map(problem).joined(separator: ", ")
  }

  private static func problem(_ problem: ServerCertificate.Problem) -> SafeText {
    switch problem {
    case .selfSigned: "self-signed"
    case .unknownIssuer: "signed by an authority this machine does not know"
    case .wrongName: "made for another name"
    case .expired: "expired"
    case .notYetValid: "not valid yet"
    case .weakKey: "its key is too weak"
    case .weakSignature: "signed with a broken digest"
    case .other(let words): "\(words)"
    }
  }

  /// Why a certificate is trusted.
  static func verdict(_ verdict: Inspection.Verdict?) -> SafeText {
    switch verdict {
    case .system: "by this system"
    case .pinned: "by you"
    case .authorities(let file): "by the authorities in \(file)"
    case .distrusted, nil: "not at all"
    }
  }

  /// The question before a sign-in goes where it has not gone before.
  static func question(_ origin: String, _ why: BackendError.Withheld, server: String) -> SafeText {
    switch why {
    case .inTheClear:
      "\(origin) is not encrypted: whoever is on the way can read your sign-in and your messages. Send them all the same?"
    case .anotherHost(let own):
      "server '\(server)' (\(own)) has this answered at \(origin). Send your sign-in there too?"
    }
  }

  private static func wrapped(_ text: SafeText, _ columns: Int?) -> SafeText {
    var wrapper = Wrapper(columns: columns ?? 80)
    return wrapper.feed(text) + wrapper.finish()
  }
}

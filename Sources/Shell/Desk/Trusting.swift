import Chat
import Store
import Text

/// What stood in the way of a request and was settled with the person, so that nothing is asked twice.
struct Settled {
  var certificates: Set<Fingerprint> = []
  var origins: Set<String> = []
  /// How often the user signed in.
  var signIns = 0
  var hasSwitchedModel = false
}

/// Whom the person trusts, asked and kept.
extension Desk {
  /// Asks whether a certificate is to be trusted. Without somebody to ask it is not (docs/rules.md T2).
  func settleTrust(_ distrust: Distrust, _ settled: inout Settled) async throws(ShellError) -> Bool {
    let certificate = distrust.certificate
    guard options.canType, certificate.canBePinned, settled.certificates.insert(certificate.fingerprint).inserted else {
      return false
    }
    guard try await trusts(distrust) else { return false }
    try pin(certificate)
    return true
  }

  /// Shows a certificate and asks for the word that trusts it (docs/rules.md T3, T4). Enter cancels. Any other answer,
  /// such as `y`, is asked again, as ssh(1) does.
  private func trusts(_ distrust: Distrust) async throws(ShellError) -> Bool {
    world.terminal.write(TrustPage.text(distrust, columns: wrapColumns), to: .notices)
    let word = TrustPage.word(distrust)
    while true {
      let answer = try await answer(to: TrustPage.prompt(distrust))
      if Fingerprint(text: answer) == distrust.certificate.fingerprint { return true }
      switch answer.lowercased() {
      case word: return true
      case "", "n", "no": return false
      default: warn("please type '\(word)', 'no' or the fingerprint")
      }
    }
  }

  /// Trusts a certificate from now on, for its host and port.
  func pin(_ certificate: ServerCertificate) throws(ShellError) {
    do throws(FileError) {
      try world.knownServers.trust(
        .pinned(Pin(certificate)), of: certificate.host, port: certificate.port, at: world.now())
    } catch { throw .knownServers(error) }
    world.forgetConnections()
  }

  /// What was known of a server before, where that did not prove right. A line that could not be read is not brought
  /// back: the newer one is no worse.
  func takeBack(_ before: KnownServers.Entry?, of inspection: Inspection) throws(ShellError) {
    switch before?.trust {
    case .damaged: return
    case .some(let trust): try self.trust(trust, of: inspection)
    case nil:
      do throws(FileError) {
        try world.knownServers.forget(inspection.host, port: inspection.port)
      } catch { throw .knownServers(error) }
      world.forgetConnections()
    }
  }

  func trust(_ trust: KnownServers.Entry.Trust, of inspection: Inspection) throws(ShellError) {
    do throws(FileError) {
      try world.knownServers.trust(trust, of: inspection.host, port: inspection.port, at: world.now())
    } catch { throw .knownServers(error) }
    world.forgetConnections()
  }

  /// Looks at a server without saying anything to it.
  func inspected(_ url: String) async -> Inspection {
    let inspect = world.inspect
    let timeouts = preferences.timeouts
    let result: Result<Inspection, Never> = await interruptible { () throws(Never) in await inspect(url, timeouts) }
    return result.get()
  }
}

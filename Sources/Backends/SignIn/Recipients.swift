import Chat

/// To which origins the sign-in of a server or a key of the environment may go (docs/rules.md T9, T10): to the server's
/// own, to other ports of its host over https, in plain http between two ports of this machine where the server itself
/// speaks no other, and to those that the person allowed.
struct Recipients {
  private let own: Origin?
  private let allowed: Set<Origin>

  init(_ server: Server) {
    own = Origin(url: server.url)
    allowed = Set(server.allowedOrigins.compactMap { Origin(url: $0) })
  }

  func isOwn(_ url: String) -> Bool { own != nil && Origin(url: url) == own }

  /// Whether nobody need be asked first.
  func include(_ url: String) -> Bool {
    do throws(BackendError) { try check(url) } catch { return false }
    return true
  }

  /// Throws `withheld` for an origin that the person must be asked about first.
  func check(_ url: String) throws(BackendError) {
    guard let origin = Origin(url: url), let own else {
      throw .unreachable(address: "", reason: .badAddress("not an http or https address"))
    }
    if allowed.contains(origin) { return }
    guard origin.host == own.host else { throw .withheld(origin: origin.url, .anotherHost(own: own.description)) }
    // Never from https to http: who listens at another port of this machine may be somebody else.
    let losesTLS = origin.scheme == "http" && own.scheme == "https"
    if origin.isInTheClear || losesTLS { throw .withheld(origin: origin.url, .inTheClear) }
  }
}

import Chat
import Foundation

@testable import Shell

/// How a server of the stage lets people in, and who is in.
struct Door {
  var gate = Gate(needsSignIn: true, takesPassword: true)
  /// Passwords by user.
  var passwords: [String: String] = [:]
  var tokens: Set<String> = []
  var person: Person?
  var place = CredentialPlace.keyring
  var missingRoles: [String] = []
  var hasEnvironmentKey = false
  var typedToken = ""
  /// What signing out fails with at the server.
  var left: BackendError?
}

extension Stage {
  /// `[door URL PART…]`: how a server lets people in. Parts are `open`, `password USER PASSWORD`, `token TOKEN`,
  /// `consent TEXT`, `banner TEXT`, `provider ALIAS NAME`, `remembers DAYS`, `may-not ROLE`, `in USER`, `file`,
  /// `environment-key`, `open-list`: which takes any token, and refuses it when a message is sent.
  func setDoor(_ direction: StageDirection) throws {
    var door = Door()
    var rest = direction.words.dropFirst()
    while let part = rest.popFirst()?.string {
      func next() -> String { rest.popFirst()?.string ?? "" }
      switch part {
      case "open": door.gate.needsSignIn = false
      case "password": door.passwords[next()] = next()
      case "token": door.tokens.insert(next())
      case "consent": door.gate.consent = Gate.Consent(text: next())
      case "banner": door.gate.banner.append(next())
      case "provider": door.gate.providers.append(IdentityProvider(alias: next(), name: next()))
      case "remembers": door.gate.rememberFor = 86_400 * (Int(next()) ?? 0)
      case "may-not": door.missingRoles.append(next())
      case "in": door.person = Person(name: next(), roles: ["user"], kind: .session)
      case "environment-key": door.hasEnvironmentKey = true
      case "open-list": (door.gate.isOpen, door.gate.takesPassword) = (true, false)
      case "file": door.place = .file("~/credentials.json")
      case "unreachable-at-the-end": door.left = .unreachable(address: direction.strings[0], reason: .refused)
      default: throw BadDirection(text: part)
      }
    }
    with { [door] in $0.doors[direction.strings[0]] = door }
  }

  /// Throws `unauthorized` if the server has a door and nobody is in. One that is open asks for a sign-in only when it is
  /// sent a message.
  func requireEntry(to server: Server, forMessage: Bool = false) throws(BackendError) {
    guard let door = with({ $0.doors[server.url] }), door.gate.needsSignIn else { return }
    if door.gate.isOpen && !forMessage { return }
    if door.person != nil, !door.gate.isOpen || door.tokens.contains(door.typedToken) { return }
    throw .unauthorized(address: server.url, message: "no token")
  }
}

struct StageAccount: Account {
  let server: Server
  let stage: Stage

  private func door<T>(_ body: (inout Door) throws -> T) rethrows -> T {
    try stage.with { scene in try body(&scene.doors[server.url, default: Door()]) }
  }

  func gate() async throws(BackendError) -> Gate { door { $0.gate } }

  func acceptConsent() async throws(BackendError) { door { $0.gate.consent = nil } }

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn {
    try enter(
      Person(name: name, roles: ["user"], kind: .session), if: { $0.passwords[name] == password.reveal() },
      .wrongPassword)
  }

  func signIn(token: Secret) async throws(BackendError) -> SignedIn {
    door { $0.typedToken = token.reveal() }
    var signedIn = try enter(
      Person(name: "anna", roles: ["user"], kind: .key),
      if: { $0.gate.isOpen || $0.tokens.contains(token.reveal()) }, .wrongToken)
    signedIn.isChecked = door { !$0.gate.isOpen }
    return signedIn
  }

  func signIn(with provider: IdentityProvider?, elsewhere: Bool) async throws(BackendError) -> BrowserSignIn {
    BrowserSignIn(
      url: "https://id.example/\(provider?.alias ?? "")", code: elsewhere ? "WDJB-MJHT" : nil,
      finish: { () throws(BackendError) in
        try enter(Person(name: "anna", kind: .session), if: { _ in true }, .wrongToken)
      })
  }

  private func enter(
    _ person: Person, if isRight: (Door) -> Bool, _ refusal: BackendError.SignInRefusal
  ) throws(BackendError) -> SignedIn {
    let place = door { door -> CredentialPlace? in
      guard isRight(door) else { return nil }
      door.person = person
      return door.place
    }
    guard let place else { throw .signInRefused(address: Link.hostName(of: server.url), refusal) }
    return SignedIn(person: person, place: place)
  }

  func rememberLimit() async throws(BackendError) -> Int? { door { $0.gate.rememberFor } }

  func remember(as name: String) async throws(BackendError) -> Remembered {
    stage.remark("[the server makes a token called '\(name)']")
    return door { door in
      door.person?.kind = .device
      return Remembered(
        expiresAt: 1_798_640_000_000, missingRoles: door.missingRoles, place: door.place)
    }
  }

  func person() async throws(BackendError) -> Person {
    if let directed = stage.with({ $0.people[server.url] }) { return try directed.get() }
    guard let person = door({ $0.person }) else { throw .unauthorized(address: server.url, message: "") }
    return person
  }

  var hasEnvironmentKey: Bool { door { $0.hasEnvironmentKey } }

  func hasSignIn() async -> Bool {
    stage.with { $0.people[server.url] } != nil || door { $0.person != nil }
  }

  func signOut() async throws(CredentialError) -> SignedOut {
    door { door in
      defer { door.person = nil }
      return SignedOut(left: door.left, revokedDevice: door.person?.kind == .device && door.left == nil)
    }
  }
}

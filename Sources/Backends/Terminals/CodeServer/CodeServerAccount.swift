import Chat
import Transport
import Wire

/// A name and a password for tokens, or the key that the editor shows.
struct CodeServerAccount: Account {
  let api: CodeServerAPI

  func gate() async throws(BackendError) -> Gate {
    let form = try await api.form()
    return Gate(needsSignIn: true, takesPassword: form == .written, takesToken: form == .built)
  }

  func acceptConsent() async throws(BackendError) {}

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn {
    api.endpoint.bearer.mask.add(password)
    try api.endpoint.recipients.check(api.endpoint.base)
    let body: JSON = ["username": .string(name), "password": .string(password.reveal())]
    let document = try await api.ask("POST", "/api/auth/login", body, signed: .not)
    switch document.status {
    case 200..<300: break
    case 401, 403: throw .signInRefused(address: api.endpoint.address, .wrongPassword)
    case 404: throw .signInRefused(address: api.endpoint.address, .noPasswords)
    default: throw api.refusal(document)
    }
    guard let tokens = document.json.flatMap({ Tokens($0) }) else {
      throw .malformed(address: api.endpoint.address, detail: "no token")
    }
    let kept = await api.endpoint.bearer.keep(
      tokens.signIn(now: api.endpoint.clock.sinceEpoch(), username: name))
    return SignedIn(person: Person(name: name), place: kept.place, problem: kept.problem)
  }

  func signIn(token: Secret) async throws(BackendError) -> SignedIn {
    guard token.fitsHeader else { throw .signInRefused(address: api.endpoint.address, .wrongToken) }
    let document = try await api.ask("GET", "/api/terminals", signed: .with(token))
    switch document.status {
    case 200..<300: break
    case 401, 403: throw .signInRefused(address: api.endpoint.address, .wrongToken)
    default: throw api.refusal(document)
    }
    let kept = await api.endpoint.bearer.keep(StoredSignIn(.key, token: token))
    return SignedIn(person: Person(name: "key"), place: kept.place, problem: kept.problem)
  }

  func signIn(with provider: IdentityProvider?, elsewhere: Bool) async throws(BackendError) -> BrowserSignIn {
    throw .signInRefused(address: api.endpoint.address, .nothingOffered)
  }

  func rememberLimit() async throws(BackendError) -> Int? { nil }

  func remember(as name: String) async throws(BackendError) -> Remembered {
    throw .signInRefused(address: api.endpoint.address, .nothingOffered)
  }

  func person() async throws(BackendError) -> Person {
    guard let stored = try await api.endpoint.bearer.stored else { return Person(name: "nobody") }
    return Person(name: stored.username ?? "key", expiresAt: stored.expiresAt, kind: stored.kind)
  }

  func hasSignIn() async -> Bool { await api.endpoint.bearer.hasSignIn }

  func signOut() async throws(CredentialError) -> SignedOut {
    // The server forgets them at their end by itself.
    _ = try? await api.ask("POST", "/api/auth/logout")
    try await api.endpoint.bearer.forget()
    return SignedOut()
  }
}

import Chat
import Transport
import Wire

/// A name and a password for tokens, or the key that the editor shows.
struct CodeServerAccount: PlainAccount {
  let api: CodeServerAPI

  var endpoint: Endpoint { api.endpoint }

  func gate() async throws(BackendError) -> Gate {
    let form = try await api.form()
    return Gate(needsSignIn: true, takesPassword: form == .written, takesToken: form == .built)
  }

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn {
    endpoint.bearer.mask.add(password)
    try endpoint.recipients.check(endpoint.base)
    let body: JSON = ["username": .string(name), "password": .string(password.reveal())]
    let document = try await api.ask("POST", "/api/auth/login", body, signed: .not)
    switch document.status {
    case 200..<300: break
    case let status where ErrorBody(document.said).reportsInvalidKey(status: status):
      throw .signInRefused(address: endpoint.address, .wrongPassword)
    case 404: throw .signInRefused(address: endpoint.address, .noPasswords)
    default: throw api.refusal(document)
    }
    guard let tokens = document.unmaskedJSON.flatMap({ Tokens($0) }) else {
      throw .malformed(address: endpoint.address, detail: "no token")
    }
    let kept = await endpoint.bearer.keep(
      tokens.signIn(now: endpoint.clock.sinceEpoch(), username: name))
    return SignedIn(person: Person(name: name), place: kept.place, problem: kept.problem)
  }

  func signIn(token: Secret) async throws(BackendError) -> SignedIn {
    try await KeyAccount(endpoint, asking: "/api/terminals").signIn(token: token)
  }

  func person() async throws(BackendError) -> Person {
    guard let stored = try await endpoint.bearer.stored else { return Person(name: "nobody") }
    return Person(name: stored.username ?? "key", expiresAt: stored.expiresAt, kind: stored.kind)
  }

  func signOut() async throws(CredentialError) -> SignedOut {
    // The server forgets them at their end by itself.
    _ = try? await api.ask("POST", "/api/auth/logout")
    try await endpoint.bearer.forget()
    return SignedOut()
  }
}

import Chat
import Transport
import Wire

/// Signing in to a Kamiwaza server (docs/kamiwaza.md 3). What a server says of a failed sign-in is never passed on.
struct KamiwazaAccount: Account {
  let endpoint: Endpoint

  init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  var address: String { endpoint.address }
  var bearer: Bearer { endpoint.bearer }

  func url(_ path: String) -> String { endpoint.server.url + path }

  /// What a status from 300 on means, without the server's words: about a sign-in they may have anything in them.
  func failure(_ document: Document) -> BackendError {
    let wished = RetryAfter.seconds(of: document.response, now: endpoint.clock.sinceEpoch())
    return endpoint.failures.status(document.status, ErrorBody([]), location: document.location, retryAfter: wished)
  }

  var hasEnvironmentKey: Bool { bearer.hasEnvironmentKey }

  func hasSignIn() async -> Bool { await bearer.hasSignIn }

  func acceptConsent() async throws(BackendError) {
    let document = try await endpoint.send(endpoint.request("POST", url("/security/consent/accept")), signed: .not)
    guard document.isSuccess else {
      throw endpoint.failures.status(document.status, endpoint.errorBody(document.bytes))
    }
  }

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn {
    // Not in the clear without leave (docs/rules.md T9).
    try endpoint.recipients.check(endpoint.server.url)
    var answer = try await ask(name, password, scope: BrowserFlow.scope)
    if !answer.isSuccess, PasswordRefusal(answer).isAboutScope {
      answer = try await ask(name, password, scope: "openid email profile")
    }
    guard answer.isSuccess else {
      let wished = RetryAfter.seconds(of: answer.response, now: endpoint.clock.sinceEpoch())
      throw PasswordRefusal(answer).error(address: address, retryAfter: wished)
    }
    guard let tokens = answer.unmaskedJSON.flatMap(Tokens.init) else {
      throw .malformed(address: address, detail: "no token")
    }
    return await keep(tokens, username: name, issuer: nil)
  }

  /// Once only (docs/rules.md N5).
  private func ask(_ name: String, _ password: Secret, scope: String) async throws(BackendError) -> Document {
    let request = HTTPRequest.form(
      url("/auth/token"),
      [
        "grant_type": "password", "username": name, "password": password.reveal(), "scope": scope,
        "client_id": "kamiwaza-platform",
      ])
    return try await endpoint.send(endpoint.timed(request), signed: .not)
  }

  func signIn(token: Secret) async throws(BackendError) -> SignedIn {
    guard token.fitsHeader else { throw .signInRefused(address: address, .wrongToken) }
    try await tryOut(token)
    let claims = TokenClaims(token)
    let user = await user(as: token)
    let signIn = StoredSignIn(
      .key, token: token, expiresAt: claims?.expiresAt, username: user?.properName ?? claims?.username ?? user?.name)
    let kept = await replace(with: signIn)
    return SignedIn(person: person(user, signIn), place: kept.place, problem: kept.problem)
  }

  /// Throws unless the server takes the token somewhere.
  func tryOut(_ token: Secret) async throws(BackendError) {
    var isRefused = false
    var last: Document?
    for path in ["/auth/pats", "/auth/users/me", "/whoami"] {
      let document = try await endpoint.get(url(path), signed: .with(token))
      if document.isSuccess, document.json != nil { return }
      if document.status == 401 || document.status == 403 { isRefused = true }
      last = document
    }
    if isRefused { throw .signInRefused(address: address, .wrongToken) }
    guard let last, !last.isSuccess else { throw .malformed(address: address, detail: "no JSON") }
    throw failure(last)
  }

  /// Keeps tokens that the server gave out. That it does not say whose they are does not undo the sign-in.
  func keep(_ tokens: Tokens, username: String?, issuer: TokenEndpoint?) async -> SignedIn {
    var signIn = tokens.signIn(now: endpoint.clock.sinceEpoch(), username: username)
    bearer.mask.add(signIn.token)
    let user = await user(as: signIn.token)
    if username == nil { signIn.username = user?.properName ?? signIn.username ?? user?.name }
    let kept = await replace(with: signIn, issuer: issuer)
    return SignedIn(person: person(user, signIn), place: kept.place, problem: kept.problem)
  }
}

// Who it is.
extension KamiwazaAccount {
  func person() async throws(BackendError) -> Person {
    let stored = bearer.key == nil ? try await bearer.stored : nil
    let me = try await endpoint.get(url("/auth/users/me"))
    if me.isSuccess, let user = me.json.flatMap(UserInfo.init) { return try await person(user, now: stored) }
    // Servers without users may know who asks all the same.
    let whoami = try await endpoint.get(url("/whoami"))
    if whoami.isSuccess, let user = whoami.json.flatMap(UserInfo.init) { return try await person(user, now: stored) }
    let refusal = whoami.status == 404 ? me : whoami
    guard !refusal.isSuccess else { throw .malformed(address: address, detail: "no user") }
    throw failure(refusal)
  }

  /// It may have been renewed by the question.
  private func person(_ user: UserInfo, now before: StoredSignIn?) async throws(BackendError) -> Person {
    if let key = bearer.key { return person(user, expiresAt: TokenClaims(key.secret)?.expiresAt) }
    return person(user, before == nil ? nil : try await bearer.stored)
  }

  private func person(_ user: UserInfo?, _ signIn: StoredSignIn?) -> Person {
    var person = person(user, expiresAt: signIn?.expiresAt)
    // Under a personal access token the server may give the subject for a name (docs/kamiwaza.md 3.3).
    if let name = signIn?.username, user?.properName == nil { person.name = name }
    person.kind = signIn?.kind
    return person
  }

  private func person(_ user: UserInfo?, expiresAt: Int?) -> Person {
    Person(
      name: user?.name ?? "unknown", email: user?.email, groups: user?.groups ?? [], roles: user?.roles ?? [],
      expiresAt: expiresAt)
  }

  /// Best effort.
  private func user(as token: Secret) async -> UserInfo? {
    for path in ["/auth/users/me", "/whoami"] {
      let document = try? await endpoint.get(url(path), signed: .with(token))
      if let document, document.isSuccess, let user = document.json.flatMap(UserInfo.init) { return user }
    }
    return nil
  }
}

import Chat
import Transport
import Wire

/// Signing in to a chat-ui server: by the cookie of a browser that is signed in, or by way of this machine
/// (docs/chatui.md 8.2).
struct ChatUIAccount: Account {
  private let api: ChatUIAPI

  init(_ api: ChatUIAPI) { self.api = api }

  func gate() async throws(BackendError) -> Gate {
    let flags = try? await api.get("/api/v2/feature-flags")
    // A server that does not say takes anybody, or says so when it is asked something.
    let needsSignIn = flags?["loginEnabled"]?.bool ?? true
    return Gate(
      needsSignIn: needsSignIn, takesToken: true, tokenName: "cookie of a browser that is signed in",
      providers: needsSignIn ? [IdentityProvider(alias: "browser", name: "your browser")] : [])
  }

  /// Whether the server knows nobody any more by what is kept, and lets nobody in who is not known.
  func wantsSignIn() async throws(BackendError) -> Bool {
    guard let stored = try await api.endpoint.bearer.stored, stored.kind != .guest else { return false }
    // Asked by itself: this is what other refusals are made sense of by.
    let document = try await api.endpoint.send(api.request("GET", "/api/v2/user"))
    if document.status == 401 { return true }
    guard document.status == 200, let user = document.json.map(ChatUIAPI.opened) else { return false }
    return Person(chatUI: user) == nil
  }

  var hasEnvironmentKey: Bool { api.endpoint.bearer.hasEnvironmentKey }

  func acceptConsent() async throws(BackendError) {}

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn {
    throw .signInRefused(address: api.address, .noPasswords)
  }

  /// The cookie counts when the server knows whose it is, or knows nobody.
  func signIn(token: Secret) async throws(BackendError) -> SignedIn {
    let typed = ChatUICookie(token)
    guard Secret(typed.pair).fitsHeader, !typed.value.isEmpty else {
      throw .signInRefused(address: api.address, .wrongToken)
    }
    api.endpoint.bearer.mask.add(Secret(typed.value))
    let names = (try await ownName().map { [$0] } ?? []) + ChatUICookie.usualNames
    for cookie in typed.isNamed ? [typed] : typed.spellings(names) {
      let pair = Secret(cookie.pair)
      guard let person = try await owner(of: pair) else { continue }
      return await keep(pair, person)
    }
    if try await gate().needsSignIn { throw .signInRefused(address: api.address, .wrongToken) }
    // Nobody is known there: whoever has it is whom it stands for.
    return await keep(Secret(typed.spellings(names)[0].pair), nil)
  }

  /// What the server calls its cookie, which it sets for whoever begins to sign in.
  private func ownName() async throws(BackendError) -> String? {
    if let known = api.memory.cookieName { return known }
    // A server without such a page sets none.
    guard let document = try? await api.endpoint.send(api.request("GET", "/login"), signed: .not) else { return nil }
    await api.learn(from: document.response, after: "GET", signedBy: nil)
    return api.memory.cookieName
  }

  private func owner(of cookie: Secret) async throws(BackendError) -> Person? {
    let document = try await api.endpoint.send(api.request("GET", "/api/v2/user"), signed: .with(cookie))
    guard document.status == 200 else { throw await api.failure(document.response, document.said) }
    return document.json.map(ChatUIAPI.opened).flatMap { Person(chatUI: $0) }
  }

  private func keep(_ cookie: Secret, _ person: Person?) async -> SignedIn {
    let signIn = StoredSignIn(person == nil ? .guest : .key, token: cookie, username: person?.name)
    let kept = await api.endpoint.bearer.keep(signIn)
    return SignedIn(person: person ?? Person(name: "guest", kind: .guest), place: kept.place, problem: kept.problem)
  }

  func signIn(with provider: IdentityProvider?, elsewhere: Bool) async throws(BackendError) -> BrowserSignIn {
    // The browser comes back to this machine, or not at all.
    guard !elsewhere else { throw .signInRefused(address: api.address, .nothingOffered) }
    return try await ChatUISignIn(api: api).begin { [self] cookie async throws(BackendError) in
      try await signIn(token: cookie)
    }
  }

  func rememberLimit() async throws(BackendError) -> Int? { nil }

  func remember(as name: String) async throws(BackendError) -> Remembered {
    throw .signInRefused(address: api.address, .nothingOffered)
  }

  func person() async throws(BackendError) -> Person {
    let stored = try await api.endpoint.bearer.stored
    if stored?.kind == .guest { return Person(name: "guest", kind: .guest) }
    guard var person = Person(chatUI: try await api.get("/api/v2/user")) else { return Person(name: "nobody") }
    person.kind = stored?.kind
    return person
  }

  func hasSignIn() async -> Bool { await api.endpoint.bearer.hasSignIn }

  func signOut() async throws(CredentialError) -> SignedOut {
    var left: BackendError?
    if let stored = try? await api.endpoint.bearer.stored, stored.kind != .guest {
      do throws(BackendError) { _ = try await api.post("/logout") } catch {
        // It answers with the way to its page.
        if case .unauthorized = error {} else if case .refused(_, 300..<400, _) = error {} else { left = error }
      }
    }
    try await api.endpoint.bearer.forget()
    return SignedOut(left: left)
  }
}

extension Person {
  /// nil for what is nobody.
  fileprivate init?(chatUI json: JSON) {
    guard json.object != nil, let name = json["username"]?.word ?? json["email"]?.word ?? json["id"]?.word else {
      return nil
    }
    self.init(name: name, email: json["email"]?.word, kind: .key)
  }
}

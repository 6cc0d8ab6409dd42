import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

struct BrowserFlowTests {
  private static let issuer = "https://idp.lan/realms/kamiwaza"
  private static let location = "\(issuer)/protocol/openid-connect/auth?client_id=kz-web&scope=openid"
  private static let google = IdentityProvider(alias: "google", name: "Google")

  private static func metadata(issuer: String = issuer, device: Bool = true) -> String {
    let endpoint = "\(issuer)/protocol/openid-connect"
    let device = device ? #","device_authorization_endpoint":"\#(endpoint)/auth/device""# : ""
    return
      #"{"issuer":"\#(issuer)","authorization_endpoint":"\#(endpoint)/auth","token_endpoint":"\#(endpoint)/token"\#(device)}"#
  }

  /// A platform and its identity provider; `token` answers the provider's token endpoint.
  private func site(
    metadata: String = metadata(), location: String = location, page: ScriptedHTTP.Reply = .json("<html>"),
    token: @escaping @Sendable (HTTPRequest) -> ScriptedHTTP.Reply = { _ in .tokens("access", refresh: "refresh") }
  ) -> SiteHTTP {
    SiteHTTP { request in
      switch request.line {
      case "GET /auth/login": return .response(302, headers: [(name: "Location", value: location)], [])
      case "GET /auth/users/me": return .json(#"{"username":"ann"}"#)
      case "POST /auth/refresh": return .json("{}", status: 400)
      case _ where request.url.hasSuffix("/.well-known/openid-configuration"): return .json(metadata)
      case _ where request.url.contains("/auth/device"):
        return .json(
          #"{"device_code":"d-1","user_code":"ABCD-EFGH","verification_uri":"https://idp.lan/device","expires_in":60,"interval":5}"#
        )
      case _ where request.url.contains("/openid-connect/auth?"): return page
      case _ where request.url.hasSuffix("/openid-connect/token"): return token(request)
      default: return .notFound
      }
    }
  }

  private func account(
    _ http: any HTTP, store: MemoryCredentials = MemoryCredentials(), time: TestTime = TestTime()
  ) -> KamiwazaAccount {
    KamiwazaAccount(SignIns(store, clock: time.source).endpoint(.kamiwaza, http, Timeouts()))
  }

  /// What a browser does when the provider is done with the person.
  private func visit(_ page: String, _ answer: String) async throws -> Int {
    let query = QueryItems(String(page.drop { $0 != "?" }.dropFirst()))
    let redirect = try #require(query["redirect_uri"])
    let state = try #require(query["state"])
    let http = CurlHTTP(proxy: ProxySettings(environment: [:]), version: "test")
    let url = "\(redirect)?\(answer.replacing("STATE", with: state))"
    let response = try await http.send(HTTPRequest("GET", url, headersTimeout: nil))
    _ = try await response.body.readAll(timeout: nil)
    return response.status
  }

  @Test func `a browser on this machine brings a code that is traded for tokens`() async throws {
    let store = MemoryCredentials()
    let http = site()
    let account = account(http, store: store)
    let signIn = try await account.signIn(with: Self.google, elsewhere: false)
    let query = QueryItems(String(signIn.url.drop { $0 != "?" }.dropFirst()))
    #expect(signIn.code == nil && signIn.url.hasPrefix("\(Self.issuer)/protocol/openid-connect/auth?"))
    #expect(query["client_id"] == "kz-web" && query["kc_idp_hint"] == "google" && query["response_type"] == "code")
    #expect(query["code_challenge_method"] == "S256" && query["scope"] == "openid email profile offline_access")
    async let signedIn = signIn.finish()
    #expect(try await visit(signIn.url, "code=stolen&state=guessed") == 404)
    #expect(try await visit(signIn.url, "code=c%2B1&state=STATE&iss=\(Self.issuer.percentEncoded)") == 200)
    let person = try await signedIn.person
    #expect(person.name == "ann" && person.kind == .session)

    let token = try #require(http.requests.first { $0.url.hasSuffix("/token") })
    #expect(token.fields["code"] == "c+1" && token.fields["grant_type"] == "authorization_code")
    #expect(token.fields["redirect_uri"] == query["redirect_uri"] && token.fields["client_id"] == "kz-web")
    let verifier = try #require(token.fields["code_verifier"])
    #expect(PKCE(verifier: verifier).challenge == query["code_challenge"])
    #expect(http.requests.filter { $0.url.hasPrefix("https://idp.lan") }.allSatisfy { $0.bearer == nil })
    #expect(try await store.read(Server.kamiwaza.url)?.refresh == Secret("refresh"))
    #expect(http.requests[0].query["provider"] == "google")
  }

  @Test func `the provider renews what the platform does not`() async throws {
    let http = site { request in
      request.fields["grant_type"] == "refresh_token"
        ? .tokens("newer") : .tokens("access", refresh: "refresh", lifetime: 0)
    }
    let account = account(http)
    let signIn = try await account.signIn(with: nil, elsewhere: false)
    async let signedIn = signIn.finish()
    _ = try await visit(signIn.url, "code=c&state=STATE")
    _ = try await signedIn
    #expect(try await account.person().name == "ann")
    #expect(http.requests.last?.bearer == "newer")
    #expect(http.lines.suffix(3).first == "POST /auth/refresh")
  }

  /// All but what `isDown` says is there.
  private func site(without isDown: @escaping @Sendable (HTTPRequest) -> Bool) -> SiteHTTP {
    let whole = site()
    return SiteHTTP { isDown($0) ? .failure(.refused) : await whole.reply(to: $0) }
  }

  @Test func `of an identity provider that is down its own name is told`() async throws {
    let down = BackendError.unreachable(address: "idp.lan", reason: .refused)
    for part in [".well-known", "/openid-connect/auth?"] {
      let account = account(site { $0.url.hasPrefix("https://idp.lan") && $0.url.contains(part) })
      await #expect(throws: down) { try await account.signIn(with: nil, elsewhere: false) }
    }
    let device = account(site { $0.url.hasSuffix("/auth/device") })
    await #expect(throws: down) { try await device.signIn(with: nil, elsewhere: true) }
    let tokens = try await account(site { $0.url.hasSuffix("/token") }).signIn(with: nil, elsewhere: true)
    await #expect(throws: down) { try await tokens.finish() }
    let platform = account(site { $0.url.hasPrefix("https://kz.lan") })
    await #expect(throws: BackendError.unreachable(address: "kz.lan", reason: .refused)) {
      try await platform.signIn(with: nil, elsewhere: false)
    }
  }

  @Test func `a renewal that the provider does not answer names it`() async throws {
    let server = Server.kamiwaza
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .json("{}", status: 400) : .failure(.refused) }
    let renewal = TokenRenewal(server: server, http: http, timeouts: Timeouts(request: 300), clock: TestTime().source)
    let issuer = TokenEndpoint(url: "https://idp.lan/token", clientID: "kz-web")
    await #expect(throws: BackendError.unreachable(address: "idp.lan", reason: .refused)) {
      try await renewal.tokens(for: Secret("r"), issuer: issuer)
    }
    // Together less than the minute that others wait for the lock.
    #expect(http.requests.map(\.headersTimeout) == [25, 25])
  }

  private static let refusals: [(String, String)] = [
    ("error=access_denied&state=STATE", "access denied"),
    ("error=%1B%5B31mred&state=STATE", "the identity provider refused"),
    ("state=STATE", "the identity provider sent no code"),
    ("code=c&state=STATE&iss=https%3A%2F%2Fevil", "another identity provider answered"),
  ]

  @Test(arguments: refusals)
  func `a browser that comes back without a code says why`(answer: String, reason: String) async throws {
    let http = site()
    let signIn = try await account(http).signIn(with: nil, elsewhere: false)
    let finishing = Task { () async throws(BackendError) in try await signIn.finish() }
    _ = try await visit(signIn.url, answer)
    await #expect(throws: BackendError.signInRefused(address: "kz.lan", .browser(reason))) { try await finishing.value }
    #expect(!http.requests.contains { $0.url.hasSuffix("/token") })
  }

  @Test func `cancelling ends the wait for a browser`() async throws {
    let signIn = try await account(site()).signIn(with: nil, elsewhere: false)
    let finishing = Task { () async throws(BackendError) in try await signIn.finish() }
    finishing.cancel()
    await #expect(throws: BackendError.cancelled) { try await finishing.value }
  }

  @Test func `a provider that sends nobody to this machine is asked by way of another device`() async throws {
    let http = site(page: .json("Invalid parameter: redirect_uri", status: 400))
    let signIn = try await account(http).signIn(with: nil, elsewhere: false)
    #expect(signIn.code == "ABCD-EFGH" && signIn.url == "https://idp.lan/device")
  }

  @Test func `a sign-in on another device is asked after at the pace that the provider wants`() async throws {
    let time = TestTime()
    let answers = ScriptedHTTP([
      .json(#"{"error":"authorization_pending"}"#, status: 400), .json(#"{"error":"slow_down"}"#, status: 400),
      .tokens("access"),
    ])
    let http = SiteHTTP { [site = site()] request in
      request.url.hasSuffix("/openid-connect/token") ? await answers.reply(to: request) : await site.reply(to: request)
    }
    let signIn = try await account(http, time: time).signIn(with: nil, elsewhere: true)
    #expect(try await signIn.finish().person.name == "ann")
    #expect(time.now == 5 + 5 + 10)
    #expect(answers.requests[0].fields["device_code"] == "d-1" && answers.requests[0].fields["client_id"] == "kz-web")
  }

  @Test(arguments: [
    ("expired_token", "expired token"), ("access_denied", "access denied"), ("", "the identity provider refused"),
  ])
  func `a sign-in on another device that fails says why`(word: String, reason: String) async throws {
    let http = site { _ in .json(#"{"error":"\#(word)"}"#, status: 400) }
    let signIn = try await account(http).signIn(with: nil, elsewhere: true)
    await #expect(throws: BackendError.signInRefused(address: "kz.lan", .browser(reason))) { try await signIn.finish() }
  }

  @Test func `a code that nobody types runs out`() async throws {
    let http = site { _ in .json(#"{"error":"authorization_pending"}"#, status: 400) }
    let signIn = try await account(http).signIn(with: nil, elsewhere: true)
    await #expect(throws: BackendError.signInRefused(address: "kz.lan", .browser("expired token"))) {
      try await signIn.finish()
    }
    #expect(http.requests.filter { $0.url.hasSuffix("/token") }.count == 12)
  }

  private static let dead: [(String, String, BackendError)] = [
    (
      metadata(device: false), location,
      .signInRefused(address: "kz.lan", .browser("the identity provider offers no sign-in on another device"))
    ),
    (
      metadata(issuer: "https://evil"), location,
      .signInRefused(address: "kz.lan", .browser("the identity provider does not describe itself"))
    ),
    (
      metadata(), "/ui/login",
      .signInRefused(address: "kz.lan", .browser("the server does not say who its identity provider is"))
    ),
    (
      metadata(), "http://idp.lan/realms/k/protocol/openid-connect/auth",
      .withheld(origin: "http://idp.lan", .anotherHost(own: "kz.lan"))
    ),
  ]

  @Test(arguments: dead)
  func `where there is no way to sign in by a browser, the reason is told`(
    metadata: String, location: String, expected: BackendError
  ) async throws {
    let account = account(site(metadata: metadata, location: location))
    await #expect(throws: expected) { try await account.signIn(with: nil, elsewhere: true) }
  }
}

extension ScriptedHTTP {
  /// The next reply, for another HTTP to give.
  func reply(to request: HTTPRequest) async -> Reply { await settle(self, request) }
}

extension SiteHTTP {
  func reply(to request: HTTPRequest) async -> ScriptedHTTP.Reply { await settle(self, request) }
}

/// What an HTTP answers, read whole.
private func settle(_ http: any HTTP, _ request: HTTPRequest) async -> ScriptedHTTP.Reply {
  do throws(TransportError) {
    let response = try await http.send(request)
    return .response(response.status, headers: response.headers, [.bytes(try await response.body.readAll(timeout: 60))])
  } catch {
    return .failure(error)
  }
}

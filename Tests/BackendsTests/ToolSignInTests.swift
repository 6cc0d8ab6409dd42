import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

/// Signing in to a server of tools, where a real one cannot be made to do what is needed.
@Suite struct ToolSignInTests {
  private static let url = "https://tools.lan/mcp"
  private static let issuer = "https://idp.lan"
  private static let challenge = #"Bearer resource_metadata="https://tools.lan/about", scope="tools""#

  private static let metadata = #"""
    {"issuer":"https://idp.lan","authorization_endpoint":"https://idp.lan/authorize","token_endpoint":"https://idp.lan/token",
     "registration_endpoint":"https://idp.lan/register","revocation_endpoint":"https://idp.lan/revoke",
     "code_challenge_methods_supported":["S256"],"authorization_response_iss_parameter_supported":true}
    """#

  private struct Site: Sendable {
    var resource = #"{"resource":"https://tools.lan/mcp","authorization_servers":["https://idp.lan"]}"#
    var metadata = ToolSignInTests.metadata
    var token: @Sendable (HTTPRequest) -> ScriptedHTTP.Reply = { request in
      request.fields["grant_type"] == "refresh_token"
        ? .tokens("a2", refresh: "r2", lifetime: 60) : .tokens("a1", refresh: "r1", lifetime: 60)
    }
    var page: @Sendable (HTTPRequest) -> ScriptedHTTP.Reply = { _ in .json("<html>") }

    func http() -> SiteHTTP {
      SiteHTTP { request in
        switch "\(request.method) \(request.url.prefix { $0 != "?" })" {
        case "GET https://tools.lan/about", "GET https://tools.lan/.well-known/oauth-protected-resource/mcp":
          .json(resource)
        case "GET https://idp.lan/.well-known/oauth-authorization-server": .json(metadata)
        case "POST https://idp.lan/register": .json(#"{"client_id":"c-1"}"#, status: 201)
        case "GET https://idp.lan/authorize": page(request)
        case "POST https://idp.lan/token": token(request)
        case "POST https://idp.lan/revoke": .json("", status: 200)
        default: .notFound
        }
      }
    }
  }

  private struct Scene {
    let account: MCPAccount
    let signer: ToolSigner
    let http: SiteHTTP

    init(
      _ site: Site = Site(), url: String = ToolSignInTests.url, store: any CredentialStore = MemoryCredentials(),
      time: TestTime = TestTime()
    ) {
      let http = site.http()
      let signIns = SignIns(store, clock: time.source)
      let signer = ToolSigner(signIns.toolEndpoint(Server(name: "t", kind: "mcp", url: url), http, Timeouts()))
      self.http = http
      self.signer = signer
      account = MCPAccount(signer: signer) { signer async throws(ToolError) in
        // What a connection does with its first request, and with a server that lets nobody in but `good`.
        var request = HTTPRequest("POST", url)
        try await signer.sign(&request)
        guard request.bearer != "good" else { return }
        _ = try await signer.refused(request, ToolSignInTests.refusal())
        throw .signInNeeded(url: url)
      }
    }

    func requests(_ part: String) -> [HTTPRequest] { http.requests.filter { $0.url.contains(part) } }
  }

  private static func refusal(_ status: Int = 401, _ challenge: String = challenge) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [(name: "WWW-Authenticate", value: challenge)],
      body: ScriptedBody([], whenSilent: {}))
  }

  private func signed(_ signer: ToolSigner, _ url: String = url) async throws -> HTTPRequest {
    var request = HTTPRequest("POST", url)
    try await signer.sign(&request)
    return request
  }

  /// What a browser does when the issuer is done with the person.
  private func visit(_ page: String, _ answer: String) async throws {
    let query = QueryItems(String(page.drop { $0 != "?" }.dropFirst()))
    let redirect = try #require(query["redirect_uri"])
    let state = try #require(query["state"])
    let http = CurlHTTP(proxy: ProxySettings(environment: [:]), version: "test")
    let url = "\(redirect)?\(answer.replacing("STATE", with: state))"
    _ = try await http.send(HTTPRequest("GET", url, headersTimeout: nil)).body.readAll(timeout: nil)
  }

  private func signIn(_ scene: Scene, clientID: String? = nil) async throws -> (BrowserSignIn, SignedIn) {
    let signIn = try await scene.account.signIn(clientID: clientID)
    async let signedIn = signIn.finish()
    try await visit(signIn.url, "code=c-9&state=STATE&iss=\(Self.issuer.percentEncoded)")
    return (signIn, try await signedIn)
  }

  private func reason(_ error: (any Error)?) -> String? {
    let backendError: BackendError?
    if case .server(let inner)? = error as? ToolError {
      backendError = inner
    } else {
      backendError = error as? BackendError
    }
    guard case .signInRefused(_, .browser(let reason))? = backendError else { return nil }
    return reason
  }

  @Test func `a browser brings a code that is traded for tokens of this server`() async throws {
    let store = MemoryCredentials()
    let scene = Scene(store: store)
    let (signIn, signedIn) = try await signIn(scene)
    let query = QueryItems(String(signIn.url.drop { $0 != "?" }.dropFirst()))
    #expect(signIn.url.hasPrefix("https://idp.lan/authorize?") && query["response_type"] == "code")
    #expect(query["client_id"] == "c-1" && query["scope"] == "tools" && query["resource"] == Self.url)
    #expect(query["code_challenge_method"] == "S256" && signedIn.person.kind == .session)

    let register = try #require(scene.requests("/register").first?.json)
    #expect(register["application_type"] == "native" && register["token_endpoint_auth_method"] == "none")
    #expect(register["redirect_uris"]?[0]?.string == query["redirect_uri"])
    let token = try #require(scene.requests("/token").first?.fields)
    #expect(token["grant_type"] == "authorization_code" && token["code"] == "c-9" && token["client_id"] == "c-1")
    #expect(token["resource"] == Self.url && token["redirect_uri"] == query["redirect_uri"])
    #expect(PKCE(verifier: try #require(token["code_verifier"])).challenge == query["code_challenge"])
    #expect(scene.http.requests.allSatisfy { $0.bearer == nil })

    let kept = try #require(try await store.read(Self.url))
    #expect(kept.token == Secret("a1") && kept.refresh == Secret("r1") && kept.lifetime == 60)
    #expect(
      kept.issuer
        == StoredSignIn.Issuer(
          url: Self.issuer, tokenEndpoint: "https://idp.lan/token", revocationEndpoint: "https://idp.lan/revoke",
          clientID: "c-1", resource: Self.url, scope: "tools"))
    #expect(try await signed(scene.signer).bearer == "a1")
  }

  @Test func `a token goes to its own server, and nowhere else`() async throws {
    let store = MemoryCredentials()
    _ = try await store.write(StoredSignIn(.key, token: Secret("k")), for: Self.url)
    let scene = Scene(store: store)
    #expect(try await signed(scene.signer).bearer == "k")
    await #expect(throws: ToolError.server(.withheld(origin: "https://evil", .anotherHost(own: "tools.lan")))) {
      try await signed(scene.signer, "https://evil/mcp")
    }
    await #expect(throws: ToolError.server(.withheld(origin: "http://tools.lan:8000", .inTheClear))) {
      try await signed(scene.signer, "http://tools.lan:8000/mcp")
    }
  }

  @Test func `in the clear there is no signing in, and no token`() async throws {
    let url = "http://10.0.0.7:8000/mcp"
    let scene = Scene(url: url)
    let withheld = ToolError.inTheClear(origin: "http://10.0.0.7:8000")
    await #expect(throws: withheld) { try await scene.account.signIn(token: Secret("good")) }
    await #expect(throws: withheld) { try await scene.account.signIn(clientID: nil) }
    #expect(scene.http.requests.isEmpty)
  }

  @Test func `a token is tried before it is kept`() async throws {
    let store = MemoryCredentials()
    let scene = Scene(store: store)
    for word in ["bad", "with blank", ""] {
      await #expect(throws: ToolError.server(.signInRefused(address: "tools.lan", .wrongToken))) {
        try await scene.account.signIn(token: Secret(word))
      }
    }
    #expect(await !scene.account.hasSignIn())
    let signedIn = try await scene.account.signIn(token: Secret("good"))
    #expect(signedIn.place == .memory && signedIn.person.kind == .key)
    #expect(try await store.read(Self.url)?.token == Secret("good"))
    try await scene.account.signOut()
    #expect(try await store.read(Self.url) == nil && scene.http.requests.isEmpty)
  }

  @Test func `tokens are renewed by who gave them out, in a later run too`() async throws {
    let store = MemoryCredentials()
    _ = try await signIn(Scene(store: store))
    // Five of its sixty seconds are left: less than a tenth.
    var old = try #require(try await store.read(Self.url))
    old.expiresAt = TestTime.milliseconds + 5_000
    _ = try await store.write(old, for: Self.url)
    let later = Scene(store: store)
    #expect(try await signed(later.signer).bearer == "a2")
    let fields = try #require(later.requests("/token").first?.fields)
    #expect(fields["refresh_token"] == "r1" && fields["client_id"] == "c-1" && fields["resource"] == Self.url)
    #expect(later.http.requests.count == 1)
    let kept = try #require(try await store.read(Self.url))
    #expect(kept.refresh == Secret("r2") && kept.issuer == old.issuer)
  }

  @Test func `a token that the server refuses is renewed, and a sign-in that has ended is asked for`() async throws {
    let store = MemoryCredentials()
    _ = try await signIn(Scene(store: store))
    let scene = Scene(store: store)
    let request = try await signed(scene.signer)
    #expect(try await scene.signer.refused(request, Self.refusal()))
    #expect(try await signed(scene.signer).bearer == "a2")

    var ended = Site()
    ended.token = { _ in .json(#"{"error":"invalid_grant"}"#, status: 400) }
    let other = Scene(ended, store: store)
    let last = try await signed(other.signer)
    await #expect(throws: ToolError.signInNeeded(url: Self.url)) {
      try await other.signer.refused(last, Self.refusal())
    }
  }

  @Test func `more rights are asked for beside the old ones, twice and no more`() async throws {
    let scene = Scene()
    _ = try await signIn(scene)
    for (step, scope) in ["tools write", "tools write admin"].enumerated() {
      let word = ["write", "admin"][step]
      let request = try await signed(scene.signer)
      await #expect(throws: ToolError.signInNeeded(url: Self.url)) {
        try await scene.signer.refused(
          request, Self.refusal(403, #"Bearer error="insufficient_scope", scope="\#(word)""#))
      }
      // Of the metadata the challenge says nothing this time.
      let known = try #require(scene.signer.demand)
      #expect(known.lacksScope && known.metadata == nil)
      let (page, _) = try await signIn(scene)
      #expect(QueryItems(String(page.url.drop { $0 != "?" }.dropFirst()))["scope"] == scope)
    }
    let request = try await signed(scene.signer)
    await #expect(
      throws: ToolError.server(.refused(address: "tools.lan", status: 403, message: "it wants ever more rights"))
    ) {
      try await scene.signer.refused(request, Self.refusal(403, #"Bearer error="insufficient_scope", scope="all""#))
    }
  }

  @Test func `a 403 about something else is no sign-in`() async throws {
    let scene = Scene()
    let unsigned = try await signed(scene.signer)
    #expect(try await !scene.signer.refused(unsigned, Self.refusal(403, "")))
    _ = try await scene.account.signIn(token: Secret("good"))
    let request = try await signed(scene.signer)
    await #expect(throws: ToolError.server(.refused(address: "tools.lan", status: 403, message: ""))) {
      try await scene.signer.refused(request, Self.refusal(403, ""))
    }
  }

  @Test(arguments: [
    ("code=c&state=STATE&iss=https%3A%2F%2Fevil", "another identity provider answered"),
    ("code=c&state=STATE", "whoever answered does not say who they are"),
    ("error=access_denied&state=STATE&iss=https%3A%2F%2Fidp.lan", "access denied"),
    ("state=STATE&iss=https%3A%2F%2Fidp.lan", "the identity provider sent no code"),
  ])
  func `an answer that is not the issuer's, or has no code, signs nobody in`(answer: String, why: String) async throws {
    let scene = Scene()
    let signIn = try await scene.account.signIn(clientID: nil)
    let finishing = Task { () async throws(BackendError) in try await signIn.finish() }
    try await visit(signIn.url, answer)
    let result = await finishing.result
    #expect(reason(result.failure) == why)
    #expect(scene.requests("/token").isEmpty)
    #expect(await !scene.account.hasSignIn())
  }

  /// What is wrong with a site.
  struct Fault: Sendable, CustomTestStringConvertible {
    var resource: String?
    var metadata: (String, String)?
    var why: String

    var testDescription: String { why }
  }

  @Test(arguments: [
    Fault(
      resource: #"{"resource":"https://other.lan/mcp","authorization_servers":["https://idp.lan"]}"#,
      why: "the server describes another"),
    Fault(resource: "<html>", why: "the server is not described where it says that it is"),
    Fault(resource: #"{"resource":"https://tools.lan/mcp"}"#, why: "the server does not say who signs people in"),
    Fault(
      resource: #"{"resource":"https://tools.lan/mcp","authorization_servers":["https://idp.lan/"]}"#,
      why: "the authorization server calls itself by another name"),
    Fault(
      resource: #"{"resource":"https://tools.lan/mcp","authorization_servers":["http://127.0.0.1:631"]}"#,
      why: "it sends the sign-in to this machine"),
    Fault(
      resource: #"{"resource":"https://tools.lan/mcp","authorization_servers":["https://nobody.lan"]}"#,
      why: "the authorization server does not describe itself"),
    Fault(metadata: ("S256", "plain"), why: "the authorization server does not protect the code that it sends (PKCE)"),
    Fault(
      metadata: (#""registration_endpoint""#, #""x""#),
      why: "its sign-in takes only programs that it knows: a client id is needed"),
    Fault(metadata: ("https://idp.lan/token", "https://127.0.0.1/token"), why: "it sends the sign-in to this machine"),
    Fault(metadata: ("https://idp.lan/authorize", "file:///x"), why: "an address of its sign-in cannot be used"),
  ])
  func `a sign-in that cannot be trusted does not begin`(fault: Fault) async throws {
    var site = Site()
    if let resource = fault.resource { site.resource = resource }
    if let (old, new) = fault.metadata { site.metadata = site.metadata.replacing(old, with: new) }
    let scene = Scene(site)
    var why: String?
    do { _ = try await scene.account.signIn(clientID: nil) } catch { why = reason(error) }
    #expect(why == fault.why)
    #expect(scene.requests("/register").isEmpty && scene.requests("/authorize").isEmpty)
  }

  @Test func `an issuer in the clear is told, and not asked`() async throws {
    var site = Site()
    site.metadata = site.metadata.replacing("https://idp.lan/token", with: "http://idp.lan/token")
    let scene = Scene(site)
    await #expect(throws: ToolError.inTheClear(origin: "http://idp.lan")) {
      try await scene.account.signIn(clientID: nil)
    }
  }

  @Test func `what the person registered us as is used, and nobody is asked to register`() async throws {
    let scene = Scene()
    let (signIn, _) = try await signIn(scene, clientID: "mine")
    #expect(signIn.url.contains("client_id=mine") && scene.requests("/register").isEmpty)
    #expect(scene.requests("/token").first?.fields["client_id"] == "mine")
  }

  @Test func `an issuer that still knows us is not asked to register us again`() async throws {
    let scene = Scene()
    _ = try await signIn(scene)
    _ = try await signIn(scene)
    #expect(scene.requests("/register").count == 1)
    var strict = Site()
    strict.page = { _ in .json(#"{"error":"invalid_request"}"#, status: 400) }
    let store = MemoryCredentials()
    _ = try await signIn(Scene(store: store))
    let other = Scene(strict, store: store)
    _ = try await other.account.signIn(clientID: nil)
    #expect(other.requests("/register").count == 1)
  }

  @Test(arguments: [
    (#"{"error":"invalid_grant"}"#, 400, BackendError.notSignedIn("tools.lan", "invalid grant")),
    (#"{"error":"code c-9 is \u001b[31mstale"}"#, 400, .notSignedIn("tools.lan", "the identity provider refused")),
    (
      #"{"access_token":"a1","token_type":"DPoP"}"#, 200,
      .malformed(address: "idp.lan", detail: "a token of another kind")
    ),
    (#"{"token_type":"bearer"}"#, 200, .malformed(address: "idp.lan", detail: "no token")),
  ])
  func `a code that brings no token signs nobody in`(answer: String, status: Int, error: BackendError) async throws {
    var site = Site()
    site.token = { _ in .json(answer, status: status) }
    let scene = Scene(site)
    await #expect(throws: error) { try await signIn(scene) }
    #expect(await !scene.account.hasSignIn())
  }

  @Test func `who signs out gives the tokens back`() async throws {
    let store = MemoryCredentials()
    let scene = Scene(store: store)
    _ = try await signIn(scene)
    try await scene.account.signOut()
    let fields = try #require(scene.requests("/revoke").first?.fields)
    #expect(fields["token"] == "r1" && fields["token_type_hint"] == "refresh_token" && fields["client_id"] == "c-1")
    #expect(try await store.read(Self.url) == nil)
    #expect(try await signed(scene.signer).bearer == nil)
  }

  @Test func `our secrets are taken out of what a server says`() async throws {
    let scene = Scene()
    _ = try await signIn(scene)
    let words = String(decoding: scene.signer.masked(Array("not a1 nor r1".utf8)), as: UTF8.self)
    #expect(words == "not <secret> nor <secret>")
  }

  @Test func `a server of the older kind is its own authority`() async throws {
    let metadata = Self.metadata.replacing("https://idp.lan", with: "https://tools.lan")
    let http = SiteHTTP { request in
      request.url == "https://tools.lan/.well-known/oauth-authorization-server" ? .json(metadata) : .notFound
    }
    let endpoint = SignIns().toolEndpoint(Server(name: "t", kind: "mcp", url: Self.url), http, Timeouts())
    let (resource, authority) = try await SignInDiscovery(endpoint: endpoint).look(for: ResourceDemand(url: Self.url))
    #expect(resource.url == Self.url && authority.issuer == "https://tools.lan")
    #expect(
      http.requests.map(\.url) == [
        "https://tools.lan/.well-known/oauth-protected-resource/mcp",
        "https://tools.lan/.well-known/oauth-protected-resource",
        "https://tools.lan/.well-known/oauth-authorization-server",
      ])
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

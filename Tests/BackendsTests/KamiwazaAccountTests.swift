import Chat
import Testing
import Transport
import Wire

@testable import Backends

struct KamiwazaAccountTests {
  private func account(
    _ signIn: StoredSignIn?, store: MemoryCredentials = MemoryCredentials(), server: Server = .kamiwaza,
    _ http: any HTTP
  ) async throws -> KamiwazaAccount {
    let signIns = try await SignIns.holding(signIn, for: server, store: store)
    return KamiwazaAccount(signIns.endpoint(server, http, Timeouts()))
  }

  // What stands before a sign-in.

  @Test func `the gate shows what must be agreed to and which ways in there are`() async throws {
    let http = SiteHTTP { request in
      switch request.line {
      case "GET /auth/health": .json(#"{"status":"healthy","KAMIWAZA_USE_AUTH":true}"#)
      case "GET /security/public/config":
        .json(
          #"{"consent_enabled":true,"consent_content":"<h1>Notice</h1><p>Be &lt;good&gt; &amp;\n kind.</p><script>x()</script><ul><li>One</li></ul>","consent_button_label":"I agree","banner_enabled":true,"banner_top_text":"<b>SECRET</b>","banner_bottom_text":null,"new":1}"#
        )
      default:
        .json(
          #"{"providers":[{"alias":"google","providerId":"google","displayName":"Google","enabled":true},{"alias":"old","display_name":"Old"},{"alias":"off","enabled":false},{"enabled":true}],"idp_management_enabled":true}"#
        )
      }
    }
    let gate = try await account(nil, http).gate()
    #expect(
      gate
        == Gate(
          needsSignIn: true, consent: .init(text: "Notice\n\nBe <good> & kind.\n\nOne", button: "I agree"),
          banner: ["SECRET"], takesPassword: true, takesToken: true,
          providers: [.init(alias: "google", name: "Google"), .init(alias: "old", name: "Old")], rememberFor: 8_640_000)
    )
    #expect(http.requests.allSatisfy { $0.bearer == nil })
  }

  @Test func `nothing but the server's health is needed to get through the gate`() async throws {
    let http = SiteHTTP {
      $0.line == "GET /auth/health" ? .json(#"{"KAMIWAZA_USE_AUTH":true}"#) : .failure(.closedEarly(""))
    }
    #expect(try await account(nil, http).gate() == Gate(needsSignIn: true, takesPassword: true, rememberFor: 8_640_000))
    let away = SiteHTTP { _ in .failure(.refused) }
    await #expect(throws: BackendError.unreachable(address: "kz.lan", reason: .refused)) {
      try await account(nil, away).gate()
    }
  }

  @Test func `a server without users asks for nobody`() async throws {
    let http = SiteHTTP { $0.line == "GET /auth/health" ? .json(#"{"KAMIWAZA_USE_AUTH":false}"#) : .notFound }
    #expect(try await account(nil, http).gate() == Gate(needsSignIn: false))
  }

  // Passwords.

  private static let me = #"{"username":"ann","sub":"u-1","email":"ann@kz.lan","roles":["user"],"groups":null}"#

  @Test func `a password is sent once, as a form, and its tokens are kept`() async throws {
    let store = MemoryCredentials()
    let http = SiteHTTP {
      $0.line == "POST /auth/token" ? .tokens("access", refresh: "refresh", lifetime: 600) : .json(Self.me)
    }
    let signedIn = try await account(nil, store: store, http).signIn(name: "ann", password: Secret("p+&=ä w"))
    #expect(
      signedIn
        == SignedIn(
          person: Person(
            name: "ann", email: "ann@kz.lan", roles: ["user"], expiresAt: TestTime.milliseconds + 600_000,
            kind: .session), place: .memory))
    let request = http.requests[0]
    #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
    let fields = ["grant_type", "username", "password", "scope", "client_id"].map { request.fields[$0] }
    #expect(fields == ["password", "ann", "p+&=ä w", "openid email profile offline_access", "kamiwaza-platform"])
    #expect(request.bearer == nil && http.requests[1].bearer == "access")
    #expect(try await store.read(Server.kamiwaza.url)?.lifetime == 600)
  }

  @Test func `a server that does not know offline access is asked without`() async throws {
    let http = SiteHTTP { request in
      guard request.line == "POST /auth/token" else { return .json(Self.me) }
      return request.fields["scope"] == "openid email profile"
        ? .tokens("access") : .json(#"{"error":"invalid_scope"}"#, status: 400)
    }
    #expect(try await account(nil, http).signIn(name: "ann", password: Secret("p")).person.name == "ann")
  }

  private static let refusals: [(Int, String, BackendError)] = [
    (401, #"{"detail":"Invalid credentials"}"#, .signInRefused(address: "kz.lan", .wrongPassword)),
    (
      400, #"{"error":"invalid_grant","error_description":"Invalid user credentials"}"#,
      .signInRefused(address: "kz.lan", .wrongPassword)
    ),
    (
      400, #"{"error":"invalid_grant","error_description":"Account disabled"}"#,
      .signInRefused(address: "kz.lan", .disabled)
    ),
    (403, "{}", .signInRefused(address: "kz.lan", .disabled)),
    (423, "{}", .signInRefused(address: "kz.lan", .locked)),
    (429, "{}", .rateLimited(address: "kz.lan", message: "", retryAfter: nil)),
    (400, #"{"detail":"Rate limit exceeded"}"#, .rateLimited(address: "kz.lan", message: "", retryAfter: nil)),
    (502, "<html>", .signInRefused(address: "kz.lan", .providerDown)),
    (503, "no healthy upstream", .signInRefused(address: "kz.lan", .providerDown)),
    (401, #"{"error":"unauthorized_client"}"#, .signInRefused(address: "kz.lan", .noPasswords)),
    (400, #"{"detail":{"error":"unauthorized_client"}}"#, .signInRefused(address: "kz.lan", .noPasswords)),
    (500, #"{"detail":"oops"}"#, .refused(address: "kz.lan", status: 500, message: "")),
    (200, "{}", .malformed(address: "kz.lan", detail: "no token")),
  ]

  @Test(arguments: refusals)
  func `a refused password is told by its meaning, and never sent again`(
    status: Int, body: String, expected: BackendError
  ) async throws {
    let http = SiteHTTP { _ in .json(body, status: status) }
    let account = try await account(nil, http)
    await #expect(throws: expected) { try await account.signIn(name: "ann", password: Secret("p")) }
    #expect(http.lines == ["POST /auth/token"])
    #expect(await !account.hasSignIn())
  }

  @Test func `no password goes out in the clear without leave`() async throws {
    let server = Server(name: "kz", kind: "kamiwaza", url: "http://kz.lan/api")
    let http = SiteHTTP { _ in .json("{}") }
    let account = try await account(nil, server: server, http)
    await #expect(throws: BackendError.withheld(origin: "http://kz.lan", .inTheClear)) {
      try await account.signIn(name: "ann", password: Secret("p"))
    }
    await #expect(throws: BackendError.withheld(origin: "http://kz.lan", .inTheClear)) {
      try await account.signIn(token: Secret("t"))
    }
    #expect(http.requests.isEmpty)
  }

  // Tokens.

  @Test func `a token is kept when the server takes it somewhere`() async throws {
    let token = jwt(#"{"exp":1790000000,"preferred_username":"ann"}"#)
    let store = MemoryCredentials()
    let http = SiteHTTP { $0.line == "GET /whoami" ? .json(#"{"user_id":"u-1"}"#) : .json("{}", status: 403) }
    let signedIn = try await account(nil, store: store, http).signIn(token: Secret(token))
    #expect(signedIn.person == Person(name: "ann", expiresAt: 1_790_000_000_000, kind: .key))
    #expect(try await store.read(Server.kamiwaza.url)?.token == Secret(token))
    #expect(http.lines.prefix(3) == ["GET /auth/pats", "GET /auth/users/me", "GET /whoami"])
  }

  @Test(arguments: ["refused", "with blank", "", "line\nend", "ümlaut"])
  func `a token that is not taken is not kept`(token: String) async throws {
    let http = SiteHTTP { _ in .json("{}", status: 401) }
    let account = try await account(nil, http)
    await #expect(throws: BackendError.signInRefused(address: "kz.lan", .wrongToken)) {
      try await account.signIn(token: Secret(token))
    }
    #expect(await !account.hasSignIn())
    #expect(http.requests.isEmpty == (token != "refused"))
  }

  // Who it is.

  @Test func `a name from signing in stands for the subject that a device's token shows`() async throws {
    let signIn = StoredSignIn(.device, token: Secret("pat"), username: "ann")
    let id = "6f0c2c1e-0f0a-4d11-9d0e-000000000001"
    let http = SiteHTTP { _ in .json(#"{"username":"\#(id)","sub":"\#(id)","roles":["user"]}"#) }
    #expect(try await account(signIn, http).person() == Person(name: "ann", roles: ["user"], kind: .device))
  }

  @Test func `a server that knows no users may still know who asks`() async throws {
    let http = SiteHTTP {
      $0.line == "GET /whoami" ? .json(#"{"userId":"u-1","roles":[{"name":"admin"}]}"#) : .json("{}", status: 401)
    }
    let signIn = StoredSignIn(.key, token: Secret("k"))
    #expect(try await account(signIn, http).person() == Person(name: "u-1", roles: ["admin"], kind: .key))
    let nobody = SiteHTTP { _ in .json("{}", status: 401) }
    await #expect(throws: BackendError.unauthorized(address: "kz.lan", message: "")) {
      try await account(signIn, nobody).person()
    }
  }

  // Devices.

  private func remembering(_ policy: ScriptedHTTP.Reply, pat: String = "pat", works: Bool = true) -> SiteHTTP {
    SiteHTTP { request in
      switch request.line {
      case "GET /auth/pat-config": policy
      case "POST /auth/pats":
        .json(#"{"token":"\#(pat)","pat":{"id":"1","jti":"pat/77","owner_id":"u","exp":1790000000,"revoked":false}}"#)
      default: .json("{}", status: works ? 200 : 401)
      }
    }
  }

  private static let policies: [(ScriptedHTTP.Reply, String, String?)] = [
    (.notFound, "8640000", nil),
    (
      .json(#"{"default_scope":"user","ttl":{"default_seconds":60,"min_seconds":10,"max_seconds":2592000}}"#),
      "2592000", "user"
    ),
    (.json(#"{"defaultScope":"user","ttl":{"maxSeconds":null,"minSeconds":9000000}}"#), "9000000", "user"),
  ]

  @Test(arguments: policies)
  func `a device's token is asked for in the query and in the body, for as long as may be`(
    policy: ScriptedHTTP.Reply, seconds: String, scope: String?
  ) async throws {
    let store = MemoryCredentials()
    let http = remembering(policy)
    let account = try await account(.session("old", endsIn: 200), store: store, http)
    let remembered = try await account.remember(as: "parley on böx")
    #expect(remembered == Remembered(expiresAt: 1_790_000_000_000, place: .memory))
    let request = try #require(http.requests("POST /auth/pats").first)
    let names = ["name", "ttl_seconds", "scope", "aud"]
    #expect(names.map { request.query[$0] } == ["parley on böx", seconds, scope, "kamiwaza-platform"])
    #expect(request.json?["ttl_seconds"]?.int == Int(seconds) && request.json?["name"] == "parley on böx")
    #expect(request.json?["scope"]?.string == scope && request.json?["aud"] == "kamiwaza-platform")
    let kept = try await store.read(Server.kamiwaza.url)
    #expect(kept?.kind == .device && kept?.token == Secret("pat") && kept?.tokenID == "pat/77" && kept?.refresh == nil)
    #expect(kept?.username == "ann")
  }

  @Test func `a server that tells no limit and refuses the wish is asked for a token as long as it likes`() async throws
  {
    let made = remembering(.notFound)
    let http = SiteHTTP { request in
      request.line == "POST /auth/pats" && request.query["ttl_seconds"] != nil
        ? .json(#"{"detail":"ttl_seconds must be at most 7776000"}"#, status: 400) : await made.reply(to: request)
    }
    let remembered = try await account(.session("old", endsIn: 200), http).remember(as: "x")
    #expect(remembered.expiresAt == 1_790_000_000_000)
    let asked = http.requests.filter { $0.line == "POST /auth/pats" }
    #expect(asked.map { $0.query["ttl_seconds"] } == ["8640000", nil])
    #expect(asked.map { $0.json?["ttl_seconds"]?.int } == [8_640_000, nil])
  }

  @Test func `a server that told its limit is not asked twice`() async throws {
    let made = remembering(.json(#"{"ttl":{"max_seconds":60}}"#))
    let http = SiteHTTP { request in
      request.line == "POST /auth/pats" ? .json(#"{"detail":"no"}"#, status: 400) : await made.reply(to: request)
    }
    await #expect(throws: BackendError.refused(address: "kz.lan", status: 400, message: "no")) {
      try await account(.session("old", endsIn: 200), http).remember(as: "x")
    }
    #expect(http.requests.count { $0.line == "POST /auth/pats" } == 1)
  }

  @Test func `roles that the device's token lacks are told`() async throws {
    let session = jwt(#"{"realm_access":{"roles":["user","admin"]}}"#)
    let http = remembering(.notFound, pat: jwt(#"{"roles":["user"]}"#))
    #expect(try await account(.session(session, endsIn: 200), http).remember(as: "x").missingRoles == ["admin"])
  }

  @Test func `a device's token that the server does not take leaves the session in its place`() async throws {
    let store = MemoryCredentials()
    let http = remembering(.notFound, works: false)
    let account = try await account(.session("old", endsIn: 200), store: store, http)
    await #expect(throws: BackendError.signInRefused(address: "kz.lan", .wrongToken)) {
      try await account.remember(as: "x")
    }
    #expect(try await store.read(Server.kamiwaza.url)?.token == Secret("old"))
  }

  @Test func `a device's token that is of no use is revoked, by whoever asked for it`() async throws {
    let works = remembering(.notFound, works: false)
    let http = SiteHTTP { request in
      request.bearer == "pat" ? .json("{}", status: 401) : await works.reply(to: request)
    }
    let account = try await account(.session("old", endsIn: 200), http)
    await #expect(throws: BackendError.signInRefused(address: "kz.lan", .wrongToken)) {
      try await account.remember(as: "x")
    }
    let revoked = http.requests.filter { $0.method == "DELETE" }
    #expect(revoked.first?.url == "https://kz.lan/api/auth/pats/pat%2F77" && revoked.first?.bearer == "old")
  }

  @Test func `who gives up while a device's token is tried out leaves none alive`() async throws {
    let gathering = Gathering(1)
    let site = remembering(.notFound)
    let http = SiteHTTP { request in
      if request.line == "GET /auth/pats" {
        await gathering.wait()
        return .failure(.cancelled)
      }
      return Task.isCancelled ? .failure(.cancelled) : await site.reply(to: request)
    }
    let account = try await account(.session("old", endsIn: 200), http)
    let remembering = Task { () async throws(BackendError) in try await account.remember(as: "x") }
    while await !gathering.isFull { await Task.yield() }
    remembering.cancel()
    await gathering.release()
    await #expect(throws: BackendError.cancelled) { try await remembering.value }
    #expect(site.requests.last?.method == "DELETE")
  }

  @Test func `a device that could not be kept between runs is told so`() async throws {
    let http = remembering(.notFound)
    let store = try await FickleCredentials(.session("old", endsIn: 200))
    let account = KamiwazaAccount(SignIns(store, clock: TestTime().source).endpoint(.kamiwaza, http, Timeouts()))
    #expect(await account.hasSignIn())
    await store.beLocked { _ in }
    let remembered = try await account.remember(as: "x")
    #expect(remembered.place == .memory && remembered.problem == FickleCredentials.locked)
  }

  private static let replacing: [(CredentialPlace, Int, [String?])] = [
    (.file("/c"), 200, ["pat"]),
    // A device's token may not revoke itself everywhere.
    (.file("/c"), 403, ["pat", "new"]),
    // A run that keeps nothing leaves what the next one needs.
    (.memory, 200, []),
  ]

  @Test(arguments: replacing)
  func `the device's token that a new sign-in takes the place of is revoked after it works`(
    place: CredentialPlace, status: Int, revokedBy: [String?]
  ) async throws {
    let http = SiteHTTP { request in
      if request.method == "DELETE" { return .json("{}", status: status) }
      return request.line == "POST /auth/token" ? .tokens("new") : .json(Self.me)
    }
    let store = try await FickleCredentials(Self.device, place: place)
    let account = KamiwazaAccount(SignIns(store, clock: TestTime().source).endpoint(.kamiwaza, http, Timeouts()))
    #expect(try await account.signIn(name: "ann", password: Secret("p")).place == place)
    #expect(http.requests.filter { $0.method == "DELETE" }.map(\.bearer) == revokedBy)
    #expect(http.lines.first == "POST /auth/token")
  }

  @Test func `a sign-in that does not work revokes nothing`() async throws {
    let http = SiteHTTP { _ in .json("{}", status: 401) }
    let store = try await FickleCredentials(Self.device, place: .file("/c"))
    let account = KamiwazaAccount(SignIns(store, clock: TestTime().source).endpoint(.kamiwaza, http, Timeouts()))
    await #expect(throws: BackendError.self) { try await account.signIn(name: "ann", password: Secret("p")) }
    #expect(http.lines == ["POST /auth/token"])
  }

  private static let limits: [(ScriptedHTTP.Reply, Result<Int?, BackendError>)] = [
    (.json(#"{"ttl":{"max_seconds":2592000}}"#), .success(2_592_000)), (.json("{}"), .success(8_640_000)),
    (.notFound, .success(8_640_000)), (.json("{}", status: 405), .success(8_640_000)),
    (.json("{}", status: 403), .success(nil)),
    (.json("{}", status: 401), .failure(.unauthorized(address: "kz.lan", message: ""))),
    (.json("{}", status: 500), .failure(.refused(address: "kz.lan", status: 500, message: ""))),
  ]

  @Test(arguments: limits)
  func `how long a device may be remembered is the server's to say`(
    reply: ScriptedHTTP.Reply, expected: Result<Int?, BackendError>
  ) async throws {
    let account = try await account(StoredSignIn(.key, token: Secret("k")), SiteHTTP { _ in reply })
    let limit = await settled { () async throws(BackendError) in try await account.rememberLimit() }
    #expect(limit == expected)
  }

  @Test func `a device's token is asked for once, whatever comes`() async throws {
    for status in [401, 429, 500, 503] {
      let http = SiteHTTP { request in
        switch request.line {
        case "POST /auth/pats": .json("{}", status: status)
        case "POST /auth/refresh": .tokens("new")
        default: .notFound
        }
      }
      let account = try await account(.session("old", endsIn: 200), http)
      await #expect(throws: BackendError.self) { try await account.remember(as: "x") }
      #expect(http.requests("POST /auth/pats").count == 1)
    }
  }

  // The way out.

  private static let device = StoredSignIn(.device, token: Secret("pat"), tokenID: "pat/77")

  @Test func `the device's token is revoked before the session ends`() async throws {
    let store = MemoryCredentials()
    let http = SiteHTTP {
      $0.method == "DELETE" ? .json("{}") : .json(#"{"front_channel_logout_url":"https://idp/out"}"#)
    }
    let account = try await account(Self.device, store: store, http)
    #expect(try await account.signOut() == SignedOut(revokedDevice: true, page: "https://idp/out"))
    #expect(http.requests.map(\.url) == ["https://kz.lan/api/auth/pats/pat%2F77", "https://kz.lan/api/auth/logout"])
    #expect(http.requests.map(\.bearer) == ["pat", "pat"] && http.requests[1].json == [:])
    #expect(try await store.read(Server.kamiwaza.url) == nil)
  }

  private static let farewells: [(ScriptedHTTP.Reply, ScriptedHTTP.Reply, SignedOut, Int)] = [
    (.json("{}"), .json("{}", status: 401), SignedOut(revokedDevice: true), 2),
    (.notFound, .json("{}"), SignedOut(revokedDevice: true), 2),
    (
      .json("{}", status: 500), .json("{}"),
      SignedOut(left: .refused(address: "kz.lan", status: 500, message: "")), 2
    ),
    (.failure(.refused), .json("{}"), SignedOut(left: .unreachable(address: "kz.lan", reason: .refused)), 1),
    (
      .json("{}"), .failure(.connectTimeout),
      SignedOut(left: .timedOut(address: "kz.lan", .connect, seconds: 10), revokedDevice: true), 2
    ),
  ]

  @Test(arguments: farewells)
  func `nothing is kept after signing out, and what the server did not take back is told`(
    revoke: ScriptedHTTP.Reply, logout: ScriptedHTTP.Reply, expected: SignedOut, requests: Int
  ) async throws {
    let store = MemoryCredentials()
    let http = SiteHTTP { $0.method == "DELETE" ? revoke : logout }
    let account = try await account(Self.device, store: store, http)
    #expect(try await account.signOut() == expected)
    #expect(http.requests.count == requests)
    #expect(try await store.read(Server.kamiwaza.url) == nil)
    #expect(await !account.hasSignIn())
  }

  @Test func `signing out forgets even when the store fails, and says so`() async throws {
    let http = SiteHTTP { _ in .json("{}") }
    let endpoint = SignIns(BrokenCredentials()).endpoint(.kamiwaza, http, Timeouts())
    _ = await endpoint.bearer.keep(Self.device)
    await #expect(throws: BrokenCredentials.failure) { try await KamiwazaAccount(endpoint).signOut() }
    #expect(await !endpoint.bearer.hasSignIn)
    #expect(http.requests.count == 2)
  }

  @Test func `who cannot be read is erased all the same, and that nothing was revoked is told`() async throws {
    let store = try await FickleCredentials(Self.device)
    await store.fail(BrokenCredentials.failure)
    let http = SiteHTTP { _ in .json("{}") }
    let account = KamiwazaAccount(SignIns(store).endpoint(.kamiwaza, http, Timeouts()))
    #expect(try await account.signOut() == SignedOut(left: .credentials(BrokenCredentials.failure)))
    await store.fail(nil)
    #expect(try await store.read(Server.kamiwaza.url) == nil)
    #expect(http.requests.isEmpty)
  }
}

@Suite struct SignOutWithoutLeaveTests {
  @Test func `a sign-out renews nothing where the sign-in may not go`() async throws {
    let server = Server(name: "kz", kind: "kamiwaza", url: "http://kz.example:8000/api")
    let http = SiteHTTP { _ in .tokens("new") }
    let store = MemoryCredentials()
    _ = try await store.write(.session("old", endsIn: -5), for: server.url)
    let backend = try #require(
      Backends.make(server, http: http, signIns: SignIns(store, clock: TestTime().source)))
    let signedOut = try await #require(backend.account).signOut()
    #expect(http.requests.isEmpty)
    #expect(signedOut.left == .withheld(origin: "http://kz.example:8000", .inTheClear))
    #expect(try await store.read(server.url) == nil)
  }
}

struct KeyAccountTests {
  private let server = Server(name: "s", kind: "openai", url: "https://gpu/v1")

  @Test func `a key is tried with the list of models and kept`() async throws {
    let store = MemoryCredentials()
    let http = SiteHTTP { .json(#"{"data":[]}"#, status: $0.bearer == "good" ? 200 : 401) }
    let backend = try #require(Backends.make(server, http: http, signIns: SignIns(store)))
    let account = try #require(backend.account)
    #expect(try await account.gate() == Gate(needsSignIn: true, takesToken: true))
    await #expect(throws: BackendError.signInRefused(address: "gpu", .wrongToken)) {
      try await account.signIn(token: Secret("bad"))
    }
    #expect(await !account.hasSignIn())
    let signedIn = try await account.signIn(token: Secret("good"))
    #expect(signedIn == SignedIn(person: Person(name: "key", kind: .key), place: .memory))
    #expect(try await backend.models() == [])
    _ = try await account.signOut()
    #expect(try await store.read(server.url) == nil)
    // Without a key it is nobody, which many a server does not mind.
    #expect(try await account.person() == Person(name: "nobody"))
    await #expect(throws: BackendError.signInRefused(address: "gpu", .noPasswords)) {
      try await account.signIn(name: "ann", password: Secret("p"))
    }
  }
}

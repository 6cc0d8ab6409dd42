import Chat
import Testing
import Transport

@testable import Backends

struct BearerTests {
  private let data = #"{"data":[]}"#

  private func endpoint(_ signIns: SignIns, _ http: any HTTP, _ server: Server = .kamiwaza) -> Endpoint {
    signIns.endpoint(server, http, Timeouts())
  }

  private func statuses(_ endpoint: Endpoint, _ count: Int) async -> [Int] {
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<count {
        group.addTask {
          do throws(BackendError) { return try await endpoint.get("https://kz.lan/api/x").status } catch { return 0 }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `fifty requests at the end of a token's life renew it once`() async throws {
    let http = SiteHTTP { request in
      if request.line == "POST /auth/refresh" {
        for _ in 0..<50 { await Task.yield() }
        return .tokens("new", refresh: "refresh-2")
      }
      return .json("{}", status: request.bearer == "new" ? 200 : 401)
    }
    let store = MemoryCredentials()
    let signIns = try await SignIns.holding(.session("old", endsIn: 5), store: store)
    #expect(await statuses(endpoint(signIns, http), 50) == Array(repeating: 200, count: 50))
    #expect(http.requests("POST /auth/refresh").map { $0.query["refresh_token"] } == ["refresh-1"])
    #expect(http.requests.count == 51)
    let kept = try await store.read(Server.kamiwaza.url)
    #expect(kept?.token == Secret("new") && kept?.refresh == Secret("refresh-2") && kept?.username == "ann")
    #expect(kept?.expiresAt == TestTime.milliseconds + 300_000 && kept?.kind == .session)
  }

  @Test func `two runs with one store spend a refresh token once`() async throws {
    let http = SiteHTTP { request in
      if request.line == "POST /auth/refresh" {
        for _ in 0..<50 { await Task.yield() }
        return request.query["refresh_token"] == "refresh-1"
          ? .tokens("new", refresh: "refresh-2") : .json("{}", status: 400)
      }
      return .json("{}", status: request.bearer == "new" ? 200 : 401)
    }
    let store = MemoryCredentials()
    let one = endpoint(try await .holding(.session("old", endsIn: 5), store: store), http)
    let other = endpoint(try await .holding(nil, store: store), http)
    async let first = statuses(one, 10)
    async let second = statuses(other, 10)
    #expect(await first + second == Array(repeating: 200, count: 20))
    #expect(http.requests("POST /auth/refresh").count == 1)
  }

  @Test func `a storm of refusals sends each request once more and no oftener`() async throws {
    let gathering = Gathering(20)
    let http = SiteHTTP { request in
      if request.line == "POST /auth/refresh" { return .tokens("new") }
      if request.bearer == "old" { await gathering.wait() }
      return .json("{}", status: 401)
    }
    let endpoint = endpoint(try await .holding(.session("old", endsIn: 200)), http)
    async let answers = statuses(endpoint, 20)
    while await !gathering.isFull { await Task.yield() }
    await gathering.release()
    #expect(await answers == Array(repeating: 401, count: 20))
    #expect(http.requests("GET /x").map(\.bearer).filter { $0 == "old" }.count == 20)
    #expect(http.requests("GET /x").map(\.bearer).filter { $0 == "new" }.count == 20)
    #expect(http.requests("POST /auth/refresh").count == 1)
  }

  @Test(arguments: [(31, 0), (30, 0), (29, 1), (0, 1), (-100, 1)])
  func `a token is renewed when little of its life is left`(seconds: Int, renewals: Int) async throws {
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .tokens("new") : .json("{}") }
    _ = await statuses(endpoint(try await .holding(.session("old", endsIn: seconds)), http), 1)
    #expect(http.requests("POST /auth/refresh").count == renewals)
  }

  @Test func `a short life is used to its last tenth`() async throws {
    var signIn = StoredSignIn.session("old", endsIn: 5)
    signIn.lifetime = 40
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .tokens("new") : .json("{}") }
    _ = await statuses(endpoint(try await .holding(signIn), http), 1)
    #expect(http.lines == ["GET /x"])
  }

  @Test func `an answer without a refresh token keeps the old one`() async throws {
    let store = MemoryCredentials()
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .tokens("new") : .json("{}") }
    _ = await statuses(endpoint(try await .holding(.session("old", endsIn: 5), store: store), http), 1)
    #expect(try await store.read(Server.kamiwaza.url)?.refresh == Secret("refresh-1"))
  }

  @Test func `a refresh token that is refused is not tried again, and the refusal is told`() async throws {
    let http = SiteHTTP {
      $0.line == "POST /auth/refresh"
        ? .json(#"{"detail":"refresh-1 is stale"}"#, status: 401) : .json("{}", status: 401)
    }
    let endpoint = endpoint(try await .holding(.session("old", endsIn: -5)), http)
    for _ in 0..<3 {
      await #expect(throws: BackendError.unauthorized(address: "kz.lan", message: "")) {
        try await endpoint.get("https://kz.lan/api/x")
      }
    }
    #expect(http.lines == ["POST /auth/refresh"])
  }

  @Test func `without a network the sign-in stays`() async throws {
    let store = MemoryCredentials()
    let http = SiteHTTP { _ in .failure(.refused) }
    let endpoint = endpoint(try await .holding(.session("old", endsIn: -5), store: store), http)
    await #expect(throws: BackendError.unreachable(address: "kz.lan", reason: .refused)) {
      try await endpoint.get("https://kz.lan/api/x")
    }
    #expect(try await store.read(Server.kamiwaza.url)?.token == Secret("old"))
    #expect(await endpoint.bearer.hasSignIn)
  }

  @Test func `what cannot be renewed is used while it lasts`() async throws {
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .json("busy", status: 503) : .json("{}") }
    #expect(await statuses(endpoint(try await .holding(.session("old", endsIn: 5)), http), 1) == [200])
    #expect(http.requests.last?.bearer == "old")
  }

  @Test func `somebody who signed in again elsewhere is seen after a refusal`() async throws {
    let store = MemoryCredentials()
    let http = SiteHTTP { .json("{}", status: $0.bearer == "newer" ? 200 : 401) }
    let endpoint = endpoint(try await .holding(StoredSignIn(.key, token: Secret("old")), store: store), http)
    #expect(await statuses(endpoint, 1) == [401])
    _ = try await store.write(StoredSignIn(.key, token: Secret("newer")), for: Server.kamiwaza.url)
    #expect(await statuses(endpoint, 1) == [200])
  }

  @Test func `who signs out while a token is renewed stays signed out`() async throws {
    let store = MemoryCredentials()
    let gathering = Gathering(1)
    let http = SiteHTTP { request in
      guard request.line == "POST /auth/refresh" else { return .json("{}") }
      await gathering.wait()
      return .tokens("new")
    }
    let endpoint = endpoint(try await .holding(.session("old", endsIn: -5), store: store), http)
    async let asked = statuses(endpoint, 1)
    while await !gathering.isFull { await Task.yield() }
    async let forgotten: Void = endpoint.bearer.forget()
    while await endpoint.bearer.hasSignIn { await Task.yield() }
    await gathering.release()
    try await forgotten
    _ = await asked
    #expect(try await store.read(Server.kamiwaza.url) == nil)
    #expect(await !endpoint.bearer.hasSignIn)
  }

  @Test func `a request that is given up does not end the renewal of the others`() async throws {
    let gathering = Gathering(1)
    let http = SiteHTTP { request in
      guard request.line == "POST /auth/refresh" else { return .json("{}") }
      await gathering.wait()
      return .tokens("new")
    }
    let endpoint = endpoint(try await .holding(.session("old", endsIn: -5)), http)
    let given = Task { () async throws(BackendError) in try await endpoint.get("https://kz.lan/api/x").status }
    while await !gathering.isFull { await Task.yield() }
    given.cancel()
    await #expect(throws: BackendError.cancelled) { try await given.value }
    async let other = statuses(endpoint, 1)
    await gathering.release()
    #expect(await other == [200])
    #expect(http.requests("POST /auth/refresh").count == 1)
    #expect(http.requests.last?.bearer == "new")
  }

  @Test func `the end of a run waits for a renewal that nobody waits for any more`() async throws {
    let gathering = Gathering(1)
    let http = SiteHTTP { request in
      guard request.line == "POST /auth/refresh" else { return .json("{}") }
      await gathering.wait()
      return .tokens("new", refresh: "refresh-2")
    }
    let store = MemoryCredentials()
    _ = try await store.write(.session("old", endsIn: -5), for: Server.kamiwaza.url)
    let signIns = SignIns(store, clock: TestTime().source)
    let endpoint = endpoint(signIns, http)
    let given = Task { () async throws(BackendError) in try await endpoint.get("https://kz.lan/api/x").status }
    while await !gathering.isFull { await Task.yield() }
    given.cancel()
    await #expect(throws: BackendError.cancelled) { try await given.value }
    async let finished: Void = endpoint.bearer.finishRenewal()
    await gathering.release()
    await finished
    #expect(try await store.read(Server.kamiwaza.url)?.refresh == Secret("refresh-2"))
  }

  @Test func `a store that cannot be read may have a sign-in, so nothing is asked as nobody`() async throws {
    let http = SiteHTTP { .json("{}", status: $0.bearer == "k" ? 200 : 401) }
    let store = try await FickleCredentials(StoredSignIn(.key, token: Secret("k")))
    let mute = CredentialError.program(name: "secret-tool", reason: "no answer within 3 s")
    await store.fail(mute)
    let endpoint = endpoint(SignIns(store, clock: TestTime().source), http)
    await #expect(throws: BackendError.credentials(mute)) { try await endpoint.get("https://kz.lan/api/x") }
    #expect(await endpoint.bearer.hasSignIn)
    #expect(http.requests.isEmpty)
    #expect(try await endpoint.get("https://kz.lan/api/x", signed: .not).status == 401)
    // Nothing of it is held for good.
    await store.fail(nil)
    #expect(await statuses(endpoint, 1) == [200])
  }

  @Test func `a key of the environment needs no store`() async throws {
    let http = SiteHTTP { _ in .json("{}") }
    let key = try Credential("env-key", for: ServerAddress("https://gpu/v1"))
    let server = Server(name: "s", kind: "openai", url: "https://gpu/v1")
    for (key, expected) in [(key, nil), (nil, BackendError.credentials(BrokenCredentials.failure))] {
      let endpoint = SignIns(BrokenCredentials(), environmentKey: { _, _ in key }).endpoint(server, http, Timeouts())
      var error: BackendError?
      do throws(BackendError) { _ = try await endpoint.get("https://gpu/v1/models") } catch let caught {
        error = caught
      }
      #expect(error == expected)
    }
    #expect(http.requests.map(\.bearer) == ["env-key"])
  }

  @Test func `a store that breaks later has no refresh token spent, and the refusal of a key is not the last word`()
    async throws
  {
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .tokens("new") : .json("{}", status: 401) }
    for signIn in [StoredSignIn.session("old", endsIn: 200), StoredSignIn(.key, token: Secret("old"))] {
      let store = try await FickleCredentials(signIn)
      let endpoint = endpoint(SignIns(store, clock: TestTime().source), http)
      #expect(await endpoint.bearer.hasSignIn)
      await store.fail(BrokenCredentials.failure)
      await #expect(throws: BackendError.credentials(BrokenCredentials.failure)) {
        try await endpoint.get("https://kz.lan/api/x")
      }
    }
    #expect(http.lines == ["GET /x", "GET /x"])
  }

  @Test func `while another process renews, its refresh token is not spent, and what it made is used`() async throws {
    let http = SiteHTTP {
      $0.line == "POST /auth/refresh" ? .tokens("mine") : .json("{}", status: $0.bearer == "theirs" ? 200 : 401)
    }
    let store = try await FickleCredentials(.session("old", endsIn: -5))
    let endpoint = endpoint(SignIns(store, clock: TestTime().source), http)
    await store.beLocked { _ in }
    await #expect(throws: BackendError.credentials(FickleCredentials.locked)) {
      try await endpoint.get("https://kz.lan/api/x")
    }
    await store.beLocked { memory in
      _ = try? await memory.write(
        .session("theirs", refresh: "refresh-2", endsIn: 300), for: Server.kamiwaza.url)  // nothing fails here
    }
    #expect(await statuses(endpoint, 1) == [200])
    #expect(http.lines == ["GET /x"])
  }

  @Test func `who signs in while another process renews is signed in for this run, and told`() async throws {
    let store = try await FickleCredentials(.session("old", endsIn: 200))
    await store.beLocked { _ in }
    let http = SiteHTTP { .json("{}", status: $0.bearer == "k" ? 200 : 401) }
    let endpoint = endpoint(SignIns(store, clock: TestTime().source), http)
    let kept = await endpoint.bearer.keep(StoredSignIn(.key, token: Secret("k")))
    #expect(kept.place == .memory && kept.problem == FickleCredentials.locked)
    #expect(await statuses(endpoint, 1) == [200])
    #expect(await store.spent.isEmpty)
    await #expect(throws: FickleCredentials.locked) { try await endpoint.bearer.forget() }
    #expect(try await store.read(Server.kamiwaza.url) == nil)
  }

  @Test func `a renewal says which refresh token it spent, and a sign-in that it spent none`() async throws {
    let store = try await FickleCredentials(.session("old", endsIn: -5))
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .tokens("new", refresh: "refresh-2") : .json("{}") }
    let endpoint = endpoint(SignIns(store, clock: TestTime().source), http)
    #expect(await statuses(endpoint, 1) == [200])
    _ = await endpoint.bearer.keep(.session("other", refresh: "refresh-9", endsIn: 300))
    #expect(await store.spent == [Secret("refresh-1"), nil])
  }

  @Test func `who signs in elsewhere after a first look is seen, and the request is sent again`() async throws {
    let store = MemoryCredentials()
    let http = SiteHTTP { .json("{}", status: $0.bearer == "newer" ? 200 : 401) }
    let endpoint = endpoint(try await .holding(nil, store: store), http)
    #expect(await statuses(endpoint, 1) == [401])
    #expect(http.requests.count == 1)
    _ = try await store.write(StoredSignIn(.key, token: Secret("newer")), for: Server.kamiwaza.url)
    #expect(await statuses(endpoint, 1) == [200])
    #expect(http.requests.map(\.bearer) == [nil, nil, "newer"])
  }

  @Test func `a sign-in from elsewhere goes no further than one from here`() async throws {
    let store = MemoryCredentials()
    let server = Server(name: "kz", kind: "kamiwaza", url: "http://kz.lan/api")
    let http = SiteHTTP { _ in .json("{}", status: 401) }
    let endpoint = endpoint(try await .holding(nil, for: server, store: store), http, server)
    #expect(try await endpoint.get("http://kz.lan/api/x").status == 401)
    _ = try await store.write(StoredSignIn(.key, token: Secret("k")), for: server.url)
    await #expect(throws: BackendError.withheld(origin: "http://kz.lan", .inTheClear)) {
      try await endpoint.get("http://kz.lan/api/x")
    }
    #expect(http.requests.allSatisfy { $0.bearer == nil })
  }

  @Test func `what could not be erased is not used again`() async throws {
    let store = try await FickleCredentials(StoredSignIn(.key, token: Secret("k")))
    let http = SiteHTTP { _ in .json("{}", status: 401) }
    let endpoint = endpoint(SignIns(store, clock: TestTime().source), http)
    #expect(await endpoint.bearer.hasSignIn)
    await store.beLocked { _ in }
    _ = try? await endpoint.bearer.forget()  // told elsewhere
    _ = try await store.write(StoredSignIn(.key, token: Secret("k")), for: Server.kamiwaza.url)
    #expect(await statuses(endpoint, 1) == [401])
    #expect(http.requests.map(\.bearer) == [nil])
  }

  @Test(arguments: [(Int.max, Int.max), (Int.min, 300), (Int.min, Int.min), (Int.max, Int.min), (0, Int.max)])
  func `absurd numbers in a file stop nothing`(expiry: Int, lifetime: Int) async throws {
    var signIn = StoredSignIn.session("old", endsIn: 0)
    signIn.expiresAt = expiry
    signIn.lifetime = lifetime
    let http = SiteHTTP { $0.line == "POST /auth/refresh" ? .tokens("new") : .json("{}") }
    #expect(await statuses(endpoint(try await .holding(signIn), http), 1) == [200])
    #expect(http.requests.last?.bearer == (expiry == .max ? "old" : "new"))
  }

  @Test func `a store that cannot be written is not needed`() async throws {
    let http = SiteHTTP { _ in .json("{}") }
    let endpoint = endpoint(SignIns(BrokenCredentials(), clock: TestTime().source), http)
    let kept = await endpoint.bearer.keep(StoredSignIn(.key, token: Secret("k")))
    #expect(kept.place == .memory && kept.problem == BrokenCredentials.failure)
    #expect(await statuses(endpoint, 1) == [200])
    #expect(http.requests[0].bearer == "k")
    await #expect(throws: BrokenCredentials.failure) { try await endpoint.bearer.forget() }
    #expect(await !endpoint.bearer.hasSignIn)
  }

  @Test func `one server has one bearer however often it is made`() async throws {
    let signIns = try await SignIns.holding(nil)
    let http = SiteHTTP { _ in .json("{}") }
    _ = await endpoint(signIns, http).bearer.keep(StoredSignIn(.key, token: Secret("k")))
    #expect(await statuses(endpoint(signIns, http), 1) == [200])
    #expect(http.requests[0].bearer == "k")
  }
}

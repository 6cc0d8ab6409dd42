import Chat
import Testing
import Transport
import Wire

@testable import Backends

/// To whom a sign-in goes, and what it never gets into.
struct SigningTests {
  private func endpoint(
    _ url: String, kind: String = "kamiwaza", allowed: [String] = [], _ http: any HTTP
  ) async throws -> Endpoint {
    let server = Server(name: "s", kind: kind, url: url, allowedOrigins: allowed)
    let signIns = try await SignIns.holding(StoredSignIn(.key, token: Secret("canary-token")), for: server)
    return signIns.endpoint(server, http, Timeouts())
  }

  private static let rows: [(String, String, [String], BackendError?)] = [
    ("https://kz.lan/api", "https://kz.lan/api/x", [], nil),
    ("https://kz.lan/api", "https://kz.lan:61100/v1/x", [], nil),
    (
      "https://kz.lan/api", "http://kz.lan:61100/v1/x", [],
      .withheld(origin: "http://kz.lan:61100", .inTheClear)
    ),
    ("https://kz.lan/api", "http://kz.lan:61100/v1/x", ["http://kz.lan:61100"], nil),
    (
      "https://kz.lan/api", "https://other.lan/x", [],
      .withheld(origin: "https://other.lan", .anotherHost(own: "kz.lan"))
    ),
    ("https://kz.lan/api", "https://other.lan/x", ["https://other.lan"], nil),
    (
      "https://kz.lan/api", "https://kz.lan.evil.com/x", [],
      .withheld(origin: "https://kz.lan.evil.com", .anotherHost(own: "kz.lan"))
    ),
    ("http://kz.lan/api", "http://kz.lan/api/x", [], .withheld(origin: "http://kz.lan", .inTheClear)),
    ("http://kz.lan/api", "http://kz.lan/api/x", ["http://kz.lan"], nil),
    ("http://127.0.0.1:7777/api", "http://127.0.0.1:7777/api/x", [], nil),
    ("http://127.0.0.1:7777/api", "http://127.0.0.1:61100/x", [], nil),
    (
      "https://127.0.0.1:7777/api", "http://127.0.0.1:61100/mcp", [],
      .withheld(origin: "http://127.0.0.1:61100", .inTheClear)
    ),
    ("https://127.0.0.1:7777/api", "http://127.0.0.1:61100/mcp", ["http://127.0.0.1:61100"], nil),
    ("https://127.0.0.1:7777/api", "https://127.0.0.1:61100/mcp", [], nil),
  ]

  @Test(arguments: rows)
  func `a sign-in goes home and where the person lets it go`(
    server: String, url: String, allowed: [String], refusal: BackendError?
  ) async throws {
    let http = SiteHTTP { _ in .json("{}") }
    let endpoint = try await endpoint(server, allowed: allowed, http)
    var error: BackendError?
    do throws(BackendError) { _ = try await endpoint.get(url) } catch let caught { error = caught }
    #expect(error == refusal)
    #expect(http.requests.map(\.bearer) == (refusal == nil ? ["canary-token"] : []))
  }

  @Test func `who is not signed in is asked nothing`() async throws {
    let http = SiteHTTP { _ in .json("{}") }
    let server = Server(name: "s", kind: "openai", url: "http://gpu.lan/v1")
    let endpoint = try await SignIns.holding(nil).endpoint(server, http, Timeouts())
    #expect(try await endpoint.get("http://other.lan/x").status == 200)
    #expect(http.requests[0].bearer == nil)
  }

  @Test func `the cookie goes to a Kamiwaza's own origin only`() async throws {
    let http = SiteHTTP { _ in .json("{}") }
    let kamiwaza = try await endpoint("https://kz.lan/api", http)
    _ = try await kamiwaza.get("https://kz.lan/api/x")
    _ = try await kamiwaza.get("https://kz.lan:61100/x")
    _ = try await endpoint("https://kz.lan/v1", kind: "openai", http).get("https://kz.lan/v1/models")
    #expect(http.requests.map { $0.header("Cookie") } == ["access_token=canary-token", nil, nil])
  }

  private static let keys: [(String, [String], BackendError?)] = [
    ("https://gpu.lan/v1", [], nil),
    ("http://127.0.0.1:8080/v1", [], nil),
    ("http://localhost:8080/v1", [], nil),
    ("http://gpu.lan:8080/v1", [], .withheld(origin: "http://gpu.lan:8080", .inTheClear)),
    ("http://10.0.0.7/v1", [], .withheld(origin: "http://10.0.0.7", .inTheClear)),
    ("http://8.8.8.8/v1", [], .withheld(origin: "http://8.8.8.8", .inTheClear)),
    ("http://10.0.0.7/v1", ["http://10.0.0.7"], nil),
    ("http://8.8.8.8/v1", ["http://8.8.8.8"], nil),
  ]

  @Test(arguments: keys)
  func `a key of the environment goes where a stored one may go`(
    url: String, allowed: [String], refusal: BackendError?
  ) async throws {
    let http = SiteHTTP { _ in .json("{}") }
    let server = Server(name: "s", kind: "openai", url: url, allowedOrigins: allowed)
    let key = try Credential("env-key", for: ServerAddress(url))
    let endpoint = SignIns(environmentKey: { _, _ in key }).endpoint(server, http, Timeouts())
    var error: BackendError?
    do throws(BackendError) { _ = try await endpoint.get(url + "/models") } catch let caught { error = caught }
    #expect(error == refusal)
    #expect(http.requests.map(\.bearer) == (refusal == nil ? ["env-key"] : []))
    // What is asked of an address that may be anything goes without instead.
    _ = try await endpoint.probe(url + "/models")
    #expect(http.requests.last?.bearer == (refusal == nil ? "env-key" : nil))
  }

  @Test func `an unknown server in the clear is found without the key`() async throws {
    let http = SiteHTTP { .json("{}", status: $0.line == "GET /v1/models" ? 401 : 404) }
    let key = { (address: ServerAddress) -> Credential? in try? Credential("k", for: address) }
    let found = try await Backends.probe("http://gpu.lan/v1", http: http, credential: key)
    #expect(found.models == nil && found.url == "http://gpu.lan/v1")
    #expect(http.requests.allSatisfy { $0.bearer == nil })
  }

  @Test func `a key of the environment goes to its own address, before what is stored`() async throws {
    let http = SiteHTTP { _ in .json("{}") }
    let server = Server(name: "s", kind: "openai", url: "https://gpu:8080/v1")
    let key = try Credential("env-key", for: ServerAddress(server.url))
    let store = MemoryCredentials()
    _ = try await store.write(StoredSignIn(.key, token: Secret("stored")), for: server.url)
    let endpoint = SignIns(store, environmentKey: { _, _ in key }).endpoint(server, http, Timeouts())
    _ = try await endpoint.get("https://gpu:8080/v1/models")
    #expect(http.requests.map(\.bearer) == ["env-key"])
    await #expect(throws: BackendError.withheld(origin: "https://other", .anotherHost(own: "gpu:8080"))) {
      try await endpoint.get("https://other/x")
    }
  }

  @Test func `what the user signs in with goes before the key of the environment until this run ends`() async throws {
    let http = SiteHTTP { .json("{}", status: $0.bearer == "typed" ? 200 : 401) }
    let server = Server(name: "s", kind: "openai", url: "https://gpu:8080/v1")
    let key = try Credential("env-key", for: ServerAddress(server.url))
    let signIns = SignIns(environmentKey: { _, _ in key })
    let account = KeyAccount(signIns.endpoint(server, http, Timeouts()))
    #expect(account.hasEnvironmentKey)
    _ = try await account.signIn(token: Secret("typed"))
    // Each backend of the run shares it.
    let endpoint = signIns.endpoint(server, http, Timeouts())
    _ = try await endpoint.get("https://gpu:8080/v1/models")
    #expect(http.requests.last?.bearer == "typed")
    #expect(try await account.person().kind == .key)
    _ = try await account.signOut()
    _ = try await endpoint.get("https://gpu:8080/v1/models")
    #expect(http.requests.last?.bearer == "env-key")
  }

  @Test func `a key of the environment that a platform refuses is replaced by signing in`() async throws {
    let http = SiteHTTP { request in
      if request.line == "POST /auth/token" { return .tokens("new") }
      return .json(#"{"username":"ann"}"#, status: request.bearer == "new" ? 200 : 401)
    }
    let key = try Credential("env-key", for: ServerAddress(Server.kamiwaza.url))
    let account = KamiwazaAccount(SignIns(environmentKey: { _, _ in key }).endpoint(.kamiwaza, http, Timeouts()))
    await #expect(throws: BackendError.signInRefused(address: "kz.lan", .wrongEnvironmentKey)) {
      try await account.person()
    }
    _ = try await account.signIn(name: "ann", password: Secret("p"))
    #expect(try await account.person().name == "ann")
  }

  @Test func `a key is checked only where the server refuses to answer without one`() async throws {
    for (isOpen, isListed) in [(true, true), (false, true), (false, false)] {
      let http = SiteHTTP { request in
        .json("{}", status: !isListed ? 404 : isOpen || request.bearer == "key" ? 200 : 401)
      }
      let server = Server(name: "s", kind: "openai", url: "https://gpu:8080/v1")
      let account = KeyAccount(SignIns().endpoint(server, http, Timeouts()))
      #expect(try await account.gate().isOpen == isOpen)
      #expect(try await account.signIn(token: Secret("key")).isChecked == (isListed && !isOpen))
    }
  }

  @Test(arguments: [nil, 429, 500])
  func `a key that was accepted is kept, unchecked, when the request without a key fails`(status: Int?) async throws {
    let http = SiteHTTP { request in
      if request.bearer == "key" { return .json("{}") }
      return status.map { .json("{}", status: $0) } ?? .failure(.refused)
    }
    let server = Server(name: "s", kind: "openai", url: "https://gpu:8080/v1")
    let account = KeyAccount(SignIns().endpoint(server, http, Timeouts()))
    #expect(try await account.gate().isOpen == false)
    #expect(try await account.signIn(token: Secret("key")).isChecked == false)
    #expect(await account.hasSignIn())
  }

  @Test(arguments: ["kamiwaza", "openai"])
  func `a bare 403 is about the key unless the server knows its users`(kind: String) async throws {
    let http = SiteHTTP { _ in .json(#"{"detail":"Forbidden"}"#, status: 403) }
    let endpoint = try await endpoint("https://s.lan/api", kind: kind, http)
    let expected: (String) -> BackendError = { message in
      kind == "kamiwaza"
        ? .refused(address: "s.lan", status: 403, message: message) : .unauthorized(address: "s.lan", message: message)
    }
    #expect(await OpenAIBackend(endpoint).outcome().error == expected("Forbidden"))
    await #expect(throws: expected("Forbidden")) { try await endpoint.modelList() }
    guard kind == "kamiwaza" else { return }
    let account = KamiwazaAccount(endpoint)
    await #expect(throws: expected("")) { try await account.person() }
    await #expect(throws: expected("Forbidden")) { try await account.acceptConsent() }
    await #expect(throws: expected("")) { try await account.remember(as: "x") }
  }

  @Test func `a key of the environment is never renewed, and named when it is refused`() async throws {
    let http = SiteHTTP { _ in .json("{}", status: 401) }
    let key = try Credential("env-key", for: ServerAddress(Server.kamiwaza.url))
    let endpoint = SignIns(environmentKey: { _, _ in key }).endpoint(.kamiwaza, http, Timeouts())
    await #expect(throws: BackendError.signInRefused(address: "kz.lan", .wrongEnvironmentKey)) {
      try await endpoint.get("https://kz.lan/api/x")
    }
    #expect(http.lines == ["GET /x"])
  }

  @Test func `an answer is asked for again with a new token before it begins`() async throws {
    let server = Server.kamiwaza
    let http = SiteHTTP { request in
      if request.line == "POST /auth/refresh" { return .tokens("new") }
      guard request.bearer == "new" else { return .json("{}", status: 401) }
      return .response(200, [.text(sse(chunk(content: "Hi"), chunk("{}", finish: "stop"), "[DONE]"))])
    }
    let endpoint = try await SignIns.holding(.session("old", endsIn: 200)).endpoint(server, http, Timeouts())
    let outcome = await OpenAIBackend(endpoint.at("https://kz.lan:61100/v1")).outcome()
    #expect(outcome.text == "Hi" && outcome.error == nil)
    #expect(http.lines == ["POST /v1/chat/completions", "POST /auth/refresh", "POST /v1/chat/completions"])
  }

  @Test func `an answer waits for a token that is about to expire`() async throws {
    let http = SiteHTTP { request in
      if request.line == "POST /auth/refresh" { return .tokens("new") }
      return .response(200, [.text(sse(chunk(content: request.bearer ?? ""), "[DONE]"))])
    }
    let endpoint = try await SignIns.holding(.session("old", endsIn: 5)).endpoint(.kamiwaza, http, Timeouts())
    #expect(await OpenAIBackend(endpoint).outcome().text == "new")
  }

  @Test func `stopping an answer ends its wait for a renewal`() async throws {
    let gathering = Gathering(1)
    let http = SiteHTTP { request in
      if request.line == "POST /auth/refresh" { await gathering.wait() }
      return .tokens("new")
    }
    let endpoint = try await SignIns.holding(.session("old", endsIn: -5)).endpoint(.kamiwaza, http, Timeouts())
    let answer = OpenAIBackend(endpoint).answer(.hello)
    async let outcome = Outcome(of: answer)
    while await !gathering.isFull { await Task.yield() }
    answer.stop()
    #expect(await outcome.error == .cancelled)
    await gathering.release()
  }

  @Test func `no secret is told in an error, whatever the server says`() async throws {
    let echo = #"{"detail":"canary-access canary/refresh canary%2Frefresh"}"#
    for status in [400, 401, 403, 404, 422, 423, 429, 500, 503] {
      let http = SiteHTTP {
        .json($0.line == "POST /auth/token" ? echo + " canary-password" : echo, status: status)
      }
      let signIns = try await SignIns.holding(.session("canary-access", refresh: "canary/refresh", endsIn: -5))
      let endpoint = signIns.endpoint(.kamiwaza, http, Timeouts())
      let account = KamiwazaAccount(endpoint)
      var errors: [any Error] = []
      do { _ = try await account.person() } catch { errors.append(error) }
      do { _ = try await account.signIn(name: "ann", password: Secret("canary-password")) } catch {
        errors.append(error)
      }
      do { _ = try await account.signIn(token: Secret("canary-access")) } catch { errors.append(error) }
      do { _ = try await account.remember(as: "here") } catch { errors.append(error) }
      #expect(errors.count == 4)
      let out = told(errors) + told(try await account.signOut()) + told(endpoint.bearer)
      #expect(!out.contains("canary"), "\(status): \(out)")
    }
  }

  @Test(arguments: [
    TransportError.other("bad url https://kz.lan/api/auth/refresh?refresh_token=canary here"),
    .badRequest("https://kz.lan/api/auth/refresh?refresh_token=canary"), .tls("GET /auth/refresh?refresh_token=canary"),
    .proxy("https://kz.lan/?refresh_token=canary"), .unknownHost("https://kz.lan/?refresh_token=canary"),
  ])
  func `no failure of the network names a query`(failure: TransportError) async throws {
    let http = SiteHTTP { _ in .failure(failure) }
    let endpoint = try await SignIns.holding(.session("a", refresh: "canary", endsIn: -5))
      .endpoint(.kamiwaza, http, Timeouts())
    do throws(BackendError) {
      _ = try await endpoint.get("https://kz.lan/api/x")
      Issue.record("no error")
    } catch {
      #expect(!told(error).contains("canary"), "\(error)")
    }
  }
}

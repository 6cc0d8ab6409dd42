import Chat
import Foundation
import Testing
import Transport

@testable import Backends

/// A server that says the same to all that is asked by https, and the same by http.
private struct SchemeHTTP: HTTP {
  let https: ScriptedHTTP.Reply
  let http: ScriptedHTTP.Reply

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try await ScriptedHTTP([request.url.hasPrefix("https:") ? https : http]).send(request)
  }
}

struct ProbeTests {
  private func failure(
    _ typed: String, https: ScriptedHTTP.Reply = .failure(.refused), http: ScriptedHTTP.Reply
  ) async -> BackendError? {
    do throws(BackendError) {
      let found = try await Backends.probe(typed, http: SchemeHTTP(https: https, http: http))
      Issue.record("found \(found)")
      return nil
    } catch {
      return error
    }
  }

  private static let rows: [(String, TransportError, TransportError, BackendError)] = [
    (
      "a refusal tells more than a time-out", .connectTimeout, .refused,
      .unreachable(address: "gpu:8080", reason: .refused)
    ),
    (
      "an unknown name tells more than a reset", .closedEarly(""), .unknownHost("gpu"),
      .unreachable(address: "gpu:8080", reason: .unknownHost)
    ),
    (
      "a time-out tells more than a broken handshake", .tls("wrong version"), .readTimeout,
      .timedOut(address: "gpu:8080", .request, seconds: 30)
    ),
    (
      "the longest wait counts", .connectTimeout, .connectTimeout,
      .timedOut(address: "gpu:8080", .connect, seconds: 10)
    ),
    (
      "any reason is better than none", .tls("wrong version"), .closedEarly(""),
      .unreachable(address: "gpu:8080", reason: .tls("wrong version"))
    ),
    ("no certificate, no plain http", .untrusted(.sample), .refused, .untrusted(.sample)),
  ]

  @Test(arguments: rows)
  func `when nothing answered, the address is unreachable`(
    name: String, https: TransportError, http: TransportError, expected: BackendError
  ) async {
    #expect(await failure("gpu:8080", https: .failure(https), http: .failure(http)) == expected)
  }

  @Test func `when something answered, what each address said is told with the limit that was in use`() async {
    let page = ScriptedHTTP.Reply.response(404, [.text("<html><title>No</title>")])
    let said = { (path: String) in
      BackendError.Attempt(
        url: "http://gpu:8080" + path, outcome: .answered(status: 404, what: "HTML page \"No\""))
    }
    #expect(
      await failure("gpu:8080", https: .failure(.connectTimeout), http: page)
        == .notFound(
          tried: [.init(url: "https://gpu:8080/auth/health", outcome: .timedOut(seconds: 4))]
            + ["/auth/health", "/api/auth/health", "/models", "/v1/models", "/api/v2/public-config"].map(said)))
  }

  @Test func `an answer without end is an answer`() async {
    let error = await failure("http://gpu/v1", http: .response(200, [.failure(.tooLarge(limit: 1 << 20))]))
    guard case .notFound = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `the last scheme is given all the time there is`() async {
    let http = ScriptedHTTP([.failure(.connectTimeout), .failure(.connectTimeout)])
    _ = try? await Backends.probe("gpu:8080", http: http)
    #expect(http.requests.map(\.connectTimeout) == [4, 10])
  }

  @Test(arguments: [
    ("http://gpu:8888", ["http://gpu:8888"]), ("http://gpu:8888/lab", ["http://gpu:8888/lab", "http://gpu:8888"]),
    ("http://lab:8888/lab", ["http://lab:8888/lab", "http://lab:8888"]), ("http://lab/labs", ["http://lab/labs"]),
    (
      "http://hub/user/lab/lab/tree",
      [
        "http://hub/user/lab/lab/tree", "http://hub/user", "http://hub/user/lab", "http://hub/user/lab/lab",
      ]
    ),
  ])
  func `a page of Jupyter's leads to its server, and to no other host`(typed: String, bases: [String]) {
    #expect(JupyterProbe.bases([typed]) == bases)
  }

  @Test(arguments: ["demo:", " demo: "])
  func `the demo claims its name, and no key is asked for`(typed: String) async throws {
    let http = ScriptedHTTP([])
    let refuse = { @Sendable (address: ServerAddress) -> Credential? in
      Issue.record("asked for the key of \(address.description)")
      return nil
    }
    let found = try await Backends.probe(typed, http: http, credential: refuse)
    #expect(found == FoundServer(kind: "demo", url: "demo:", models: [Model(id: "demo")]))
    let server = Server(name: "demo", kind: found.kind, url: found.url)
    #expect(
      Backends.make(server, http: http, signIns: SignIns(environmentKey: { address, _ in refuse(address) }))?.server
        == server)
  }

  @Test func `an address gets the key that is asked for it`() async throws {
    let models = #"{"data":[{"id":"m","max_model_len":9}]}"#
    let http = RoutedHTTP(["https://gpu/v1/models": [.json(models)]])
    let key = { @Sendable (address: ServerAddress) -> Credential? in try? Credential("k", for: address) }
    let found = try await Backends.probe("https://gpu/v1", http: http, credential: key)
    let backend = try #require(
      Backends.make(
        Server(name: "s", kind: found.kind, url: found.url), http: http,
        signIns: SignIns(environmentKey: { address, _ in key(address) })))
    #expect(try await backend.models() == found.models)
    for request in http.requests where request.url.hasSuffix("/models") {
      #expect(request.headers.contains { $0.name == "Authorization" && $0.value == "Bearer k" })
    }
  }

  @Test func `what is no address is told so`() async {
    #expect(
      await failure("ftp://gpu", http: .failure(.refused))
        == .unreachable(address: "gpu", reason: .badAddress("not an http or https address")))
  }
}

@Suite struct ServerAddressTests {
  /// What servers print as the address that they listen on, and other spellings of this machine.
  @Test(arguments: [
    ("0.0.0.0:8000", "http://0.0.0.0:8000"), ("127.1:8000", "http://127.1:8000"),
    ("localhost.:8000", "http://localhost.:8000"), ("LOCALHOST:8000", "http://localhost:8000"),
    ("[::]:8000", "http://[::]:8000"), (":::8000", "http://[::]:8000"), ("::1:8000", "http://[::1]:8000"),
    ("::1", "http://[::1]"), ("[::ffff:127.0.0.1]:8000", "http://[::ffff:127.0.0.1]:8000"),
    ("::ffff:127.0.0.1", "http://[::ffff:127.0.0.1]"), ("2130706433:8000", "http://2130706433:8000"),
  ])
  func `plain http comes first on this machine`(typed: String, first: String) throws {
    #expect(try ServerAddress(typed).candidates.first == first)
    #expect(Origin(url: first)?.isInTheClear == false)
  }

  @Test(arguments: [
    ("2001:db8::7", "https://[2001:db8::7]"), ("2001:db8:1:2:3:4:5:6:8000", "https://[2001:db8:1:2:3:4:5:6]:8000"),
    ("0.0.0.1:8000", "https://0.0.0.1:8000"), ("8.8:8000", "https://8.8:8000"),
    ("localhost.example:8000", "https://localhost.example:8000"),
  ])
  func `https comes first elsewhere`(typed: String, first: String) throws {
    #expect(try ServerAddress(typed).candidates.first == first)
  }

  @Test(arguments: [
    "http://gpu1:8080/#/chat", "http://gpu1:8080/#models?x=1", "http://gpu1:8080#", "http://gpu1:8080/",
  ])
  func `a fragment is no part of the address`(typed: String) throws {
    #expect(try ServerAddress(typed).candidates == ["http://gpu1:8080", "http://gpu1:8080/v1"])
  }

  @Test(arguments: ["http://gpu1:8080/?x=1", "1:2:3", "ab:cd:8000", "[1:2]:80", "#top", ":8000", "http://a@b/#c"])
  func `what names no server is refused`(typed: String) {
    #expect(throws: BackendError.self) { try ServerAddress(typed) }
  }
}

extension Distrust {
  static let sample = Distrust(
    ServerCertificate(
      host: "gpu", port: 8080, der: [1], fingerprint: Fingerprint(repeating: 1),
      keyFingerprint: Fingerprint(repeating: 2), subject: "CN=gpu", issuer: "CN=gpu",
      names: ["gpu"], validFrom: 1_780_000_000, validUntil: 1_850_000_000, key: "EC P-256", problems: [.selfSigned]),
    before: .nothing)
}

import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

extension KamiwazaBackend {
  /// A platform for tests, at `https://kz.lan/api`.
  init(_ http: any HTTP, time: TestTime = TestTime(), allowed: [String] = []) {
    let server = Server(name: "kz", kind: "kamiwaza", url: "https://kz.lan/api", allowedOrigins: allowed)
    self.init(Endpoint(server, http, nil, Timeouts(), clock: time.source))
  }
}

/// A deployment as the platform sends it.
func deployment(
  _ id: String, _ more: JSON = [:], status: String = "DEPLOYED", name: JSON = "Llama", at deployedAt: JSON = .null
) -> JSON {
  var json: JSON = [
    "id": .string(id), "m_id": "m", "m_config_id": "c", "requested_at": "2026-01-01T00:00:00",
    "created_at": "2026-01-01T00:00:00", "status": .string(status), "m_name": name, "deployed_at": deployedAt,
    "instances": [
      ["id": "i", "deployment_id": .string(id), "deployed_at": "2026-01-01T00:00:00", "status": "DEPLOYED"]
    ],
  ]
  for member in more.object ?? [] { json[member.key] = member.value }
  return json
}

@Suite struct KamiwazaAddressTests {
  typealias Row = (root: String, overrides: KamiwazaAddress.Overrides, deployment: JSON, expected: String)

  private static let none = KamiwazaAddress.Overrides()
  private static let rows: [Row] = [
    (
      "https://kz.lan:8443/api", none, ["access_path": "/runtime/models/ab"], "https://kz.lan:8443/runtime/models/ab/v1"
    ),
    ("https://kz.lan:8443/api", none, ["lb_port": 61105], "https://kz.lan:61105/v1"),
    ("https://kz.lan:8443/api", none, [:], "https://kz.lan:8443/runtime/models/id/v1"),
    ("https://kz.lan/api", none, ["lb_port": 443], "https://kz.lan/runtime/models/id/v1"),
    ("https://kz.lan/api", none, ["lb_port": 70000], "https://kz.lan/runtime/models/id/v1"),
    ("https://kz.lan/kz/api", none, ["access_path": "runtime/models/ab/"], "https://kz.lan/kz/runtime/models/ab/v1"),
    ("https://kz.lan/kz/api", none, ["access_path": "/kz/runtime/models/ab"], "https://kz.lan/kz/runtime/models/ab/v1"),
    ("https://kz.lan/kz/api", none, ["lb_port": 61105], "https://kz.lan:61105/v1"),
    ("https://kz.lan", none, ["access_path": "/runtime/models/ab/v1"], "https://kz.lan/runtime/models/ab/v1"),
    ("https://kz.lan/api", none, ["access_path": "", "lb_port": 9], "https://kz.lan:9/v1"),
    ("http://10.0.0.7:7777/api", none, ["lb_port": 61105], "http://10.0.0.7:61105/v1"),
    ("http://[::1]:7777/api", none, ["lb_port": 61105], "http://[::1]:61105/v1"),
    ("https://kz.lan/api", none, ["endpoint": "https://kz.lan/m/v1"], "https://kz.lan/m/v1"),
    ("https://kz.lan/api", none, ["endpoint": "https://kz.lan/m/", "lb_port": 9], "https://kz.lan/m/v1"),
    ("https://kz.lan/api", none, ["endpoint": "/runtime/models/x"], "https://kz.lan/runtime/models/x/v1"),
    (
      "https://kz.lan/api", .init(runtimeBase: "run.lan:9000/pre/api"), ["access_path": "/x"],
      "https://run.lan:9000/pre/x/v1"
    ),
    ("https://kz.lan/api", .init(publicAPI: "https://other/api"), ["access_path": "/x"], "https://kz.lan/x/v1"),
    ("", .init(publicAPI: "https://other/api"), ["access_path": "/x"], "https://other/x/v1"),
    ("https://kz.lan/api", .init(usesHTTPS: false), ["lb_port": 61105], "http://kz.lan:61105/v1"),
    ("http://kz.lan:80/api", .init(usesHTTPS: true), ["access_path": "/x"], "https://kz.lan:80/x/v1"),
  ]

  @Test(arguments: rows.indices) func `where a deployment is asked`(index: Int) throws {
    let row = KamiwazaAddressTests.rows[index]
    let address = KamiwazaAddress(root: row.root, overrides: row.overrides)
    let found = try Kamiwaza.Deployment(deployment("id", row.deployment))
    #expect(address.endpoint(of: found) == row.expected)
  }

  @Test func `plain http at a port of its own is for the person to allow`() throws {
    let address = KamiwazaAddress(root: "https://kz.lan/api")
    let found = try Kamiwaza.Deployment(deployment("id", ["lb_port": 61105]))
    #expect(address.endpoint(of: found, allowed: ["http://kz.lan:61105"]) == "http://kz.lan:61105/v1")
    #expect(address.endpoint(of: found, allowed: ["http://kz.lan:61106"]) == "https://kz.lan:61105/v1")
  }

  @Test func `the environment is read as the platform's own programs read it`() {
    let read = { KamiwazaAddress.Overrides(environment: $0) }
    #expect(read(["KAMIWAZA_USE_HTTPS": "False"]).usesHTTPS == false)
    #expect(read(["KAMIWAZA_USE_HTTPS": "no"]).usesHTTPS == true)
    #expect(read(["KAMIWAZA_RUNTIME_BASE_URL": " "]) == KamiwazaAddress.Overrides())
    #expect(read(["KAMIWAZA_RUNTIME_BASE_URL": "a", "KAMIWAZA_PUBLIC_API_URL": "b"]).publicAPI == "b")
  }
}

@Suite struct KamiwazaModelTests {
  private func models(_ deployments: JSON...) throws -> [Model] {
    KamiwazaModels(try Kamiwaza.Deployment.list(.array(deployments))).models
  }

  @Test func `the longest deployed is first, and what cannot be asked is last`() throws {
    let found = try models(
      deployment("off", status: "STOPPED", name: "Off", at: "2020-01-01T00:00:00"), deployment("null", name: "Null"),
      deployment("new", name: "New", at: "2026-02-02T00:00:00"),
      deployment("old", ["context_window": 4096], name: "Old", at: "2026-01-02T00:00:00+02:00"),
      deployment("empty", ["instances": []], name: "Empty"))
    #expect(
      found == [
        Model(id: "Old", contextWindow: 4096, state: "deployed", deployment: "old"),
        Model(id: "New", state: "deployed", deployment: "new"),
        Model(id: "Null", state: "deployed", deployment: "null"),
        Model(id: "Off", state: "stopped", isReady: false, deployment: "off"),
        Model(id: "Empty", state: "deployed", isReady: false, note: "starting", deployment: "empty"),
      ])
  }

  @Test func `why a model cannot be asked is told in the server's words`() throws {
    let found = try models(
      deployment("a", ["last_error_code": "OOM", "last_error_message": "out of memory"], status: "FAILED", name: "A"),
      deployment("b", status: "DEPLOYING", name: "B"), deployment("c", status: "SOMETHING_NEW", name: "C"))
    #expect(found.map(\.note) == ["OOM: out of memory", "starting", nil])
    #expect(found.map(\.state) == ["failed", "deploying", "something_new"])
  }

  @Test func `names are unique and stay`() throws {
    let pair = [deployment("11111111-aaaa", at: "2026-01-01T00:00:00"), deployment("22222222-bbbb")]
    let found = try models(pair[0], pair[1])
    #expect(found.map(\.id) == ["Llama@11111111", "Llama@22222222"])
    #expect(try models(pair[1], pair[0]).map(\.id) == found.map(\.id))
    #expect(
      try models(deployment("11111111-a"), deployment("11111111-b")).map(\.id) == [
        "Llama@11111111-a", "Llama@11111111-b",
      ])
    let unnamed = deployment("x", ["canonical_model_id": "canon"], name: .null)
    #expect(try models(unnamed, deployment("y", name: .null)).map(\.id) == ["canon", "y"])
  }

  @Test func `a name from another time still finds its deployment`() throws {
    let list = KamiwazaModels([try Kamiwaza.Deployment(deployment("11111111-a", ["canonical_model_id": "canon"]))])
    for name in ["Llama", "Llama@11111111", "canon", "11111111-a"] {
      #expect(list.find(name)?.deployment.id == "11111111-a")
    }
    #expect(list.find(nil)?.name == "Llama")
    #expect(list.find("Qwen") == nil)
  }

  @Test(
    arguments: [
      (["capabilities": ["embedding"]], false), (["capabilities": ["chat"]], true), (["capabilities": ["new"]], true),
      (["features": ["vision"], "engine": "whispercpp"], true), (["engine_name": "whispercpp"], false),
      (["m_name": "bge-small-en-v1.5"], false), (["m_name": "nomic-embed-text"], false),
      (["m_name": "bge-large", "capabilities": ["chat"]], true), (["m_name": "Llama-3-Clipper"], true),
      (["engine": "diffusion"], false), (["container": "kz-embedding"], false),
      (["access_path": "/runtime/transcribe"], false), (["m_name": "bge-Embedding-v1"], false), ([:], true),
    ] as [(JSON, Bool)])
  func `only models to chat with are offered`(more: JSON, expected: Bool) throws {
    #expect(try Kamiwaza.Deployment(deployment("d", more)).isForChat == expected)
  }

  private static let list = "https://kz.lan/api/serving/deployments"

  @Test func `a server that does not know the capability is asked without`() async throws {
    let http = RoutedHTTP([
      Self.list + "?capability=chat": [.error(422)],
      Self.list: [.json(JSON.array([deployment("d")]).serialized())],
    ])
    #expect(try await KamiwazaBackend(http).models().map(\.id) == ["Llama"])
  }

  @Test func `the seed's route is asked when the other is not there, and only then`() async throws {
    let active = "https://kz.lan/api/serving/active_deployments"
    let http = RoutedHTTP([active: [.json(#"[{"id":"d","m_name":"Old","status":"DEPLOYED"}]"#)]])
    #expect(try await KamiwazaBackend(http).models().map(\.id) == ["Old"])
    let failing = RoutedHTTP([Self.list + "?capability=chat": [.error(500)], active: [.json("[]")]])
    await #expect(throws: BackendError.refused(address: "kz.lan", status: 500, message: "no")) {
      try await KamiwazaBackend(failing).models()
    }
  }
}

@Suite struct KamiwazaPlaceTests {
  private static let list = "https://kz.lan/api/serving/deployments?capability=chat"
  private static let active = "https://kz.lan/api/serving/active_deployments"
  /// As the first specification's second list has them (docs/kamiwaza.md 9).
  private static let rows = JSON.array([
    ["id": "d", "m_name": "Llama", "status": "DEPLOYED", "endpoint": "https://kz.lan/inference/d/v1"]
  ]).serialized()

  private func endpoints(_ http: RoutedHTTP) async throws -> [String] {
    let backend = KamiwazaBackend(http)
    return try await backend.list().entries.map { backend.endpoint(of: $0.deployment).base }
  }

  @Test func `an endpoint that only the seed's second list has is joined in by id`() async throws {
    let http = RoutedHTTP([
      Self.list: [.json(JSON.array([deployment("d"), deployment("e", ["access_path": "/m/e"])]).serialized())],
      Self.active: [.json(Self.rows)],
    ])
    #expect(try await endpoints(http) == ["https://kz.lan/inference/d/v1", "https://kz.lan/m/e/v1"])
  }

  @Test func `a platform without that list is asked in the usual way`() async throws {
    let http = RoutedHTTP([Self.list: [.json(JSON.array([deployment("d")]).serialized())], Self.active: [.error(404)]])
    #expect(try await endpoints(http) == ["https://kz.lan/runtime/models/d/v1"])
  }

  @Test func `a failure of that list is no word about where a model is`() async {
    let http = RoutedHTTP([Self.list: [.json(JSON.array([deployment("d")]).serialized())], Self.active: [.error(500)]])
    await #expect(throws: BackendError.refused(address: "kz.lan", status: 500, message: "no")) {
      _ = try await endpoints(http)
    }
  }

  @Test func `where every row says where it is, nothing else is asked`() async throws {
    let http = RoutedHTTP([Self.list: [.json(JSON.array([deployment("d", ["lb_port": 9000])]).serialized())]])
    #expect(try await endpoints(http) == ["https://kz.lan:9000/v1"])
    #expect(http.requests.map(\.url) == [Self.list])
  }

  @Test func `a deployment that is looked at alone stays where it was`() async throws {
    let http = RoutedHTTP([
      Self.list: [.json(JSON.array([deployment("d")]).serialized())], Self.active: [.json(Self.rows), .error(503)],
      "https://kz.lan/api/serving/deployment/d": [.json(#"{"id":"d","m_name":"Llama","status":"DEPLOYED"}"#)],
    ])
    let backend = KamiwazaBackend(http)
    let known = try #require(try await backend.list().entries.first?.deployment)
    let found = try await backend.api.deployment(known)
    #expect(found.isActive)
    #expect(backend.endpoint(of: found).base == "https://kz.lan/inference/d/v1")
  }

  @Test func `a row without instances, among rows that have some, does not run`() async throws {
    let silent: JSON = ["id": "s", "m_name": "Silent", "status": "DEPLOYED", "access_path": "/s"]
    let told = deployment("t", ["access_path": "/t"], name: "Told", at: "2026-01-01T00:00:00")
    let http = RoutedHTTP([
      Self.list: [
        .json(JSON.array([silent, told]).serialized()), .json(JSON.array([silent]).serialized()),
      ]
    ])
    let backend = KamiwazaBackend(http)
    #expect(try await backend.models().map(\.isReady) == [true, false])
    #expect(try await backend.models().map(\.isReady) == [true])
  }
}

@Suite struct KamiwazaFailureTests {
  private static let url = "https://kz.lan/api/serving/deployments?capability=chat"

  private func failure(_ replies: [ScriptedHTTP.Reply], time: TestTime = TestTime()) async -> BackendError? {
    do throws(BackendError) {
      _ = try await KamiwazaBackend(RoutedHTTP([Self.url: replies]), time: time).models()
      return nil
    } catch { return error }
  }

  @Test func `a refusal is not a sign-in that is needed`() async {
    #expect(
      await failure([.error(403, #"{"detail":"not in this workroom"}"#)])
        == .refused(address: "kz.lan", status: 403, message: "not in this workroom"))
  }

  @Test func `what a refused sign-in says is not repeated, but a code is`() async {
    let spoken = await failure([.error(401, #"{"detail":"Invalid session token eyJ0"}"#)])
    #expect(spoken == .unauthorized(address: "kz.lan", message: ""))
    let code = await failure([.error(401, #"{"detail":"token_expired"}"#)])
    #expect(code == .unauthorized(address: "kz.lan", message: "token_expired"))
  }

  @Test func `a web page is named by its title`() async {
    let page = ScriptedHTTP.Reply.response(200, [.text("<!doctype html><title>Kamiwaza</title>")])
    #expect(
      await failure([page])
        == .malformed(address: "kz.lan", detail: "/serving/deployments: HTML page \"Kamiwaza\""))
    #expect(
      await failure([.error(404, "<html><title>Kamiwaza</title>")])
        == .malformed(address: "kz.lan", detail: "HTML page \"Kamiwaza\""))
  }

  @Test func `a field that is missing is named`() async {
    #expect(
      await failure([.json(#"[{"id":"a"},{"m_name":"x"}]"#)])
        == .malformed(address: "kz.lan", detail: "/serving/deployments: [1].id: missing"))
  }

  @Test func `validation errors name their place`() async {
    let body =
      #"{"detail":[{"loc":["query","urn"],"msg":"Field required","type":"missing"},{"loc":["body",0],"msg":"bad"}]}"#
    let http = RoutedHTTP(["https://kz.lan/api/catalog/datasets/": [.error(422, body)]])
    await #expect(
      throws: BackendError.refused(
        address: "kz.lan", status: 422, message: "query.urn: Field required; body.0: bad")
    ) { try await KamiwazaBackend(http).browsing?.list(.catalog) }
  }

  @Test(arguments: [
    (#"{"detail":{"reason":"workroom_gone"}}"#, "workroom_gone"), (#"{"detail":{"code":"quota"}}"#, "quota"),
    (#"{"detail":{"code":"x","message":"too many"}}"#, "too many"), (#"{"detail":{"error":"no"}}"#, "no"),
    (#"{"code":"embedding_deploying","message":"one moment"}"#, "one moment"),
  ]) func `a refusal says why, in any of the platform's shapes`(body: String, expected: String) async {
    #expect(await failure([.error(400, body)]) == .refused(address: "kz.lan", status: 400, message: expected))
  }

  @Test func `a gateway that is settling is asked again`() async {
    let settling = ScriptedHTTP.Reply.error(503, "no healthy upstream")
    let time = TestTime()
    #expect(await failure([settling, settling, settling, .json("[]")], time: time) == nil)
    #expect(time.now == 7)
    // 1 + 2 + 4 + 8 seconds, and 16 more would be over the time-out of 30.
    let patient = TestTime()
    #expect(
      await failure([settling], time: patient)
        == .refused(address: "kz.lan", status: 503, message: "no healthy upstream"))
    #expect(patient.now == 15)
  }

  @Test func `a busy server says how long to wait`() async {
    let time = TestTime()
    let busy = ScriptedHTTP.Reply.error(503, #"{"code":"x","message":"busy","retry_after_seconds":5}"#)
    let limited = ScriptedHTTP.Reply.response(429, headers: [(name: "Retry-After", value: "0")], [.text("{}")])
    #expect(await failure([busy, limited, .json("[]")], time: time) == nil)
    #expect(time.now == 6)
    let once = TestTime()
    #expect(
      await failure([.error(503, #"{"detail":"down"}"#)], time: once)
        == .refused(address: "kz.lan", status: 503, message: "down"))
    #expect(once.now == 0)
  }
}

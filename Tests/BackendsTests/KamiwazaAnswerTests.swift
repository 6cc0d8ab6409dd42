import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

@Suite struct KamiwazaAnswerTests {
  private static let list = "https://kz.lan/api/serving/deployments?capability=chat"
  private static let one = "https://kz.lan/api/serving/deployment/d"
  private static let base = "https://kz.lan/runtime/models/d/v1"
  private static let chat = "POST \(base)/chat/completions"
  private static let hello = ScriptedHTTP.Reply.json(sse(chunk(content: "Hello"), "[DONE]"))
  private static let noModel = ScriptedHTTP.Reply.error(404, #"{"error":{"message":"no such model"}}"#)

  private static func list(_ deployments: JSON...) -> [ScriptedHTTP.Reply] {
    [.json(JSON.array(deployments).serialized())]
  }

  private static func single(_ deployment: JSON) -> ScriptedHTTP.Reply { .json(deployment.serialized()) }

  private static let running = deployment("d", ["canonical_model_id": "canon", "access_path": "/runtime/models/d"])

  private func ask(
    _ http: any HTTP, time: TestTime = TestTime(), allowed: [String] = [], model: String? = "Llama"
  ) async -> Outcome {
    var question = ChatRequest.hello
    question.model = model
    return await Outcome(of: KamiwazaBackend(http, time: time, allowed: allowed).answer(question))
  }

  /// The `model` of each question that was sent.
  private func models(_ http: RoutedHTTP) -> [String?] {
    http.requests.filter { $0.method == "POST" }.map { request in
      (try? JSON(parsing: request.body ?? []))?["model"]?.string
    }
  }

  @Test func `a deployment is asked by its canonical name at its own address`() async {
    let http = RoutedHTTP([Self.list: Self.list(Self.running), Self.chat: [Self.hello]])
    let outcome = await ask(http)
    #expect(outcome.text == "Hello" && outcome.error == nil)
    #expect(http.asked == ["GET \(Self.list)", Self.chat])
    #expect(models(http) == ["canon"])
  }

  @Test func `a list that is known is not asked for again`() async throws {
    let http = RoutedHTTP([Self.list: Self.list(Self.running), Self.chat: [Self.hello]])
    let backend = KamiwazaBackend(http)
    var question = ChatRequest.hello
    question.model = try await backend.models().first?.id
    #expect(await Outcome(of: backend.answer(question)).text == "Hello")
    #expect(await Outcome(of: backend.answer(question)).text == "Hello")
    #expect(http.asked == ["GET \(Self.list)", Self.chat, Self.chat])
  }

  @Test func `without a canonical name the engine is asked for its own, once`() async {
    let http = RoutedHTTP([
      Self.list: Self.list(deployment("d")), Self.base + "/models": [.json(#"{"data":[{"id":"served"}]}"#)],
      Self.chat: [Self.hello],
    ])
    let backend = KamiwazaBackend(http)
    var question = ChatRequest.hello
    question.model = "Llama"
    #expect(await Outcome(of: backend.answer(question)).text == "Hello")
    #expect(await Outcome(of: backend.answer(question)).text == "Hello")
    #expect(models(http) == ["served", "served"])
    #expect(http.asked.filter { $0.hasSuffix("/models") }.count == 1)
  }

  @Test func `names are tried until the engine knows one, and that one is kept`() async {
    let http = RoutedHTTP([
      Self.list: Self.list(Self.running), Self.one: [Self.single(Self.running)],
      Self.chat: [Self.noModel, Self.noModel, Self.hello],
    ])
    let backend = KamiwazaBackend(http)
    var question = ChatRequest.hello
    question.model = "Llama"
    #expect(await Outcome(of: backend.answer(question)).text == "Hello")
    #expect(await Outcome(of: backend.answer(question)).text == "Hello")
    #expect(models(http) == ["canon", "Llama", "model", "model"])
  }

  @Test func `when no name is known the person's own is told`() async {
    let http = RoutedHTTP([
      Self.list: Self.list(Self.running), Self.one: [Self.single(Self.running)], Self.chat: [Self.noModel],
    ])
    let outcome = await ask(http)
    #expect(outcome == Outcome([], .modelNotFound(name: "Llama", message: "no such model")))
    #expect(models(http) == ["canon", "Llama", "model", "kamiwaza"])
  }

  @Test func `a deployment that was stopped is gone`() async {
    let stopped = deployment("d", status: "STOPPED")
    let http = RoutedHTTP([
      Self.list: Self.list(Self.running), Self.one: [Self.single(stopped)], Self.chat: [.error(404)],
    ])
    #expect(await ask(http) == Outcome([], .modelGone(name: "Llama", state: "stopped")))
    #expect(models(http).count == 1)
    let removed = RoutedHTTP([Self.list: Self.list(Self.running), Self.chat: [.failure(.refused)]])
    #expect(await ask(removed) == Outcome([], .modelGone(name: "Llama", state: nil)))
  }

  @Test func `a model that was deployed anew is found by the next question`() async {
    let anew = deployment("e", ["canonical_model_id": "canon"])
    let http = RoutedHTTP([
      Self.list: Self.list(Self.running) + Self.list(anew), Self.chat: [.error(404)],
      "POST https://kz.lan/runtime/models/e/v1/chat/completions": [Self.hello],
    ])
    let backend = KamiwazaBackend(http)
    var question = ChatRequest.hello
    question.model = "Llama"
    #expect(await Outcome(of: backend.answer(question)).error == .modelGone(name: "Llama", state: nil))
    #expect(await Outcome(of: backend.answer(question)).text == "Hello")
  }

  @Test func `a busy engine whose deployment was stopped is not waited for`() async {
    let http = RoutedHTTP([
      Self.list: Self.list(Self.running), Self.one: [Self.single(deployment("d", status: "STOPPED"))],
      Self.chat: [.error(503)],
    ])
    let time = TestTime()
    let outcome = await ask(http, time: time)
    #expect(outcome.error == .modelGone(name: "Llama", state: "stopped"))
    #expect(time.now == 0)
  }

  @Test func `a failure of a deployment that runs is told as it is`() async {
    let http = RoutedHTTP([
      Self.list: Self.list(Self.running), Self.one: [Self.single(Self.running)], Self.chat: [.failure(.refused)],
    ])
    #expect(await ask(http) == Outcome([], .unreachable(address: "kz.lan", reason: .refused)))
  }

  @Test(arguments: ["NATIVE_CPU_HEALTH_UNVERIFIED", "NATIVE_GPU_HEALTH_UNVERIFIED"])
  func `a deployment that heals is waited for`(code: String) async {
    let failed = deployment("d", ["last_error_code": .string(code)], status: "ERROR")
    let http = RoutedHTTP([
      Self.list: Self.list(Self.running),
      Self.one: [Self.single(failed), Self.single(failed), Self.single(Self.running)],
      Self.chat: [.failure(.refused), Self.hello],
    ])
    let time = TestTime()
    let outcome = await ask(http, time: time)
    #expect(outcome.text == "Hello" && outcome.error == nil)
    let waits = outcome.events.filter { if case .notice(.waiting(.loadingModel, _)) = $0 { true } else { false } }
    #expect(waits == (7...12).reversed().map { .notice(.waiting(.loadingModel, seconds: $0)) })
    #expect(time.now == 6)
  }

  @Test func `a deployment that does not heal in twelve seconds is gone`() async {
    let starting = deployment("d", status: "INITIALIZING")
    let http = RoutedHTTP([Self.list: Self.list(starting), Self.one: [Self.single(starting)]])
    let time = TestTime()
    #expect(await ask(http, time: time).error == .modelGone(name: "Llama", state: "initializing"))
    #expect(time.now == 12)
    #expect(models(http).isEmpty)
  }

  @Test func `a deployment that failed for good is not waited for`() async {
    let failed = deployment("d", ["last_error_code": "OOM"], status: "FAILED")
    let http = RoutedHTTP([Self.list: Self.list(failed), Self.one: [Self.single(failed)]])
    let time = TestTime()
    #expect(await ask(http, time: time) == Outcome([], .modelGone(name: "Llama", state: "failed")))
    #expect(time.now == 0)
  }

  @Test func `a deployment that has moved is asked at its new address`() async {
    let moved = deployment("d", ["canonical_model_id": "canon", "access_path": "/elsewhere"])
    let http = RoutedHTTP([
      Self.list: Self.list(Self.running), Self.one: [Self.single(moved)], Self.chat: [.error(404)],
      "POST https://kz.lan/elsewhere/v1/chat/completions": [Self.hello],
    ])
    #expect(await ask(http).text == "Hello")
    #expect(models(http) == ["canon", "canon"])
  }

  @Test func `a name that nobody has is not found`() async {
    let http = RoutedHTTP([Self.list: Self.list(Self.running)])
    #expect(
      await ask(http, model: "Qwen").error
        == .modelNotFound(name: "Qwen", message: "not among the deployments"))
    #expect(
      await ask(RoutedHTTP([Self.list: Self.list()]), model: nil).error
        == .modelNotFound(name: "", message: "none is deployed"))
  }

  @Test func `nothing is asked twice once the answer has begun`() async {
    let cut = ScriptedHTTP.Reply.response(200, [.text(sse(chunk(content: "Hel"))), .failure(.refused)])
    let http = RoutedHTTP([Self.list: Self.list(Self.running), Self.chat: [cut]])
    let outcome = await ask(http)
    #expect(outcome.text == "Hel" && !outcome.events.contains(.finished(.stop)))
    #expect(http.asked.count == 2)
  }

  @Test func `plain http at a model's own port needs leave`() async {
    let old = deployment("d", ["canonical_model_id": "canon", "lb_port": 61105])
    let routes: [String: [ScriptedHTTP.Reply]] = [
      Self.list: Self.list(old), Self.one: [Self.single(old)],
      "POST https://kz.lan:61105/v1/chat/completions": [.failure(.tls("wrong version number"))],
      "POST http://kz.lan:61105/v1/chat/completions": [Self.hello],
    ]
    #expect(await ask(RoutedHTTP(routes)).error == .withheld(origin: "http://kz.lan:61105", .inTheClear))
    #expect(await ask(RoutedHTTP(routes), allowed: ["http://kz.lan:61105"]).text == "Hello")
  }

  @Test func `the first token's time is for all attempts together`() async {
    let failed = deployment("d", status: "INITIALIZING")
    let http = RoutedHTTP([
      Self.list: Self.list(failed), Self.one: [Self.single(failed), Self.single(Self.running)], Self.chat: [Self.hello],
    ])
    var question = ChatRequest.hello
    question.model = "Llama"
    question.timeouts.firstToken = 2
    #expect(
      await Outcome(of: KamiwazaBackend(http).answer(question)).error
        == .timedOut(address: "kz.lan", .firstToken, seconds: 2))
  }

  @Test(arguments: ["list", "served", "chat", "stream"])
  func `an answer can be stopped wherever it waits`(place: String) async {
    let stopping = Stopping()
    let silent = { @Sendable (reply: ScriptedHTTP.Reply) in ScriptedHTTP([reply], whenSilent: { stopping.now() }) }
    let http = HTTPByRoute { request in
      if request.url == Self.list, place != "list" {
        return silent(.json(JSON.array([place == "served" ? deployment("d") : Self.running]).serialized()))
      }
      return silent(place == "stream" ? .response(200, [.text(sse(chunk(content: "a"))), .silence]) : .silence)
    }
    var question = ChatRequest.hello
    question.model = "Llama"
    let answer = KamiwazaBackend(http).answer(question)
    stopping.answer = answer
    #expect(await Outcome(of: answer).error == .cancelled)
  }
}

/// Stops an answer when something waits.
// Sendable: set once, before the answer is read.
private final class Stopping: @unchecked Sendable {
  var answer: Answer?

  /// From elsewhere, as a person's Ctrl-C comes.
  func now() {
    let answer = answer
    // Ends with its one call.
    Task { answer?.stop() }
  }
}

private struct HTTPByRoute: HTTP {
  let route: @Sendable (HTTPRequest) -> any HTTP

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try await route(request).send(request)
  }
}

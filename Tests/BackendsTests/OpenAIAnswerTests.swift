import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

/// How a question is asked until there is an answer: again after a while, in another way, or not at all.
@Suite struct OpenAIAnswerTests {
  private static let hello = ScriptedHTTP.Reply.response(200, [.text(sse(chunk(content: "Hello"), "[DONE]"))])

  private static func busy(_ status: Int, after seconds: Int? = nil) -> ScriptedHTTP.Reply {
    let headers = seconds.map { [(name: "Retry-After", value: "\($0)")] } ?? []
    return .response(status, headers: headers, [.text(#"{"error":{"message":"busy"}}"#)])
  }

  @Test(arguments: [429, 503, 529]) func `a server that is busy is asked three times more, each time later`(
    status: Int
  ) async {
    let time = TestTime()
    let http = ScriptedHTTP([Self.busy(status), Self.busy(status), Self.busy(status), Self.hello])
    let outcome = await OpenAIBackend(http, time: time).outcome()
    #expect(outcome.text == "Hello")
    #expect(http.isPlayed)
    #expect(time.now == 1 + 2 + 4)
  }

  @Test func `what a busy server wishes is waited for, and counted down`() async {
    let time = TestTime()
    let outcome = await OpenAIBackend(ScriptedHTTP([Self.busy(429, after: 3), Self.hello]), time: time).outcome()
    let waits = outcome.events.compactMap { event -> Int? in
      if case .notice(.waiting(.rateLimited, let seconds)) = event { seconds } else { nil }
    }
    #expect(waits == [3, 2, 1])
    #expect(time.now == 3)
    #expect(outcome.text == "Hello")
  }

  @Test func `a wish beyond patience is refused at once, with the wish`() async {
    let time = TestTime()
    let http = ScriptedHTTP([Self.busy(429, after: 7200)])
    let outcome = await OpenAIBackend(http, time: time).outcome()
    #expect(outcome.error == .rateLimited(address: "gpu:8080", message: "busy", retryAfter: 7200))
    #expect(time.now == 0)
  }

  @Test func `a server that stays busy is given up`() async {
    let http = ScriptedHTTP(Array(repeating: Self.busy(503), count: 4))
    let outcome = await OpenAIBackend(http).outcome()
    #expect(outcome.error == .refused(address: "gpu:8080", status: 503, message: "busy"))
    #expect(http.isPlayed)
  }

  @Test func `a wait that is longer than the first token may take is not begun`() async {
    var question = ChatRequest.hello
    question.timeouts.firstToken = 2
    let time = TestTime()
    let outcome = await OpenAIBackend(ScriptedHTTP([Self.busy(429, after: 5)]), time: time).outcome(question)
    #expect(outcome.error == .rateLimited(address: "gpu:8080", message: "busy", retryAfter: 5))
    #expect(time.now == 0)
  }

  @Test func `a model that loads is waited for until it is there`() async {
    let loading = ScriptedHTTP.Reply.error(503, #"{"error":{"message":"Loading model"}}"#)
    let time = TestTime()
    let http = ScriptedHTTP(Array(repeating: loading, count: 5) + [Self.hello])
    let outcome = await OpenAIBackend(http, time: time).outcome()
    #expect(outcome.text == "Hello")
    #expect(time.now == 10)
  }

  @Test(arguments: [401, 404, 500]) func `what waiting does not cure is asked once`(status: Int) async {
    let http = ScriptedHTTP([.error(status, #"{"error":{"message":"no"}}"#)])
    let outcome = await OpenAIBackend(http).outcome()
    #expect(outcome.error != nil)
    #expect(http.requests.count == 1)
  }

  @Test func `once a word has come nothing is asked again`() async {
    let http = ScriptedHTTP([.response(200, [.text(sse(chunk(content: "One"))), .failure(.closedEarly("gone"))])])
    #expect(await OpenAIBackend(http).outcome().text == "One")
    #expect(http.requests.count == 1)
  }

  @Test func `a parameter that is refused is left out, then and later`() async throws {
    var question = ChatRequest.hello
    question.sampling.maxTokens = 20
    let refusal = ScriptedHTTP.Reply.error(
      400, #"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}"#)
    let http = ScriptedHTTP([refusal, Self.hello, Self.hello])
    let backend = OpenAIBackend(http)
    #expect(await backend.outcome(question).text == "Hello")
    #expect(await backend.outcome(question).text == "Hello")
    let bodies = try http.requests.map { try JSON(parsing: $0.body ?? []) }
    #expect(bodies.map { $0["max_tokens"]?.int } == [20, nil, nil])
    #expect(bodies.map { $0["max_completion_tokens"]?.int } == [nil, 20, 20])
  }

  @Test func `nothing is read behind the end mark but what ends the body`() async {
    let http = ScriptedHTTP([.response(200, [.text(sse(chunk(content: "a"), "[DONE]", chunk(content: "b")))])])
    let outcome = await OpenAIBackend(http).outcome()
    #expect(outcome.text == "a")
    #expect(http.bodies.map(\.isCancelled) == [true])
  }

  @Test func `a first token that is late is told with the time that was over`() async {
    var question = ChatRequest.hello
    question.timeouts.firstToken = 7
    let http = ScriptedHTTP([.failure(.headersTimeout)])
    let outcome = await OpenAIBackend(http).outcome(question)
    #expect(outcome.error == .timedOut(address: "gpu:8080", .firstToken, seconds: 7))
    #expect(http.requests.first?.headersTimeout == 7)
  }

  @Test func `behind the reason why it ended an answer is not waited for`() async {
    let end = ScriptedBody.Piece.text(sse(chunk(content: "Hello"), chunk("{}", finish: "stop")))
    let http = ScriptedHTTP([.response(200, [end, .failure(.readTimeout)])])
    let outcome = await OpenAIBackend(http).outcome()
    #expect(outcome.error == nil)
    #expect(outcome.events.last == .finished(.stop))
    let last = http.bodies.first?.patience.last ?? nil
    #expect(last.map { $0 < 60 } == true)
  }
}

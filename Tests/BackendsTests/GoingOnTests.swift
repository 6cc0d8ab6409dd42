import Chat
import Testing
import Transport
import Wire

@testable import Backends

struct GoingOnTests {
  private static let half = ChatRequest(model: "m", messages: [Message(.user, "Count"), Message(.assistant, "one ")])
  private static let vLLM = #"{"object":"list","data":[{"id":"m","owned_by":"vllm","max_model_len":9}]}"#
  private static let other = #"{"object":"list","data":[{"id":"m","owned_by":"me","max_model_len":9}]}"#
  private static let two = ScriptedHTTP.Reply.response(200, [.text(sse(chunk(content: "two"), "[DONE]"))])

  private func body(_ request: HTTPRequest) throws -> JSON { try JSON(parsing: request.body ?? []) }

  @Test func `vLLM is recognized before it is told to go on, once`() async throws {
    let http = ScriptedHTTP([.response(200, [.text(GoingOnTests.vLLM)]), GoingOnTests.two, GoingOnTests.two])
    let backend = OpenAIBackend(http)
    for _ in 0..<2 { #expect(await backend.outcome(GoingOnTests.half).text == "two") }
    #expect(http.requests.map(\.method) == ["GET", "POST", "POST"])
    #expect(http.requests[0].url == "http://gpu:8080/v1/models")
    for request in http.requests.dropFirst() {
      #expect(try body(request)["continue_final_message"] == true)
      #expect(try body(request)["add_generation_prompt"] == false)
    }
  }

  @Test func `a question of another kind asks for no list`() async {
    var empty = GoingOnTests.half
    empty.messages[1] = Message(.assistant, "")
    for question in [ChatRequest.hello, empty] {
      let http = ScriptedHTTP([GoingOnTests.two])
      #expect(await OpenAIBackend(http).outcome(question).text == "two")
      #expect(http.requests.map(\.method) == ["POST"])
    }
  }

  @Test func `a server of another make is asked without vLLM's fields`() async throws {
    let http = ScriptedHTTP([.response(200, [.text(GoingOnTests.other)]), GoingOnTests.two])
    #expect(await OpenAIBackend(http).outcome(GoingOnTests.half).text == "two")
    #expect(try body(http.requests[1])["continue_final_message"] == nil)
  }

  @Test(
    arguments: [
      .failure(.readTimeout), .response(500, [.text("no")]), .response(200, [.text("<html>")]),
      .response(200, [.failure(.closedEarly("gone"))]),
    ] as [ScriptedHTTP.Reply])
  func `without a list the answer is asked for all the same`(reply: ScriptedHTTP.Reply) async throws {
    let busy = ScriptedHTTP.Reply.response(503, [.text("busy")])
    let http = ScriptedHTTP([reply, busy, GoingOnTests.two])
    #expect(await OpenAIBackend(http).outcome(GoingOnTests.half).text == "two")
    #expect(http.requests.map(\.method) == ["GET", "POST", "POST"])
  }

  @Test func `a list that is missing is asked for once`() async {
    let http = ScriptedHTTP([.response(404, [.text("{}")]), GoingOnTests.two, GoingOnTests.two])
    let backend = OpenAIBackend(http)
    for _ in 0..<2 { #expect(await backend.outcome(GoingOnTests.half).text == "two") }
    #expect(http.requests.map(\.method) == ["GET", "POST", "POST"])
  }

  @Test func `the list is waited for no longer than the first token`() async {
    let http = ScriptedHTTP([.failure(.headersTimeout), GoingOnTests.two])
    var question = GoingOnTests.half
    question.timeouts.firstToken = 2
    _ = await OpenAIBackend(http).outcome(question)
    #expect(http.requests[0].headersTimeout == 2)
  }

  @Test func `an answer stopped while it waits for the list asks no more`() async {
    let (waiting, signal) = AsyncStream.makeStream(of: Void.self)
    let http = ScriptedHTTP([.silence], whenSilent: { signal.yield() })
    let answer = OpenAIBackend(http).answer(GoingOnTests.half)
    let outcome = Task { await Outcome(of: answer) }
    for await _ in waiting { break }
    answer.stop()
    #expect(await outcome.value == Outcome([], .cancelled))
    #expect(http.requests.map(\.method) == ["GET"])
  }

  @Test func `what each kind can do is what it says`() async throws {
    let http = ScriptedHTTP([])
    let chat: Abilities = [.models, .systemPrompt, .sampling, .continues, .tools, .images]
    for (kind, able) in [("kamiwaza", chat), ("openai", chat), ("demo", [.models, .tools])] {
      #expect(Backends.make(Server(name: "s", kind: kind, url: "http://gpu"), http: http)?.abilities == able)
    }
    let demo = DemoBackend(server: Server(name: "demo", kind: "demo", url: "demo:"), clock: TestTime().source)
    let whole = await Outcome(of: demo.answer(.hello)).text
    let start = String(whole.prefix(20))
    let again = ChatRequest(model: nil, messages: ChatRequest.hello.messages + [Message(.assistant, start)])
    #expect(await Outcome(of: demo.answer(again)).text == whole, "the demo starts anew")
  }
}

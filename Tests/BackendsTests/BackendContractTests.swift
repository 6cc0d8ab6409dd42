import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

/// What every kind of server gives, whatever it is made of: a new kind is a case here.
enum Contestant: String, CaseIterable, CustomTestStringConvertible {
  case openAI, kamiwaza, gateway, chatUI, demo, acp

  var testDescription: String { rawValue }

  /// What it says to a question, from the beginning; a server says "One, two, three".
  var said: String {
    switch self {
    case .openAI, .kamiwaza, .gateway, .chatUI, .acp: "One, two, three"
    case .demo: "This is parley's built-in demo"
    }
  }

  /// Those with a server that can refuse, garble or break off. A chat-ui server goes on writing when it is broken off, and is
  /// listened to again: its own tests have that.
  static let remote: [Contestant] = [.openAI, .kamiwaza, .gateway]

  /// A backend whose server answers a question so.
  func backend(_ answer: ScriptedHTTP.Reply) -> any Backend {
    switch self {
    case .openAI: OpenAIBackend(ScriptedHTTP([answer]))
    case .kamiwaza:
      KamiwazaBackend(
        RoutedHTTP([
          "https://kz.lan/api/serving/deployments?capability=chat": [
            .json(JSON.array([deployment("d", ["access_path": "/runtime/models/d"])]).serialized())
          ],
          "https://kz.lan/runtime/models/d/v1/models": [.json(#"{"data":[{"id":"m"}]}"#)],
          "POST https://kz.lan/runtime/models/d/v1/chat/completions": [answer],
        ]))
    case .gateway: GatewaySample.backend(.relay, ["POST /chat/completions": answer]).0
    case .chatUI: ChatUISample.backend(answer)
    case .demo: DemoBackend(server: Server(name: "demo", kind: "demo", url: "demo:"), clock: TestTime().source)
    case .acp:
      ScriptedAgent.backend("id = prompt()\nsay('One')\nsay(', two')\nsay(', three')\nend(id)\nread()")
    }
  }

  /// A question to a model that the server has.
  var question: ChatRequest {
    var question = ChatRequest.hello
    if self == .kamiwaza { question.model = "Llama" }
    if self == .chatUI { (question.model, question.remoteConversation, question.place) = ("test", "c", .atStart) }
    return question
  }

  func outcome(_ answer: ScriptedHTTP.Reply) async -> Outcome { await Outcome(of: backend(answer).answer(question)) }
}

@Suite struct BackendContractTests {
  private static let words = [chunk(content: "One"), chunk(content: ", two"), chunk(content: ", three")]
  private static let whole = sse(words[0], words[1], words[2], chunk("{}", finish: "stop"), "[DONE]")

  @Test(arguments: Contestant.allCases)
  func `text comes in order, and the end once and last`(kind: Contestant) async {
    let outcome = await kind.outcome(.response(200, [.text(Self.whole)]))
    #expect(outcome.error == nil)
    #expect(outcome.text.hasPrefix(kind.said))
    #expect(outcome.events.last == .finished(.stop))
    #expect(outcome.events.count { if case .finished = $0 { true } else { false } } == 1)
    guard case .started? = outcome.events.first else {
      Issue.record("begins with \(String(describing: outcome.events.first))")
      return
    }
  }

  @Test(arguments: Contestant.allCases) func `an answer that was read to its end stays at its end`(kind: Contestant)
    async throws
  {
    let answer = kind.backend(.response(200, [.text(Self.whole)])).answer(kind.question)
    var iterator = answer.makeAsyncIterator()
    while try await iterator.next() != nil {}
    #expect(try await iterator.next() == nil)
    answer.stop()
    #expect(try await iterator.next() == nil)
  }

  @Test(arguments: Contestant.allCases) func `an answer that is stopped keeps what came, and is cancelled`(
    kind: Contestant
  ) async {
    let answer = kind.backend(.response(200, [.text(sse(Self.words[0])), .silence])).answer(kind.question)
    var outcome = Outcome([])
    do throws(BackendError) {
      for try await event in answer {
        outcome.events.append(event)
        if case .text = event { answer.stop() }
      }
    } catch {
      outcome.error = error
    }
    #expect(!outcome.text.isEmpty)
    #expect(outcome.error == .cancelled)
    #expect(!outcome.events.contains(.finished(.stop)))
  }

  @Test(arguments: Contestant.allCases) func `an answer that is stopped before it is read is cancelled`(
    kind: Contestant
  ) async {
    let answer = kind.backend(.response(200, [.text(Self.whole)])).answer(kind.question)
    answer.stop()
    let outcome = await Outcome(of: answer)
    #expect(outcome.error == .cancelled)
    #expect(outcome.text.isEmpty)
  }

  @Test(arguments: Contestant.remote) func `who is not signed in is told so`(kind: Contestant) async {
    let outcome = await kind.outcome(.error(401, #"{"error":{"message":"who are you"}}"#))
    guard case .unauthorized? = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
    #expect(outcome.text.isEmpty)
  }

  @Test(arguments: Contestant.remote, [400, 418, 500])
  func `a refusal is told with its status and the server's words`(kind: Contestant, status: Int) async {
    let outcome = await kind.outcome(.error(status, #"{"error":{"message":"no tea today"}}"#))
    guard case .refused(_, status, let message)? = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
    #expect(message.contains("no tea today"))
  }

  @Test(arguments: Contestant.remote, ["<html><title>Sign in</title></html>", "all is well", #"{"fine":true}"#])
  func `what is no answer is no answer`(kind: Contestant, body: String) async {
    let outcome = await kind.outcome(.response(200, [.text(body)]))
    guard case .malformed? = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
    #expect(outcome.text.isEmpty)
  }

  @Test(arguments: Contestant.remote) func `an answer that is cut off keeps what came, and has no end`(
    kind: Contestant
  ) async {
    for rest in [[], [.failure(.closedEarly("gone"))], [.failure(.other("reset"))]] as [[ScriptedBody.Piece]] {
      let outcome = await kind.outcome(.response(200, [.text(sse(Self.words[0], Self.words[1]))] + rest))
      #expect(outcome.text == "One, two")
      #expect(outcome.error == nil)
      #expect(!outcome.events.contains { if case .finished = $0 { true } else { false } })
    }
  }

  @Test(arguments: Contestant.remote) func `a failure inside a stream keeps what came`(kind: Contestant) async {
    let outcome = await kind.outcome(
      .response(200, [.text(sse(Self.words[0], #"{"error":{"message":"out of memory"}}"#))]))
    #expect(outcome.text == "One")
    #expect(outcome.error == .failed(message: "out of memory"))
  }

  @Test(arguments: Contestant.remote) func `an answer that falls silent is stalled`(kind: Contestant) async {
    let outcome = await kind.outcome(.response(200, [.text(sse(Self.words[0])), .failure(.readTimeout)]))
    #expect(outcome.text == "One")
    #expect(outcome.error == .stalled(seconds: 300))
  }
}

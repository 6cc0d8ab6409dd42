import Chat
import Shell
import Store
import Testing
import Wire

@testable import Serving

/// What happens in a prompt, and what it is answered with.
@Suite struct PromptTurnTests {
  private let failure = Complaint(.noServer)

  private func end(
    _ events: [TurnEvent], isStopped: Bool = false, isCommand: Bool = false, offersSignIn: Bool = false
  ) -> (told: [JSON], answer: Result<JSON, RPCFailure>) {
    var turn = PromptTurn(number: 1)
    turn.isCommand = isCommand
    let told = events.flatMap { turn.take($0) }
    let end = turn.end(isStopped: isStopped, offersSignIn: offersSignIn)
    return (told + end.updates, end.answer)
  }

  private func reason(_ answer: Result<JSON, RPCFailure>) -> String? {
    (try? answer.get())?["stopReason"]?.string
  }

  @Test(arguments: [
    (AnswerStatus.complete, "end_turn"), (.length, "max_tokens"), (.filtered, "end_turn"), (.interrupted, "cancelled"),
  ])
  func `an answer that ended says how`(status: AnswerStatus, word: String) {
    #expect(reason(end([.ended(status, Usage(), isForgotten: false)]).answer) == word)
  }

  @Test(arguments: [AnswerStatus.failed, .cutOff, .stalled])
  func `one that failed is an error with its reason`(status: AnswerStatus) {
    guard case .failure(let error) = end([.complaint(failure), .ended(status, Usage(), isForgotten: false)]).answer
    else {
      Issue.record("it was answered")
      return
    }
    #expect(error.code == RPCFailure.internalError && error.message.hasPrefix("no server yet; /connect"))
    // Nobody has called it off, so it is not told that way.
    guard case .failure = end([.ended(status, Usage(), isForgotten: false)]).answer else {
      Issue.record("it was answered")
      return
    }
  }

  @Test func `one that was called off is cancelled, whatever failed by that`() {
    #expect(
      reason(end([.complaint(failure), .ended(.failed, Usage(), isForgotten: false)], isStopped: true).answer)
        == "cancelled")
    #expect(reason(end([], isStopped: true).answer) == "cancelled")
    #expect(reason(end([.complaint(Complaint(.interrupted))]).answer) == "cancelled")
  }

  @Test func `what went wrong beside a whole answer is told`() {
    let (told, answer) = end([.complaint(failure), .ended(.complete, Usage(), isForgotten: false)])
    #expect(told.count == 1 && told[0]["sessionUpdate"] == "agent_thought_chunk")
    #expect(reason(answer) == "end_turn")
  }

  @Test func `of several complaints the last is the answer`() {
    let last = Complaint(.noSessions)
    let (told, answer) = end([.complaint(failure), .complaint(last)])
    #expect(told.map { $0["content"]?["text"]?.string } == [failure.lines])
    guard case .failure(let error) = answer else {
      Issue.record("it was answered")
      return
    }
    #expect(error.message.hasPrefix("no session yet"))
  }

  @Test func `an agent that has forgotten the message has refused`() {
    #expect(reason(end([.ended(.filtered, Usage(), isForgotten: true)]).answer) == "refusal")
  }

  @Test func `who wants no more calls of tools has not called the turn off`() {
    #expect(
      reason(end([.enoughRounds, .ended(.interrupted, Usage(), isForgotten: false)]).answer) == "max_turn_requests")
  }

  @Test func `a call that only a question told of ends with its answer`() {
    var turn = PromptTurn(number: 1)
    _ = turn.take(.asked(StoredCall(ToolCall(id: "a", name: "add", arguments: .object([:])))))
    _ = turn.subject(of: Alternatives(about: Activity(id: "a"), []), prompt: "")
    #expect(turn.answered(isAllowed: true) == [])
    _ = turn.subject(of: Alternatives([]), prompt: "sure?")
    #expect(
      turn.answered(isAllowed: false) == [
        ["sessionUpdate": "tool_call_update", "toolCallId": "1-question-1", "status": "failed"]
      ])
    #expect(turn.answered(isAllowed: false) == [])
  }

  @Test func `a command that fails has said why`() {
    let (told, answer) = end([.complaint(failure)], isCommand: true)
    #expect(told.first?["content"]?["text"]?.string?.contains("error: no server yet") == true)
    #expect(reason(answer) == "end_turn")
  }

  @Test func `a command that asks a model is answered as its answer ends`() {
    #expect(reason(end([.ended(.length, Usage(), isForgotten: false)], isCommand: true).answer) == "max_tokens")
  }

  @Test func `signing in is only demanded of who was offered a way`() {
    let wanted = Complaint(.signInNeeded(server: "lab"))
    for (offers, code) in [(true, -32000), (false, -32603)] {
      guard case .failure(let error) = end([.complaint(wanted)], offersSignIn: offers).answer else {
        Issue.record("it was answered")
        return
      }
      #expect(error.code == code)
    }
  }

  @Test func `tokens are told when both counts are known`() throws {
    let whole = try end([.ended(.complete, Usage(promptTokens: 2, completionTokens: 3), isForgotten: false)]).answer
      .get()
    #expect(whole["usage"] == ["inputTokens": 2, "outputTokens": 3, "totalTokens": 5])
    let half = try end([.ended(.complete, Usage(completionTokens: 3), isForgotten: false)]).answer.get()
    #expect(half["usage"] == nil)
  }

  @Test func `a call keeps its name from the question to its end`() {
    var turn = PromptTurn(number: 7)
    let call = StoredCall(ToolCall(id: "a", name: "add", arguments: .object([:])))
    let begun = turn.take(.asked(call)).first
    let subject = turn.subject(of: Alternatives(about: Activity(id: "a"), []), prompt: "")
    #expect(begun?["toolCallId"] == "7-a" && subject["toolCallId"] == "7-a")
    let questions = (1...2).map { _ in turn.subject(of: Alternatives([]), prompt: "sure?")["toolCallId"]?.string }
    #expect(questions == ["7-question-1", "7-question-2"])
  }
}

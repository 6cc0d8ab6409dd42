import Testing
import Wire

@testable import Backends
@testable import Chat

struct ACPStopTests {
  @Test(
    arguments: [
      ("end_turn", [.finished(.stop)]), ("max_tokens", [.finished(.length)]),
      ("max_turn_requests", [.notice(.stopped("max_turn_requests")), .finished(.length)]),
      ("refusal", [.notice(.refusal), .finished(.filtered)]),
      ("maxTurnRequests", [.notice(.stopped("max_turn_requests")), .finished(.length)]),
      ("MAX-TURN-REQUESTS", [.notice(.stopped("max_turn_requests")), .finished(.length)]),
      ("tired", [.finished(.other("tired"))]), ("MAX_TOKENS", [.finished(.length)]), ("endTurn", [.finished(.stop)]),
      ("cancelled", []),
    ] as [(String, [ChatEvent])]) func `each reason ends the turn in its way`(_ word: String, _ events: [ChatEvent])
  {
    let stop = ACPStop(["stopReason": .string(word)])
    #expect(stop.events == events)
    #expect(stop.isCancelled == (word == "cancelled"))
  }

  @Test(arguments: [.null, [:], ["stopReason": .null], ["stopReason": ""], []] as [JSON])
  func `an answer without a reason ends the turn`(_ result: JSON) {
    let stop = ACPStop(result)
    #expect(stop.events.last == .finished(.stop))
    #expect(!stop.isCancelled)
  }

  @Test func `tokens are counted, and the cost of the updates stays`() {
    let result: JSON = [
      "stopReason": "end_turn",
      "usage": ["inputTokens": 12, "outputTokens": 3, "totalTokens": 15, "thoughtTokens": .null],
    ]
    #expect(
      ACPStop(result, cost: 0.5).events == [
        .usage(Usage(promptTokens: 12, completionTokens: 3, cost: 0.5)), .finished(.stop),
      ])
  }

  @Test(arguments: [.null, [:], "12", ["inputTokens": "12", "outputTokens": .null]] as [JSON])
  func `counts that cannot be read are left out`(_ usage: JSON) {
    #expect(ACPStop(["stopReason": "end_turn", "usage": usage], cost: 1).events == [.finished(.stop)])
  }

  @Test func `a turn that was cancelled has its counts`() {
    let stop = ACPStop(["usage": ["outputTokens": 3], "stopReason": "cancelled"])
    #expect(stop.isCancelled)
    #expect(stop.events == [.usage(Usage(completionTokens: 3))])
  }

  @Test func `an error beside a good reason and a reason in snake case count`() {
    let failed = ACPStop(["stopReason": "end_turn", "error": ["message": "boom"]])
    #expect(failed.events == [.finished(.other("boom"))])
    #expect(ACPStop(["stopReason": "end_turn", "error": ["message": ""]]).events == [.finished(.stop)])
    #expect(ACPStop(["stop_reason": "max_tokens"]).events == [.finished(.length)])
  }
}

import Chat
import Wire

/// How a turn ended, by the answer of `session/prompt` (docs/acp.md 4).
struct ACPStop: Sendable, Equatable {
  /// The last events of the turn, without its end mark when it was cancelled.
  var events: [ChatEvent]
  /// The agent says that it was stopped: what follows is the caller's.
  var isCancelled: Bool

  /// - Parameter cost: what the turn has cost by the agent's updates; the last counts of an answer stand for all of it.
  init(_ result: JSON, cost: Double? = nil) {
    events = []
    isCancelled = false
    if let usage = Usage(result["usage"] ?? .null, cost: cost) { events.append(.usage(usage)) }
    if result["error"]?.reportsError == true {
      events.append(.finished(.other(ErrorBody(result).message)))
      return
    }
    let reason = result["stopReason"] ?? result["stop_reason"] ?? .null
    let word = reason.isNull ? "" : reason.string ?? reason.serialized()
    switch FinishReason.letters(of: word) {
    case "maxturnrequests": events += [.notice(.stopped("max_turn_requests")), .finished(.length)]
    // The agent drops the question and all that came of it from its context, so nothing can go on from there.
    case "refusal": events += [.notice(.refusal), .finished(.filtered)]
    case "cancelled", "canceled": isCancelled = true
    case "": events += [.notice(.log("the turn ended without a reason")), .finished(.stop)]
    default: events.append(.finished(FinishReason(openAI: word) ?? .other(word)))
    }
  }
}

extension Usage {
  /// nil when no counts are there.
  fileprivate init?(_ usage: JSON, cost: Double?) {
    let input = usage["inputTokens"]?.tokenCount
    let output = usage["outputTokens"]?.tokenCount
    guard input != nil || output != nil else { return nil }
    self.init(promptTokens: input, completionTokens: output, cost: cost)
  }
}

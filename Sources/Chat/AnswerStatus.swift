/// How an answer ended. The raw values are stored and appear in JSON (docs/shell.md 7).
package enum AnswerStatus: String, Sendable, CaseIterable {
  /// The server said that it was done.
  case complete
  /// The person stopped it, or the program died while it was being written.
  case interrupted
  /// The stream ended without its end mark or for an unknown reason, or parts of it could not be read.
  case cutOff = "cut-off"
  /// Nothing came for longer than the idle time-out.
  case stalled
  /// The server ended it at a length limit.
  case length
  /// The server ended it with a filter.
  case filtered
  /// The server or the network failed it.
  case failed

  /// Whether `/continue` can go on with it.
  package var isUnfinished: Bool { self != .complete && self != .filtered }
}

/// The finish reason that the server reported.
package enum FinishReason: Sendable, Equatable {
  case stop, length, filtered
  /// Anything else that a server says: the answer is cut off for this reason.
  case other(String)
}

/// What an answer cost, as the server counts it.
package struct Usage: Sendable, Equatable {
  package var promptTokens: Int?
  package var completionTokens: Int?
  /// In the server's currency, when it says so.
  package var cost: Double?

  package init(promptTokens: Int? = nil, completionTokens: Int? = nil, cost: Double? = nil) {
    self.promptTokens = promptTokens
    self.completionTokens = completionTokens
    self.cost = cost
  }
}

/// How long an answer took, in milliseconds from the request.
package struct Timing: Sendable, Equatable {
  package var firstTokenMs: Int?
  package var totalMs: Int

  package init(firstTokenMs: Int? = nil, totalMs: Int = 0) {
    self.firstTokenMs = firstTokenMs
    self.totalMs = totalMs
  }
}

package import Chat

/// A round of a turn: what the model said before it asked for tools, what it asked for, and what came of it.
package struct ToolStep: Sendable, Equatable {
  package var text: String
  package var reasoning: String
  package var model: String?
  package var usage: Usage?
  package var timing: Timing?
  /// At least one, in the order the model asked.
  package var calls: [StoredCall]

  package init(
    text: String, reasoning: String = "", model: String? = nil, usage: Usage? = nil, timing: Timing? = nil,
    calls: [StoredCall]
  ) {
    self.text = text
    self.reasoning = reasoning
    self.model = model
    self.usage = usage
    self.timing = timing
    self.calls = calls
  }
}

/// A call as it is kept.
package struct StoredCall: Sendable, Equatable {
  package var call: ToolCall
  /// The tool's own name, and the server it is of; nil when there is no such tool.
  package var tool: String?
  package var server: String?
  /// nil while it runs, and for ever when the program died meanwhile.
  package var result: StoredResult?

  package init(_ call: ToolCall, tool: String? = nil, server: String? = nil, result: StoredResult? = nil) {
    self.call = call
    self.tool = tool
    self.server = server
    self.result = result
  }
}

/// What came of a call.
package struct StoredResult: Sendable, Equatable {
  package var status: Status
  /// What the model is given.
  package var text: String
  /// The whole result as JSON, when there is more to it than the text.
  package var whole: String?
  package var milliseconds: Int?

  /// The raw values are stored.
  package enum Status: String, Sendable, CaseIterable {
    case done
    /// The tool said that it failed.
    case failed
    /// The person did not let it run.
    case refused
    /// It did not run: there is no such tool, or the call could not be read.
    case invalid
    /// Its server could not be reached, or broke off.
    case unavailable
    case timedOut = "timed-out"
    /// It was stopped: by the person, or with the program.
    case cancelled
    /// The agent that ran it ended its turn well, and reported no result.
    case unreported

    /// Whether the call is known not to have succeeded.
    package var isError: Bool { self != .done && self != .unreported }
  }

  package init(_ status: Status, text: String, whole: String? = nil, milliseconds: Int? = nil) {
    self.status = status
    self.text = text
    self.whole = whole
    self.milliseconds = milliseconds
  }
}

import Chat
import Store
import Wire

/// What an agent did in a turn, each a step of it: what it had said before, and one call (docs/shell.md 7).
struct AgentSteps {
  struct Step {
    /// Which of the turn's steps it is.
    var index: Int
    /// nil when it could not be kept.
    var kept: StepID?
    var activity: Activity
    var isOver = false
  }

  private(set) var byID: [String: Step] = [:]

  subscript(id: String) -> Step? {
    get { byID[id] }
    set { byID[id] = newValue }
  }

  /// Those of which no end has come, in order.
  var open: [Step] { byID.values.filter { !$0.isOver }.sorted { $0.index < $1.index } }
}

extension StoredCall {
  /// What an agent does, as a call of a tool of its own.
  init(_ activity: Activity, of agent: Server) {
    var arguments = activity.input ?? [:]
    if arguments.object == nil { arguments = ["input": arguments] }
    self.init(
      ToolCall(id: activity.id, name: activity.kind, arguments: .object(arguments)),
      tool: activity.title.isEmpty ? nil : activity.title, server: agent.name)
  }
}

extension StoredResult {
  /// What came of it, and the whole of what is known. - Parameter text: a line for people.
  init(_ activity: Activity, text: String) {
    let status: Status =
      switch activity.status {
      case .done: .done
      case .failed: .failed
      case .unreported: .unreported
      case .stopped, .pending, .running: .cancelled
      }
    self.init(
      activity.kind == "plan" && [.cancelled, .unreported].contains(status) ? .done : status, text: text,
      whole: AnswerJSON.object(activity).serialized())
  }
}

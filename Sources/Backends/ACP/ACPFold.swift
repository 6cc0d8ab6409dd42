import Chat
import Wire

/// What is known of a session from its updates: an update goes in, events come out (docs/acp.md 4).
///
/// Everything is known by ids, and the end of a turn is an event of its own: an update may come after it.
struct ACPFold: Sendable {
  /// Of the turn, by the ids of its calls.
  private var calls: [String: Activity] = [:]
  private var order: [String] = []
  /// Of the turn before: what is left to say of them may come late.
  private var pastCalls: [String: Activity] = [:]
  /// Calls that ended with a turn that was stopped: they do not go on.
  private var stoppedCalls: Set<String> = []
  private var plan: Activity?
  private var paragraphs = ACPParagraphs()
  private var textHalves = HalfJoiner()
  private var thoughtHalves = HalfJoiner()
  private var blockCount = 0
  private var costs: ACPCosts

  /// - Parameter isNew: whether the session begins with it, so that it has cost nothing yet.
  init(isNew: Bool = true) { costs = ACPCosts(isNew: isNew) }

  /// What the turn has cost so far, when the agent says so.
  var cost: Double? { costs.ofTurn }

  /// What was said up to here of the session's cost is not of the turn that begins.
  mutating func beginTurn() { costs.beginTurn() }

  /// Takes the `update` of `session/update`, in which halves of characters are marked.
  mutating func take(_ marked: JSON, _ state: inout AgentState) -> [ChatEvent] {
    guard let kind = marked.text("sessionUpdate") else { return [.notice(.log("an update without a kind"))] }
    let isPiece = kind == "agent_message_chunk" || kind == "agent_thought_chunk"
    let update = isPiece ? marked : marked.joiningHalves
    switch kind {
    case "agent_message_chunk": return takeContent(update["content"] ?? .null, of: update.idText("messageId"))
    case "agent_thought_chunk":
      let thought = update["content"]?.text("text") ?? update.text("content")
      return thought.map { [.reasoning(thoughtHalves.take($0))] } ?? []
    // Some agents say every message of the person again.
    case "user_message_chunk": return []
    case "tool_call", "tool_call_update": return takeCall(update, isNew: kind == "tool_call")
    case "plan": return takePlan(update)
    case "usage_update":
      if let used = update["used"]?.tokenCount { state.used = used }
      if let size = update["size"]?.tokenCount { state.size = size }
      guard let amount = update["cost"]?["amount"]?.double, costs.take(amount), let cost else { return [] }
      return [.usage(Usage(cost: cost))]
    default:
      return state.take(update, kind: kind) ?? [.notice(.log("an update of an unknown kind: \(kind)"))]
    }
  }

  /// What a question for permission says of a call, over what is known of it. Nothing is kept: the call may never be
  /// spoken of again (docs/acp.md 5).
  func patched(_ toolCall: JSON) -> Activity {
    guard let id = toolCall.idText("toolCallId") else { return Activity(id: "").patched(by: toolCall, isNew: true) }
    let known = calls[id] ?? pastCalls[id]
    return (known ?? Activity(id: id)).patched(by: toolCall, isNew: known == nil)
  }

  /// Some agents say only in their question what a call is given: nil where that is no news.
  mutating func noteInput(of asked: Activity) -> ChatEvent? {
    guard let input = asked.input, var call = calls[asked.id], call.input == nil else { return nil }
    call.input = input
    calls[asked.id] = call
    return .activity(call)
  }

  /// Ends the unfinished calls, because not every agent reports the end of a call. Leaves the plan unchanged. Later
  /// updates belong to the next turn, or to none.
  /// - Parameters:
  ///   - wasStopped: whether the person stopped the turn, so that none of its calls goes on behind it.
  ///   - isBroken: whether the turn was cancelled or its connection lost. The calls of a turn that ended well may have
  ///     succeeded: their result was not reported.
  mutating func endTurn(wasStopped: Bool, isBroken: Bool) -> [ChatEvent] {
    stoppedCalls = []
    var events: [ChatEvent] = []
    for id in order {
      guard var call = calls[id], !call.status.isOver else { continue }
      call.status = wasStopped || isBroken ? .stopped : .unreported
      calls[id] = call
      if wasStopped { stoppedCalls.insert(id) }
      events.append(.activity(call))
    }
    pastCalls = calls
    calls = [:]
    order = []
    plan = nil
    paragraphs = ACPParagraphs()
    costs.endTurn()
    return events
  }
}

// MARK: - Text

extension ACPFold {
  private mutating func takeContent(_ content: JSON, of message: String?) -> [ChatEvent] {
    switch content {
    case .null: return []
    case .string(let text): return takeText(text, of: message)
    case .array(let blocks): return blocks.flatMap { takeContent($0, of: message) }
    default:
      let block = ToolContent(content.text("type") == "text" ? content : content.joiningHalves)
      if case .text(let text) = block { return takeText(text, of: message) }
      blockCount += 1
      return [
        .activity(Activity(id: "content-\(blockCount)", kind: "content", status: .done, content: [.block(block)]))
      ]
    }
  }

  private mutating func takeText(_ text: String, of message: String?) -> [ChatEvent] {
    let text = textHalves.take(text)
    guard !text.isEmpty else { return [] }
    return paragraphs.take(text, of: message).map { .text($0) }
  }
}

// MARK: - Calls and plans

extension ACPFold {
  private mutating func takeCall(_ update: JSON, isNew: Bool) -> [ChatEvent] {
    guard let id = update.idText("toolCallId") else { return [.notice(.log("an update of a call without an id"))] }
    if isNew { stoppedCalls.remove(id) }
    // Some agents count their calls from 1 in each turn: what is announced is not that of the turn before.
    let known = calls[id] ?? (isNew ? nil : pastCalls[id])
    var call = (known ?? Activity(id: id)).patched(by: update, isNew: known == nil)
    if stoppedCalls.contains(id), !call.status.isOver { call.status = .stopped }
    guard call != known else { return [] }
    if calls.updateValue(call, forKey: id) == nil {
      order.append(id)
      // What is said behind a call begins anew.
      paragraphs = ACPParagraphs()
    }
    return [.activity(call)]
  }

  private mutating func takePlan(_ update: JSON) -> [ChatEvent] {
    guard let list = update["entries"]?.array else { return [.notice(.log("a plan without entries"))] }
    let entries = list.compactMap { PlanEntry($0) }
    if plan == nil, entries.isEmpty { return [] }
    let status: Activity.Status =
      if entries.allSatisfy({ $0.status.isOver }) {
        .done
      } else if entries.contains(where: { $0.status != .pending }) {
        .running
      } else {
        .pending
      }
    let new = Activity(id: "plan", kind: "plan", status: status, content: [.plan(entries)])
    guard new != plan else { return [] }
    plan = new
    return [.activity(new)]
  }
}

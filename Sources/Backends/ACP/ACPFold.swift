import Chat
import Wire

/// Folds the updates of a session into events (docs/acp.md 4).
///
/// Calls are identified by their ids. The end of a turn is an event of its own: an update may come after it.
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

  /// Adds the `update` of `session/update`, in which halves of characters are marked.
  mutating func take(_ marked: JSON, _ state: inout AgentState) -> [ChatEvent] {
    guard let kind = marked.text("sessionUpdate") else {
      return [.notice(ACPFold.unknown("an update without a kind", marked))]
    }
    let isPiece = kind == "agent_message_chunk" || kind == "agent_thought_chunk"
    let update = isPiece ? marked : marked.joiningHalves
    switch kind {
    case "agent_message_chunk":
      return takeContent(ACPFold.content(of: update), of: update.idText("messageId"))
    case "agent_thought_chunk":
      return AnswerPart.parts(of: ACPFold.content(of: update)).map { part in
        switch part {
        case .text(let text), .thought(let text), .refusal(let text): .reasoning(thoughtHalves.take(text))
        case .call, .unreadable: .notice(.log("a thought that cannot be read"))
        }
      }
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
      return state.take(update, kind: kind)
        ?? [.notice(ACPFold.unknown("an update of an unknown kind: \(kind)", kind.hasSuffix("chunk") ? update : .null))]
    }
  }

  /// Returns the content of a chunk. Some agents write its text beside the kind.
  private static func content(of update: JSON) -> JSON {
    update.firstValue(of: ["content", "text", "delta", "message"]) ?? .null
  }

  /// Reports an update that is not understood. One with content may be a part of the answer; of the unknown kinds only
  /// chunks are.
  private static func unknown(_ words: String, _ update: JSON) -> Notice {
    content(of: update).isNothing ? .log(words) : .unreadable(words)
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
    if let blocks = content.array { return blocks.flatMap { takeContent($0, of: message) } }
    return AnswerPart.parts(of: content).flatMap { part -> [ChatEvent] in
      switch part {
      case .text(let text), .refusal(let text): takeText(text, of: message)
      case .thought(let text): [.reasoning(thoughtHalves.take(text))]
      case .call, .unreadable: takeBlock(content, of: message)
      }
    }
  }

  /// Returns the text of an embedded resource, or an activity that shows what the block is.
  private mutating func takeBlock(_ content: JSON, of message: String?) -> [ChatEvent] {
    if content.text("type") == "resource", let text = content["resource"]?.text("text") {
      return takeText(text, of: message)
    }
    blockCount += 1
    let block = Activity.Content.block(ToolContent(content.joiningHalves))
    return [.activity(Activity(id: "content-\(blockCount)", kind: "content", status: .done, content: [block]))]
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

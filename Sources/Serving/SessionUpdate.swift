import Chat
import Shell
import Store
import Wire

/// The `update` of `session/update`: what an editor is told of a session (docs/acp.md 4 and 11). Pure.
enum SessionUpdate {
  static func user(_ text: String) -> JSON { chunk("user_message_chunk", text) }
  static func text(_ text: String) -> JSON { chunk("agent_message_chunk", text) }
  static func thought(_ text: String) -> JSON { chunk("agent_thought_chunk", text) }

  private static func chunk(_ kind: String, _ text: String) -> JSON {
    ["sessionUpdate": .string(kind), "content": ["type": "text", "text": .string(text)]]
  }

  /// A call that a model asks for; with its result where it has one.
  static func call(_ stored: StoredCall, as id: String) -> JSON {
    var update: JSON = [
      "sessionUpdate": "tool_call", "toolCallId": .string(id), "title": .string(title(of: stored)), "kind": "other",
      "status": "pending",
    ]
    switch stored.call.arguments {
    case .object(let arguments): update["rawInput"] = arguments
    case .broken(let text, _): update["rawInput"] = .string(text)
    }
    guard let result = stored.result else { return update }
    for member in end(result) { update[member.key] = member.value }
    return update
  }

  static func running(_ id: String) -> JSON {
    ["sessionUpdate": "tool_call_update", "toolCallId": .string(id), "status": "in_progress"]
  }

  /// What came of a question that was a call of its own.
  static func answered(_ id: String, isAllowed: Bool) -> JSON {
    [
      "sessionUpdate": "tool_call_update", "toolCallId": .string(id),
      "status": isAllowed ? "completed" : "failed",
    ]
  }

  /// What came of a call.
  static func result(_ result: StoredResult, of id: String) -> JSON {
    .object([.init("sessionUpdate", "tool_call_update"), .init("toolCallId", .string(id))] + end(result))
  }

  private static func end(_ result: StoredResult) -> [JSON.Member] {
    let whole = result.whole.flatMap { try? JSON(parsing: $0) } ?? .string(result.text)  // ours: unreadable is none
    return [
      .init("status", result.status.isError ? "failed" : "completed"),
      .init("content", [["type": "content", "content": ["type": "text", "text": .string(result.text)]]]),
      .init("rawOutput", whole),
    ]
  }

  private static func title(of stored: StoredCall) -> String {
    let name = stored.tool ?? stored.call.name
    return stored.server.map { "\(name) (\($0))" } ?? name
  }

  /// The name of a session, and when it was last talked in.
  static func info(title: String?, updatedAt: String) -> JSON {
    [
      "sessionUpdate": "session_info_update", "title": title.map(JSON.string) ?? .null, "updatedAt": .string(updatedAt),
    ]
  }

  static func options(_ options: JSON) -> JSON {
    ["sessionUpdate": "config_option_update", "configOptions": options]
  }

  /// What may be typed behind a slash.
  static func commands(_ commands: [Command]) -> JSON {
    let list = commands.map { command -> JSON in
      var entry: JSON = ["name": .string(command.name), "description": .string(command.summary)]
      let hint = command.forms.map(\.usage).first { !$0.isEmpty }
      if let hint { entry["input"] = ["hint": .string(hint)] }
      return entry
    }
    return ["sessionUpdate": "available_commands_update", "availableCommands": .array(list)]
  }
}

// What the agent does that our shell talks with.
extension SessionUpdate {
  /// - Parameter isNew: whether nothing was said of it before.
  static func activity(_ activity: Activity, as id: String, isNew: Bool) -> JSON {
    for case .plan(let entries) in activity.content { return plan(entries) }
    let update: JSON = ["sessionUpdate": isNew ? "tool_call" : "tool_call_update"]
    return .object((update.object ?? []) + (fields(of: activity, as: id).object ?? []))
  }

  /// What is known of a call: what a question for permission says of it too.
  static func fields(of activity: Activity, as id: String) -> JSON {
    var fields: JSON = [
      "toolCallId": .string(id), "title": .string(activity.title.isEmpty ? activity.kind : activity.title),
      "kind": .string(kinds.contains(activity.kind) ? activity.kind : "other"),
      "status": .string(status(activity.status)), "content": .array(activity.content.compactMap(content)),
      "locations": .array(activity.places.map(place)),
    ]
    if let input = activity.input { fields["rawInput"] = input }
    if let output = activity.output { fields["rawOutput"] = output }
    return fields
  }

  private static let kinds: Set<String> = [
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other",
  ]

  private static func status(_ status: Activity.Status) -> String {
    switch status {
    case .pending: "pending"
    case .running: "in_progress"
    // The protocol has no status for a call without a result.
    case .done, .unreported: "completed"
    case .failed, .stopped: "failed"
    }
  }

  private static func content(_ content: Activity.Content) -> JSON? {
    switch content {
    case .block(let block): ["type": "content", "content": ResultText.json(block)]
    case .diff(let change):
      [
        "type": "diff", "path": .string(change.path), "oldText": change.old.map(JSON.string) ?? .null,
        "newText": .string(change.new),
      ]
    // The terminal is ours: its output comes with the end of the call, where the agent says it.
    case .terminal, .plan: nil
    }
  }

  private static func place(_ place: Activity.Place) -> JSON {
    var json: JSON = ["path": .string(place.path)]
    if let line = place.line { json["line"] = .int(line) }
    return json
  }

  private static func plan(_ entries: [PlanEntry]) -> JSON {
    let list = entries.map { entry -> JSON in
      [
        "content": .string(entry.text),
        "priority": .string(["high", "medium", "low"].contains(entry.priority) ? entry.priority : "medium"),
        "status": .string(entry.status.isOver ? "completed" : status(entry.status)),
      ]
    }
    return ["sessionUpdate": "plan", "entries": .array(list)]
  }
}

// What was said before.
extension SessionUpdate {
  /// The updates that tell a turn again.
  static func replay(_ turn: Turn) -> [JSON] {
    var updates = [user(turn.question)]
    for step in turn.steps {
      updates += said(step.text, step.reasoning)
      // Apart from those of this run.
      updates += step.calls.map { call in
        let id = "past-\(turn.number)-\(call.call.id)"
        return call.activity.map { activity($0, as: id, isNew: true) } ?? self.call(call.ended, as: id)
      }
    }
    if let answer = turn.answer { updates += said(answer.text, answer.reasoning) }
    return updates
  }

  private static func said(_ text: String, _ reasoning: String) -> [JSON] {
    (reasoning.isEmpty ? [] : [thought(reasoning)]) + (text.isEmpty ? [] : [self.text(text)])
  }
}

extension StoredCall {
  /// One of the past is over, whatever is known of its end.
  fileprivate var ended: StoredCall {
    var call = self
    call.result = result ?? StoredResult(.cancelled, text: "No result of this call is known.")
    return call
  }

  /// What an agent did, as it was told then; nil for a call of a tool.
  fileprivate var activity: Activity? {
    guard let kept = result?.whole.flatMap({ try? JSON(parsing: $0) }) else { return nil }  // ours: unreadable is none
    return Activity(kept: kept)
  }
}

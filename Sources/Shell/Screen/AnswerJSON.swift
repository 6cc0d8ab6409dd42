package import Chat
import Store
package import Wire

/// The object of `--json` (docs/shell.md 7).
enum AnswerJSON {
  /// A call and what came of it; what is not known is null.
  static func object(_ stored: StoredCall) -> JSON {
    let result = stored.result
    // A gateway reports all of its tools as of the kind `tool`.
    let name = stored.call.name == "tool" ? stored.tool ?? stored.call.name : stored.call.name
    return [
      "id": .string(stored.call.id), "name": .string(name), "arguments": arguments(stored.call),
      "tool": stored.tool.map(JSON.string) ?? .null, "server": stored.server.map(JSON.string) ?? .null,
      "status": result.map { .string($0.status.rawValue) } ?? .null,
      "result": result.map { .string(activityResult(of: $0) ?? $0.text) } ?? .null,
      "isError": result.map { .bool($0.status.isError) } ?? .null,
      "milliseconds": result?.milliseconds.map(JSON.int) ?? .null,
    ]
  }

  /// The result of a server's or an agent's own tool: its texts, else its output. nil for the tools of this program; the
  /// stored text is their result.
  private static func activityResult(of result: StoredResult) -> String? {
    guard let whole = result.whole.flatMap({ try? JSON(parsing: $0) }), whole["places"] != nil else { return nil }
    let texts = whole["content"]?.array?.compactMap { $0["type"] == "text" ? $0["text"]?.string : nil } ?? []
    if !texts.isEmpty { return texts.joined(separator: "\n") }
    return whole["output"].flatMap { $0.isNull ? nil : $0.string ?? $0.serialized() }
  }

  /// The same, and the result as it came where there is more to it than what the model was given.
  static func whole(_ stored: StoredCall) -> JSON {
    var object = object(stored)
    object["whole"] = stored.result?.whole.flatMap { try? JSON(parsing: $0) } ?? .null  // ours: unreadable is none
    return object
  }

  /// What cannot be read is a string, as the model wrote it.
  private static func arguments(_ call: ToolCall) -> JSON {
    switch call.arguments {
    case .object(let object): object
    case .broken(let text, _): .string(text)
    }
  }

  /// An event of `--jsonl` with its moment, in milliseconds since 1970.
  static func stamped(_ object: JSON, at moment: Int) -> JSON {
    guard object["event"] != nil, object["timestamp"] == nil else { return object }
    var object = object
    object["timestamp"] = .int(moment)
    return object
  }

  /// For `--jsonl`, when a model asks for it: whether it is carried out is not decided yet.
  static func event(_ stored: StoredCall) -> JSON {
    [
      "event": "toolCall", "id": .string(stored.call.id), "name": .string(stored.call.name),
      "arguments": arguments(stored.call), "tool": stored.tool.map(JSON.string) ?? .null,
      "server": stored.server.map(JSON.string) ?? .null,
    ]
  }

  static func event(_ stored: StoredCall, _ result: StoredResult) -> JSON {
    [
      "event": "toolResult", "id": .string(stored.call.id), "name": .string(stored.call.name),
      "status": .string(result.status.rawValue), "isError": .bool(result.status.isError),
      "result": .string(result.text), "milliseconds": result.milliseconds.map(JSON.int) ?? .null,
    ]
  }

  /// What an agent does, for `--jsonl`: all that is known of it.
  static func event(_ activity: Activity) -> JSON {
    .object([.init("event", "activity")] + (object(activity).object ?? []))
  }

  static func object(_ activity: Activity) -> JSON {
    [
      "id": .string(activity.id), "title": .string(activity.title), "kind": .string(activity.kind),
      "status": .string(activity.status.rawValue), "content": .array(activity.content.map(content)),
      "places": .array(
        activity.places.map { ["path": .string($0.path), "line": $0.line.map(JSON.int) ?? .null] }),
      "input": activity.input ?? .null, "output": activity.output ?? .null,
    ]
  }

  private static func content(_ content: Activity.Content) -> JSON {
    switch content {
    case .block(let block): ResultText.json(block)
    case .diff(let change):
      [
        "type": "diff", "path": .string(change.path), "old": change.old.map(JSON.string) ?? .null,
        "new": .string(change.new),
      ]
    case .terminal(let id): ["type": "terminal", "terminal": .string(id)]
    case .plan(let entries):
      [
        "type": "plan",
        "entries": .array(
          entries.map {
            ["text": .string($0.text), "status": .string($0.status.rawValue), "priority": .string($0.priority)]
          }),
      ]
    }
  }

  /// All that was said in a turn, with a blank line between its rounds.
  static func joined(_ texts: [String]) -> String {
    texts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  static func sum(_ usages: [Usage?]) -> Usage {
    usages.compactMap { $0 }.reduce(into: Usage()) { sum, usage in
      if let count = usage.promptTokens { sum.promptTokens = (sum.promptTokens ?? 0).adding(count) }
      if let count = usage.completionTokens { sum.completionTokens = (sum.completionTokens ?? 0).adding(count) }
      if let cost = usage.cost { sum.cost = (sum.cost ?? 0) + cost }
    }
  }

  /// The same keys for a question that never got as far as an answer.
  static func failure(
    _ complaint: Complaint, _ status: AnswerStatus, server: String?, model: String?, session: String?,
    turn: Int? = nil
  ) -> JSON {
    [
      "text": "", "reasoning": "", "status": .string(status.rawValue), "model": model.map(JSON.string) ?? .null,
      "server": server.map(JSON.string) ?? .null, "session": session.map(JSON.string) ?? .null,
      "turn": turn.map(JSON.int) ?? .null,
      "usage": usage(Usage()), "timing": ["firstTokenMs": .null, "totalMs": 0], "toolCalls": [],
      "error": error(complaint),
    ]
  }

  /// The object as the last event of `--jsonl`.
  static func finish(_ object: JSON) -> JSON {
    .object([.init("event", "finish")] + (object.object ?? []))
  }

  static func usage(_ usage: Usage) -> JSON {
    [
      "promptTokens": usage.promptTokens.map(JSON.int) ?? .null,
      "completionTokens": usage.completionTokens.map(JSON.int) ?? .null,
      "cost": usage.cost.map(JSON.double) ?? .null,
    ]
  }

  static func error(_ complaint: Complaint) -> JSON {
    [
      "code": .int(Int(complaint.status.rawValue)),
      "message": .string(complaint.text.string),
      "hint": complaint.hints.isEmpty ? .null : .string(complaint.hints.map(\.string).joined(separator: "; ")),
    ]
  }
}

extension Int {
  /// A sum of what servers say, which may be anything: the greatest number where it is greater.
  fileprivate func adding(_ other: Int) -> Int {
    let (sum, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? (self < 0 ? .min : .max) : sum
  }
}

extension Activity {
  /// What an agent did, as it is kept; nil for what is none. Blocks that are no text are left out.
  package init?(kept json: JSON) {
    guard let id = json["id"]?.string, let title = json["title"]?.string, let kind = json["kind"]?.string,
      let status = json["status"]?.string.flatMap(Status.init), let content = json["content"]?.array
    else { return nil }
    self.init(id: id, title: title, kind: kind, status: status)
    self.content = content.compactMap { Content(kept: $0) }
    places = (json["places"]?.array ?? []).compactMap { place in
      place["path"]?.string.map { Place(path: $0, line: place["line"]?.int) }
    }
    input = json["input"].flatMap { $0.isNull ? nil : $0 }
    output = json["output"].flatMap { $0.isNull ? nil : $0 }
  }
}

extension Activity.Content {
  fileprivate init?(kept json: JSON) {
    switch json["type"]?.string {
    case "text": self = .block(.text(json["text"]?.string ?? ""))
    case "diff":
      self = .diff(
        FileChange(path: json["path"]?.string ?? "", old: json["old"]?.string, new: json["new"]?.string ?? ""))
    case "plan":
      self = .plan(
        (json["entries"]?.array ?? []).map { entry in
          PlanEntry(
            text: entry["text"]?.string ?? "",
            status: entry["status"]?.string.flatMap(Activity.Status.init) ?? .stopped,
            priority: entry["priority"]?.string ?? "")
        })
    default: return nil
    }
  }
}

import Chat
import Store
import Text
import Wire

/// What stands before a line about a tool: signs, or words for who listens to the screen.
enum ToolMarks: Sendable {
  case signs, words

  var call: SafeText { self == .signs ? "⚒" : "tool:" }
  var good: SafeText { self == .signs ? "✓" : "done:" }
  var bad: SafeText { self == .signs ? "✗" : "failed:" }

  /// The sign at first, then one that turns.
  func running(_ turns: Int) -> SafeText {
    guard self == .signs, turns > 0 else { return call }
    return TurningSign.sign(turns, showsSigns: true)
  }
}

/// What is said while tools run (docs/kamiwaza.md 6.8 and 6.9).
enum ToolWording {
  /// `web_search (websearch)`.
  static func running(_ offered: OfferedTool) -> SafeText {
    Filter.inline(offered.tool.name, width: 40) + " (" + Filter.inline(offered.server.name, width: 30) + ")"
  }

  /// `3/10 step 3 of 10`.
  static func progress(_ progress: ToolProgress) -> SafeText {
    var parts: [SafeText] = []
    switch progress.total {
    case .some(let total) where total > 0: parts.append("\(number(progress.done))/\(number(total))")
    default: if progress.done > 0 { parts.append("\(number(progress.done))") }
    }
    if let message = progress.message, !message.isEmpty { parts.append("\(message)") }
    return parts.joined(separator: " ")
  }

  private static func number(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? String((number * 100).rounded() / 100)
  }

  /// A call that nobody was asked about.
  static func call(_ call: ToolCall, _ offered: OfferedTool, marks: ToolMarks, columns: Int?) -> SafeText {
    var text = marks.call + " " + running(offered)
    if case .object(let arguments) = call.arguments, arguments.object?.isEmpty == false {
      text += " " + Filter.command(arguments.serialized())
    }
    return fitted(text, columns)
  }

  static func invalid(_ call: ToolCall, _ offered: [OfferedTool], marks: ToolMarks) -> SafeText {
    let name = Filter.inline(call.name, width: 64)
    let why: SafeText =
      switch call.arguments {
      case _ where offered.tool(called: call.name) == nil: "there is no such tool"
      case .broken(_, .notJSON): "its arguments are no JSON"
      case .broken(_, .notAnObject): "its arguments are no JSON object"
      case .broken(_, .noName): "the call names no tool"
      case .broken(_, .unfinished): "its arguments end in the middle"
      case .broken(_, .repeatedName): "its arguments have two members of one name"
      case .object: "it lacks arguments that it needs"
      }
    return marks.bad + " " + name + ": not run, " + why
  }

  static func refused(_ call: ToolCall, marks: ToolMarks) -> SafeText {
    marks.bad + " " + Filter.inline(call.name, width: 64) + ": not allowed"
  }

  /// `✓ web_search: 3 results (1.2 s)`.
  static func result(_ result: ToolResult, of call: StoredCall, marks: ToolMarks, columns: Int?) -> SafeText {
    let head = (result.isError ? marks.bad : marks.good) + " " + Filter.inline(call.call.name, width: 64) + ": "
    let tail: SafeText = call.result?.milliseconds.map { " (\(seconds($0)))" } ?? ""
    let room = (columns ?? 160) - 1 - head.cells - tail.cells
    return head + summary(result).cut(to: max(20, room)) + tail
  }

  private static func fitted(_ text: SafeText, _ columns: Int?) -> SafeText { text.cut(to: (columns ?? 161) - 1) }

  static func seconds(_ milliseconds: Int) -> String { "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s" }

  /// One line of what came.
  static func summary(_ result: ToolResult) -> SafeText {
    for case .text(let text) in result.content {
      let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
      guard let first = lines.first else { continue }
      let more: SafeText = lines.count > 1 ? " … \(lines.count) lines" : ""
      return Filter.inline(String(first), width: 200) + more
    }
    if let structured = result.structured { return Filter.inline(structured.serialized(), width: 200) }
    let notes = result.content.compactMap(note)
    return notes.isEmpty ? "no output" : notes.joined(separator: ", ")
  }

  /// A block that is no text, by what it is; a text that is read from somewhere, by where.
  private static func note(_ content: ToolContent) -> SafeText? {
    if case .resource(let resource) = content, case .text = resource.body { return "\(resource.uri)" }
    return ContentNote(content).map { "\($0.words)" }
  }

  static func failure(_ error: ToolError, tool: String, _ complaint: Complaint, marks: ToolMarks) -> SafeText {
    let name = Filter.inline(tool, width: 64)
    guard error.status == .unavailable else { return marks.bad + " " + name + ": " + complaint.text }
    return "Tool " + name + " is unavailable. The assistant will continue without it. (" + complaint.text + ")"
  }

  static func stopped(_ tool: String, marks: ToolMarks) -> SafeText {
    marks.bad + " " + Filter.inline(tool, width: 64) + ": stopped"
  }

  /// What an answer that did not end well asked for.
  static func notRun(_ calls: [ToolCall]) -> SafeText {
    let names = Filter.inline(calls.map(\.name).joined(separator: ", "), width: 60)
    return "the answer did not end as it should: \(names) was not run"
  }

  static func coming(_ name: String?) -> SafeText {
    name.map { "calling " + Filter.inline($0, width: 64) } ?? "calling a tool"
  }
}

import Chat
import Text
import Wire

/// What a model is told of terminals. The words are not to be trusted: they are the terminals' own.
enum TerminalResults {
  /// Characters of a result that are left for how a command ended.
  static let room = 300

  /// - Parameters:
  ///   - end: nil for a command that was left after `seconds`.
  ///   - output: what came of it.
  static func result(
    _ end: TerminalRun.End?, _ output: LastPart, after seconds: Double, at place: TerminalPlace, _ id: String
  ) -> ToolResult {
    let word = place.word(for: id)
    let content = [ending(end, after: seconds, at: place, id)] + (output.isEmpty ? [] : [output.shown])
    let structured: JSON = [
      "terminal": .string(word), "ended": .string(end.map(TerminalPage.word) ?? "timedOut"),
      "status": end.flatMap(TerminalPage.status).map(JSON.int) ?? .null, "isTruncated": .bool(output.isCut),
    ]
    let isError = [.gone, .unwatched, .lost].contains(end)
    return ToolResult(
      content: content.map(ToolContent.text), structured: structured, structuredIsWhole: false, isError: isError)
  }

  private static func ending(
    _ end: TerminalRun.End?, after seconds: Double, at place: TerminalPlace, _ id: String
  ) -> String {
    let word = place.word(for: id)
    let error: ShellError
    switch end {
    case .finished(let status?): return "exit status \(status)"
    case .finished(nil): return "it ended; its exit status is not known"
    case nil: return "it runs on in \(word) after \(Int(seconds)) s, and was left; terminal_show reads on"
    case .quiet(let seconds, let runsOn): error = .commandSilent(seconds: seconds, terminal: word, runsOn: runsOn)
    case .gone: error = place.failure(.gone(id))
    case .unwatched: error = place.failure(.unwatched(id))
    case .lost: error = place.failure(.lost(id))
    }
    return sentence(error)
  }

  static func failure(_ error: ShellError) -> ToolResult {
    ToolResult(content: [.text(sentence(error))], isError: true)
  }

  /// What went wrong, and what the model can do about it.
  private static func sentence(_ error: ShellError) -> String {
    let text = Complaint(error).text.string
    return advice(error).map { "\(text); \($0)" } ?? text
  }

  private static func advice(_ error: ShellError) -> String? {
    switch error {
    case .unknown(.terminal, _, let nearest):
      nearest.isEmpty
        ? "terminal_list gives the ids"
        : "did you mean \(nearest.joined(separator: " or "))? terminal_list gives the ids"
    case .terminal(.busy): "terminal_show tells what stands there, and another terminal may be free"
    case .terminal(.holdsKeys): "a tab can be written as $'\\t'"
    case .commandSilent(_, _, runsOn: true), .terminal(.lost), .terminal(.unwatched): "terminal_show reads on"
    case .backend(.unauthorized, _, _): "the user has to sign in to it first"
    default: nil
    }
  }

  /// What `terminal_list` gives.
  struct Listing {
    /// Milliseconds since 1970.
    let now: Int
    private var lines: [String] = []
    private var terminals: [JSON] = []
    private var missing: [JSON] = []

    init(now: Int) { self.now = now }

    mutating func add(_ terminal: TerminalInfo, called word: String) {
      let program = terminal.hasClaude == true ? "Claude Code" : terminal.program
      let active = terminal.lastActivity.map { age(of: $0, at: now).string }
      lines.append(([word] + [program, terminal.folder, active].compactMap { $0 }).joined(separator: "  "))
      terminals.append([
        "id": .string(word), "program": program.map(JSON.string) ?? .null,
        "folder": terminal.folder.map(JSON.string) ?? .null,
        "idleSeconds": terminal.lastActivity.map { .int(max(0, now - $0) / 1000) } ?? .null,
      ])
    }

    mutating func leaveOut(_ place: TerminalPlace, _ why: SafeText) {
      let name = place.entry?.server.name
      lines.append("\(name ?? "this machine") is left out: \(why.string)")
      missing.append(["server": name.map(JSON.string) ?? .null, "why": .string(why.string)])
    }

    var result: ToolResult {
      var structured: JSON = ["terminals": .array(terminals)]
      if !missing.isEmpty { structured["leftOut"] = .array(missing) }
      let text = lines.isEmpty ? "there are no terminals" : lines.joined(separator: "\n")
      return ToolResult(
        content: [.text(text)], structured: structured, isError: terminals.isEmpty && !missing.isEmpty)
    }
  }
}

/// The end of a text that grows, for that tells how it came out; how much was before is counted.
struct LastPart: Sendable {
  /// In Unicode scalars.
  private let limit: Int
  private var text = ""
  private var dropped = 0

  init(limit: Int) { self.limit = max(0, limit) }

  var isEmpty: Bool { text.isEmpty }
  var isCut: Bool { dropped > 0 || text.unicodeScalars.count > limit }

  mutating func add(_ more: String) {
    text += more
    // Cut rarely: each cut moves all that stays. A scalar has four bytes at most.
    if text.utf8.count > 8 * limit { cut() }
  }

  /// The last of it, behind how much is missing.
  var shown: String {
    var last = self
    last.cut()
    return last.dropped == 0 ? last.text : "[\(last.dropped) more characters before, cut]\n" + last.text
  }

  private mutating func cut() {
    let excess = text.unicodeScalars.count - limit
    guard excess > 0 else { return }
    dropped += excess
    text = String(text.unicodeScalars.dropFirst(excess))
  }
}

import Chat
import Store
import Wire

/// A session as a document of Markdown, on the branch that it stands on: its messages are in it as they were written
/// (docs/export.md 3).
struct MarkdownExport {
  private let session: Session
  private let path: [Turn]

  init(_ session: Session, _ path: [Turn]) {
    self.session = session
    self.path = path
  }

  var pieces: [String] { [head] + path.map(turn) }

  private var head: String {
    let name = SessionPage.name(session, path).string
    let facts = [session.server?.name, session.model, Moments.iso(session.createdAt)].compactMap { $0 }.map(Self.plain)
    return "# \(Self.plain(name))\n\n" + facts.joined(separator: ", ") + "\n"
  }

  private func turn(_ turn: Turn) -> String {
    var parts = ["## #\(turn.number) You", turn.question]
    parts += turn.files.map { "Attached: " + Self.code($0.name) + " (\($0.size) bytes)" }
    let speaker = turn.answer?.model ?? session.model ?? "Answer"
    parts.append("## #\(turn.number) " + Self.plain(speaker))
    for step in turn.steps {
      parts += Self.reasoning(step.reasoning) + (step.text.isEmpty ? [] : [step.text])
      parts += step.calls.map(Self.call)
    }
    guard let answer = turn.answer else {
      return "\n" + (parts + ["*no answer*"]).joined(separator: "\n\n") + "\n"
    }
    parts += Self.reasoning(answer.reasoning) + (answer.text.isEmpty ? [] : [Self.closed(answer.text)])
    if let status = answer.status, status != .complete { parts.append("*\(status.rawValue)*") }
    return "\n" + parts.joined(separator: "\n\n") + "\n"
  }

  /// As a quote, so that it is not taken for the answer.
  private static func reasoning(_ text: String) -> [String] {
    let text = text.trimmingBlankEnds
    guard !text.isEmpty else { return [] }
    let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
    return [lines.map { $0.isEmpty ? ">" : "> \($0)" }.joined(separator: "\n")]
  }

  private static func call(_ stored: StoredCall) -> String {
    let arguments =
      switch stored.call.arguments {
      case .object(let object): object.serialized()
      case .broken(let text, _): text
      }
    let server = stored.server.map { " on " + plain($0) } ?? ""
    let asked = Fence.around(arguments, label: "Tool " + code(stored.tool ?? stored.call.name) + server + "\n")
    guard let result = stored.result else { return asked }
    return asked + "\n\n" + Fence.around(result.text, label: "Result, \(result.status.rawValue)\n")
  }

  /// A text that was cut within code would take all that follows for code.
  private static func closed(_ text: String) -> String {
    var open: Substring?
    for line in text.replacing("\r\n", with: "\n").split(separator: "\n") {
      let words = line.drop { $0 == " " }
      guard line.count - words.count < 4, let sign = words.first, sign == "`" || sign == "~" else { continue }
      let fence = words.prefix { $0 == sign }
      guard fence.count >= 3 else { continue }
      if let begun = open {
        let ends = fence.first == begun.first && fence.count >= begun.count
        if ends, words.dropFirst(fence.count).allSatisfy(\.isWhitespace) { open = nil }
      } else if !(sign == "`" && words.dropFirst(fence.count).contains("`")) {
        open = fence
      }
    }
    return open.map { text + (text.hasSuffix("\n") ? "" : "\n") + $0 } ?? text
  }

  /// A name on one line, in which nothing means anything.
  private static func plain(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      if "\\`*_[]<>#&~|".unicodeScalars.contains(scalar) { text += "\\" }
      text.unicodeScalars.append(scalar.properties.isWhitespace || scalar.value < 0x20 ? " " : scalar)
    }
    return text
  }

  private static func code(_ name: String) -> String { plain(name) }
}

extension String {
  fileprivate var trimmingBlankEnds: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

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
    "\n" + ExportPart.parts(of: turn, in: session).flatMap(Self.blocks).joined(separator: "\n\n") + "\n"
  }

  private static func blocks(_ part: ExportPart) -> [String] {
    switch part {
    case .speaker(let name, let number): ["## #\(number) " + plain(name)]
    case .question(let text), .answer(let text): [OpenMarkdown.closed(text)]
    case .attached(let file): ["Attached: " + plain(file.name) + " (\(file.size) bytes)"]
    case .reasoning(let text): reasoning(text)
    case .call(let stored): [call(stored)]
    case .ended(let how): ["*\(how)*"]
    }
  }

  /// As a quote, so that it is not taken for the answer.
  private static func reasoning(_ text: String) -> [String] {
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
    let asked = Fence.around(arguments, label: "Tool " + plain(stored.tool ?? stored.call.name) + server + "\n")
    guard let result = stored.result else { return asked }
    return asked + "\n\n" + Fence.around(result.text, label: "Result, \(result.status.rawValue)\n")
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
}

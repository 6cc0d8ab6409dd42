import Chat
import Store
import Text
import Wire

/// A call and its result in full.
enum ToolResultPage {
  static func text(_ stored: StoredCall, turn: Int, isFirst: Bool, columns: Int?) -> StyledText {
    let name = Filter.inline(stored.call.name, width: 64)
    var head: SafeText = "#\(turn) " + name
    if let server = stored.server { head += " (" + Filter.inline(server, width: 40) + ")" }
    head += ": " + status(stored.result)
    if let milliseconds = stored.result?.milliseconds { head += ", \(ToolWording.seconds(milliseconds))" }
    var page: StyledText = isFirst ? [] : .text("\n")
    page += .text(head + "\n", .strong)
    page += .text(arguments(stored.call) + "\n", .dim)
    for block in blocks(stored.result) { page += block }
    return page
  }

  private static func status(_ result: StoredResult?) -> SafeText {
    switch result?.status {
    case .done: "done"
    case .failed: "failed"
    case .refused: "not allowed"
    case .invalid: "not run"
    case .unavailable: "unavailable"
    case .timedOut: "timed out"
    case .cancelled: "stopped"
    case .unreported: "no result reported"
    case nil: "no result"
    }
  }

  private static func arguments(_ call: ToolCall) -> SafeText {
    switch call.arguments {
    case .object(let object): Filter.command(object.serialized())
    case .broken(let text, _): Filter.command(text)
    }
  }

  private static func blocks(_ result: StoredResult?) -> [StyledText] {
    guard let result else { return [] }
    // What cannot be read as ours is shown as the model was given it.
    let whole = result.whole.flatMap { try? JSON(parsing: $0) }
    guard let whole, let content = whole["content"]?.array else { return [block(result.text)] }
    var blocks = content.map(block)
    if let structured = whole["structuredContent"] { blocks.append(block(structured.serialized(pretty: true))) }
    return blocks
  }

  private static func block(_ text: String) -> StyledText {
    let body = Filter.block(text)
    return .text(body.string.endsInNewline || body.isEmpty ? body : body + "\n")
  }

  /// Pictures and sounds by what they are and how large.
  private static func block(_ content: JSON) -> StyledText {
    if let note = ContentNote(kept: content) { return .text("[\(note.words)]\n", .dim) }
    guard let resource = content["resource"] else { return block(content["text"]?.string ?? "") }
    return .text("[\(resource["uri"]?.string ?? "")]\n", .dim) + block(resource["text"]?.string ?? "")
  }
}

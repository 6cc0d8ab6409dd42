package import Chat
import Store
package import Wire

/// What a model is told of a result (docs/mcp.md 4 and 8).
package enum ResultText {
  static let notRun = "This call was not run."
  static let ended = "This call was stopped because the program was ended. It may have been carried out in part."
  static let nothingKnown = "No result of this call is known: it may have been carried out, and it may not."

  /// Text blocks joined, or what is there for programs where the text only copies it; everything else by a note.
  static func text(_ result: ToolResult, limit: Int) -> String {
    let copied = result.structuredIsWhole ? result.structured : nil
    let whole = copied.map { structured in
      ([structured.serialized()] + result.content.filter { !$0.isText }.map(note)).joined(separator: "\n\n")
    }
    let text = whole ?? result.content.map(note).filter { !$0.isEmpty }.joined(separator: separator(of: result))
    let said = text.allSatisfy(\.isWhitespace) ? "There is no output." : cut(text, to: limit)
    return result.isError ? "The tool failed: \(said)" : said
  }

  /// Blocks that are lines of a list are not torn apart.
  private static func separator(of result: ToolResult) -> String {
    result.content.allSatisfy { if case .text(let text) = $0 { !text.contains(where: \.isNewline) } else { false } }
      ? "\n" : "\n\n"
  }

  /// The beginning of what is too long, and how much is missing.
  static func cut(_ text: String, to limit: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end != scalars.endIndex
    else { return text }
    let rest = scalars.distance(from: end, to: scalars.endIndex)
    return String(scalars[..<end]) + "\n[\(rest) more characters cut]"
  }

  private static func note(_ content: ToolContent) -> String {
    if case .text(let text) = content { return text }
    if case .resource(let resource) = content, case .text(let text) = resource.body {
      return "[\(resource.uri)]\n\(text)"
    }
    let words = ContentNote(content)?.words ?? ""
    if case .link = content { return "[\(words)]" }
    return "[\(words): not shown to you]"
  }

  /// The result as it came, where there is more to it than the text; what is large beyond use is left out.
  static func whole(_ result: ToolResult, text: String) -> String? {
    if result.structured == nil, case .text(let only)? = result.content.first, result.content.count == 1, only == text {
      return nil
    }
    return json(result).serialized()
  }

  /// In the words of the protocol.
  static func json(_ result: ToolResult) -> JSON {
    var object: JSON = ["content": .array(result.content.map(json))]
    if let structured = result.structured { object["structuredContent"] = structured }
    if result.isError { object["isError"] = true }
    return object
  }

  package static func json(_ content: ToolContent) -> JSON {
    switch content {
    case .text(let text): ["type": "text", "text": .string(text)]
    case .image(let base64, let type): ["type": "image", "data": data(base64), "mimeType": .string(type)]
    case .audio(let base64, let type): ["type": "audio", "data": data(base64), "mimeType": .string(type)]
    case .link(let resource): json(resource)
    case .resource(let resource): ["type": "resource", "resource": json(resource)]
    case .other(let kind): ["type": .string(kind)]
    }
  }

  private static func json(_ link: ToolResource) -> JSON {
    var object: JSON = ["type": "resource_link", "uri": .string(link.uri), "name": .string(link.name)]
    if let title = link.title { object["title"] = .string(title) }
    if let type = link.mimeType { object["mimeType"] = .string(type) }
    return object
  }

  private static func json(_ resource: ResourceContent) -> JSON {
    var object: JSON = ["uri": .string(resource.uri)]
    if let type = resource.mimeType { object["mimeType"] = .string(type) }
    switch resource.body {
    case .text(let text): object["text"] = .string(text)
    case .blob(let base64): object["blob"] = data(base64)
    }
    return object
  }

  /// The history is no place for films.
  private static func data(_ base64: String) -> JSON {
    base64.utf8.count > 4 << 20 ? .string(ContentNote.leftOut(base64)) : .string(base64)
  }
}

extension ToolContent {
  fileprivate var isText: Bool { if case .text = self { true } else { false } }
}

import Chat
import Text
import Wire

/// How prompts look, and what they come to as a message.
enum PromptPage {
  static func row(_ prompt: ToolPrompt, of server: ToolServer) -> JSON {
    [
      "name": .string("\(server.name):\(prompt.name)"), "server": .string(server.name), "prompt": .string(prompt.name),
      "title": prompt.title.map(JSON.string) ?? .null, "description": prompt.summary.map(JSON.string) ?? .null,
      "arguments": .array(
        prompt.arguments.map { argument in
          [
            "name": .string(argument.name), "description": argument.summary.map(JSON.string) ?? .null,
            "required": .bool(argument.isRequired),
          ]
        }),
    ]
  }

  static func listing(_ rows: [JSON]) -> Listing {
    Listing(
      columns: [
        Listing.Column("PROMPT", "name"),
        Listing.Column("ARGUMENTS") { row in
          let names = (row["arguments"]?.array ?? []).map { argument in
            (argument["name"]?.string ?? "") + (argument["required"] == true ? "" : "?")
          }
          return "\(names.joined(separator: " "))"
        },
        Listing.Column("ABOUT") { "\(($0["description"]?.string ?? $0["title"]?.string ?? "").firstLine)" },
      ], rows: rows, whenEmpty: "no tool server has prompts")
  }

  /// One message of all that a prompt says; who says what is written where it is not the person alone.
  static func message(_ messages: [PromptMessage]) -> String {
    let isTalk = messages.contains { $0.role != .user }
    let parts = messages.map { message in
      (isTalk ? "\(message.role.rawValue): " : "") + text(of: message.content)
    }
    return FrameWords.written(in: parts.joined(separator: "\n\n")).trimmed
  }

  /// What is not text is named.
  private static func text(of content: ToolContent) -> String {
    switch content {
    case .text(let text): text
    case .resource(let content): AttachedResource.text(of: [content], label: content.uri)
    default: "[\(ContentNote(content)?.words ?? "")]"
    }
  }
}

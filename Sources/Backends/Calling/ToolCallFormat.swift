import Chat
import Wire

/// How a conversation with tools is written for a server: the model's tools, its calls and what came back.
enum ToolCallFormat: Sendable {
  /// `tools`, `tool_calls` and the role `tool` of OpenAI's interface.
  case native
  /// Blocks in the text (docs/kamiwaza.md 6.7).
  case text

  /// The longest name and description of a tool that are sent, in bytes (docs/rules.md A8).
  static let nameLimit = 1 << 10
  static let summaryLimit = 4 << 10

  /// The messages as they are sent. Without tools, calls and results they are the same in every format.
  func messages(_ messages: some Sequence<Message>, offering tools: [Tool]) -> [JSON] {
    switch self {
    case .native: messages.map(NativeCalling.encode)
    case .text: TextCalling.encode(messages, offering: tools)
    }
  }

  /// The field `tools` of a request; nil when it has none.
  func field(for tools: [Tool]) -> JSON? {
    switch self {
    case .native: tools.isEmpty ? nil : .array(tools.map(NativeCalling.encode))
    case .text: nil
    }
  }
}

extension ChatRequest {
  /// Whether tools play a part in it: offered now, or used before.
  var isAboutTools: Bool { !tools.isEmpty || hasToolMessages }
  /// Whether its messages have calls of tools or results of them.
  var hasToolMessages: Bool { messages.contains { $0.role == .tool || !$0.toolCalls.isEmpty } }
}

extension Message {
  /// Its content as it is sent: a string, and parts only where it has images, for many servers know of no parts
  /// (docs/openai.md 5).
  var parts: JSON { Message.parts(content, images) }

  static func parts(_ text: String, _ images: [AttachedImage]) -> JSON {
    guard !images.isEmpty else { return .string(text) }
    let words: [JSON] = text.isEmpty ? [] : [["type": "text", "text": .string(text)]]
    return .array(
      words + images.map { ["type": "image_url", "image_url": ["url": .string($0.dataURL)]] })
  }
}

extension ToolCall.Arguments {
  /// As they are sent back to the model. What could not be read goes in a member: templates parse arguments, and fail
  /// a whole conversation on what is no object.
  var sent: JSON {
    switch self {
    case .object(let json): json
    case .broken(let text, _): ["_unreadable": .string(text)]
    }
  }
}

extension String {
  /// Its start, as far as whole characters fit in so many bytes.
  func cut(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while end.samePosition(in: self) == nil { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}

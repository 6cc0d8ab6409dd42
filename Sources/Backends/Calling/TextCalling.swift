import Chat
import Wire

/// Tools in words: for models whose servers know of none (docs/kamiwaza.md 6.7).
///
/// What stands inside a frame is JSON without `<`, `>` and `&`, so that nothing a tool or its server says can end the
/// frame or begin another (docs/rules.md A8).
enum TextCalling {
  static func encode(_ messages: some Sequence<Message>, offering tools: [Tool]) -> [JSON] {
    var said: [Said] = []
    for message in messages {
      let next = Said(message)
      if let last = said.last, last.role == next.role, last.isOfTools || next.isOfTools {
        // Templates want the two sides to take turns.
        said[said.count - 1].add(next)
      } else {
        said.append(next)
      }
    }
    if !tools.isEmpty { offer(tools, in: &said) }
    return said.map { ["role": .string($0.role.rawValue), "content": Message.parts($0.content, $0.images)] }
  }

  private static func offer(_ tools: [Tool], in said: inout [Said]) {
    let words = introduction(of: tools)
    if let index = said.firstIndex(where: { $0.role == .system }) {
      let own = said[index].content
      said[index].content = own.isEmpty ? words : "\(own)\n\n---\n\n\(words)"
    } else {
      said.insert(Said(Message(.system, words)), at: 0)
    }
  }

  /// What a model is told of its tools.
  static func introduction(of tools: [Tool]) -> String {
    """
    You have access to the following tools. To call a tool, respond with a tool call block in exactly this format:

    <tool_call>
    {"name": "tool_name", "arguments": {"param1": "value1", "param2": "value2"}}
    </tool_call>

    Available tools:

    \(tools.map(frame).joined(separator: "\n\n"))

    When you receive a tool result, it will be provided in this format:

    <tool_result>
    {"name": "tool_name", "result": ...}
    </tool_result>

    You may call multiple tools in sequence. After receiving tool results, continue your response to the user.
    """
  }

  private static func frame(_ tool: Tool) -> String {
    frame(
      "tool",
      [
        ("name", framed(.string(tool.name.cut(toBytes: ToolCallFormat.nameLimit)))),
        ("description", framed(.string(tool.summary.cut(toBytes: ToolCallFormat.summaryLimit)))),
        ("parameters", framed(tool.parameters)),
      ])
  }

  fileprivate static func frame(_ call: ToolCall) -> String {
    frame("tool_call", [("name", framed(.string(call.name))), ("arguments", framed(call.arguments.sent))])
  }

  /// A result that is JSON is given as that, digit for digit as it came.
  fileprivate static func frame(resultOf name: String, _ content: String) -> String {
    let isJSON = (try? JSON(parsing: content)) != nil  // only whether it is
    let result = isJSON ? escaped(content.utf8.drop { $0 <= 0x20 }) : framed(.string(content))
    return frame("tool_result", [("name", framed(.string(name))), ("result", result)])
  }

  private static func frame(_ tag: String, _ members: [(key: String, json: String)]) -> String {
    let object = members.map { "\"\($0.key)\": \($0.json)" }.joined(separator: ", ")
    return "<\(tag)>\n{\(object)}\n</\(tag)>"
  }

  private static func framed(_ json: JSON) -> String { escaped(json.bytes()) }

  /// In JSON these characters stand in strings only, where they may be escaped.
  private static func escaped(_ json: some Sequence<UInt8>) -> String {
    var output: [UInt8] = []
    for byte in json {
      switch byte {
      case UInt8(ascii: "<"): output += "\\u003c".utf8
      case UInt8(ascii: ">"): output += "\\u003e".utf8
      case UInt8(ascii: "&"): output += "\\u0026".utf8
      default: output.append(byte)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}

/// A message in words.
private struct Said {
  var role: Role
  var content: String
  var images: [AttachedImage]
  /// Whether a call or a result is in it.
  var isOfTools: Bool
  private var isResult: Bool

  init(_ message: Message) {
    role = message.role
    content = message.content
    images = message.images
    isResult = message.role == .tool
    isOfTools = isResult || !message.toolCalls.isEmpty
    if isResult {
      role = .user
      content = TextCalling.frame(resultOf: message.toolName ?? "", message.content)
    } else if isOfTools {
      let words = content.isEmpty ? [] : [content, ""]
      content = (words + message.toolCalls.map(TextCalling.frame)).joined(separator: "\n")
    }
  }

  mutating func add(_ next: Said) {
    images += next.images
    content += (isResult && next.isResult ? "\n" : "\n\n") + next.content
    isResult = next.isResult
    isOfTools = true
  }
}

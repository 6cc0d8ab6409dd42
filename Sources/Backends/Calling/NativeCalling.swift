import Chat
import Wire

/// OpenAI's own way: `tools` beside the messages, calls as values.
enum NativeCalling {
  static func encode(_ tool: Tool) -> JSON {
    var function: JSON = ["name": .string(tool.name.cut(toBytes: ToolCallFormat.nameLimit))]
    function["description"] = .string(tool.summary.cut(toBytes: ToolCallFormat.summaryLimit))
    function["parameters"] = schema(tool.parameters)
    return ["type": "function", "function": function]
  }

  static func encode(_ message: Message) -> JSON {
    var json: JSON = ["role": .string(message.role.rawValue), "content": message.parts]
    switch message.role {
    case .tool: json["tool_call_id"] = message.toolCallID.map { .string($0) }
    // The content stays a string, if an empty one: templates fail on null.
    case .assistant where !message.toolCalls.isEmpty:
      json["tool_calls"] = .array(message.toolCalls.map(encode))
      json = json.adding(message.toolCalls.lazy.compactMap(\.sentBackBeside).first)
    default: break
    }
    return json
  }

  private static func encode(_ call: ToolCall) -> JSON {
    let function: JSON = [
      "name": .string(sendable(call.name)), "arguments": .string(call.arguments.sent.serialized()),
    ]
    let json: JSON = ["id": .string(call.id), "type": "function", "function": function]
    return json.adding(call.sentBack)
  }

  /// Servers refuse a schema that is of no object, or has no properties.
  private static func schema(_ parameters: JSON) -> JSON {
    var schema = parameters.object == nil ? [:] : parameters
    if schema["type"] == nil { schema["type"] = "object" }
    if schema["properties"] == nil { schema["properties"] = [:] }
    return schema
  }

  /// A name that a model made up may hold what servers refuse in a name: that must not end the conversation.
  private static func sendable(_ name: String) -> String {
    let letters = name.cut(toBytes: ToolCallFormat.nameLimit).unicodeScalars.map { scalar -> Character in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || scalar == "_" || scalar == "-" ? Character(scalar) : "_"
    }
    return letters.isEmpty ? "unknown" : String(letters)
  }
}

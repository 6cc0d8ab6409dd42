import Wire

/// A responder that is no model and says so: it calls a tool for an obvious question, and answers with what came back.
/// So tools can be seen at work where the model is too small to use them.
struct ToolDemo {
  enum Saying: Equatable {
    case text(String)
    case call(name: String, arguments: JSON)
  }

  struct Tool {
    var name: String
    /// Of each property of what it takes, its type.
    var parameters: [(name: String, type: String)]
  }

  private let question: String
  /// What tools answered since the question.
  private let results: [String]
  private let tools: [Tool]
  /// Whether tools came in the way of OpenAI's interface, and not in the text.
  let isNative: Bool
  /// No other call of the conversation has it.
  let callID: String

  init(_ body: JSON) {
    let messages = body["messages"]?.array ?? []
    let asked = messages.lastIndex { Self.role($0) == "user" && !Self.text($0).contains("<tool_result>") }
    callID = "call_\(messages.count)"
    question = asked.map { Self.text(messages[$0]) } ?? ""
    results = messages[(asked.map { $0 + 1 } ?? 0)...].flatMap(Self.results)
    let native = (body["tools"]?.array ?? []).compactMap { Tool($0["function"] ?? .null) }
    isNative = !native.isEmpty
    let prompt = messages.filter { Self.role($0) == "system" }.map(Self.text).joined(separator: "\n")
    tools = isNative ? native : Self.blocks("tool", in: prompt).compactMap(Tool.init)
  }

  func answer() -> Saying {
    if let result = results.last { return .text("The tool says: \(result)") }
    return call ?? .text(explanation)
  }

  private var explanation: String {
    let me = "I am the playground's scripted responder, not a model: I only show how tools are called."
    if tools.isEmpty { return "\(me) No tool is on; `/tools on calculator` changes that." }
    return "\(me) Tools that are on: \(tools.map(\.name).joined(separator: ", ")). Ask, such as: what is 12 * 7?"
  }

  // What to call

  private var call: Saying? {
    if let tool = tool("calculate"), let expression {
      return .call(name: tool.name, arguments: ["expression": .string(expression)])
    }
    if let tool = tool("convert"), let arguments = conversion { return .call(name: tool.name, arguments: arguments) }
    if let named = tools.first(where: { words.contains($0.ownName) }) {
      return .call(name: named.name, arguments: arguments(for: named))
    }
    // Hello is nothing to look up.
    if let tool = tool("look_up") ?? tool("web_search"), words.count > 2 {
      return .call(name: tool.name, arguments: ["query": .string(question)])
    }
    return nil
  }

  private func tool(_ name: String) -> Tool? { tools.first { $0.ownName == name } }

  private var words: [String] {
    question.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }

  /// The longest part of the question that looks like arithmetic.
  private var expression: String? {
    let parts = question.matches(of: /[\d(][\d.()+\-*\/^×÷ ]*[\d)]/).map { String($0.output) }
    return parts.filter { $0.contains(/\d\)* *[+\-*\/^×÷] *[(\d\-]/) }.max { $0.count < $1.count }
  }

  /// `26.2 miles in km`.
  private var conversion: JSON? {
    guard
      let found = question.firstMatch(of: /(\d+(?:\.\d+)?) *(°?[A-Za-z\/]+) +(?:in|into|to|as) +(°?[A-Za-z\/]+)/),
      let value = Double(found.1)
    else { return nil }
    return ["value": .double(value), "of": .string(String(found.2)), "to": .string(String(found.3))]
  }

  /// For a tool that the question names: its numbers and its last word, in order, where the tool wants such.
  private func arguments(for tool: Tool) -> JSON {
    var numbers = question.matches(of: /-?\d+(?:\.\d+)?/).map { String($0.output) }[...]
    var members: [JSON.Member] = []
    for (name, type) in tool.parameters {
      switch type {
      case "integer":
        if let number = numbers.popFirst().flatMap({ Int($0) }) { members.append(JSON.Member(name, .int(number))) }
      case "number":
        if let number = numbers.popFirst().flatMap({ Double($0) }) {
          members.append(JSON.Member(name, .double(number)))
        }
      case "string":
        if let word = words.last, word != tool.ownName { members.append(JSON.Member(name, .string(word))) }
      default: break
      }
    }
    return .object(members)
  }

  // What came

  private static func role(_ message: JSON) -> String { message["role"]?.string ?? "" }

  private static func text(_ message: JSON) -> String {
    if let text = message["content"]?.string { return text }
    return (message["content"]?.array ?? []).compactMap { $0["text"]?.string }.joined(separator: "\n")
  }

  private static func results(_ message: JSON) -> [String] {
    if role(message) == "tool" { return [text(message)] }
    return blocks("tool_result", in: text(message)).map { block in
      let result = block["result"] ?? block
      return result.string ?? result.serialized()
    }
  }

  /// The JSON objects between `<tag>` and `</tag>`; what is none is no block.
  private static func blocks(_ tag: String, in text: String) -> [JSON] {
    text.split(separator: "<\(tag)>", omittingEmptySubsequences: false).dropFirst().compactMap { part in
      part.split(separator: "</\(tag)>", maxSplits: 1).first.flatMap { try? JSON(parsing: String($0)) }
    }
  }
}

extension ToolDemo.Tool {
  /// As both ways of telling of a tool describe it; nil without a name.
  fileprivate init?(_ value: JSON) {
    guard let name = value["name"]?.string else { return nil }
    self.name = name
    let schema = value["parameters"] ?? .null
    let properties = (schema["properties"] ?? schema).object ?? []
    parameters = properties.map { ($0.key, $0.value["type"]?.string ?? "") }
  }

  /// Without the name of its server, which may be put before it.
  fileprivate var ownName: String {
    for separator in ["__", ".", "/", ":"] {
      if let end = name.split(separator: separator).last, end.count < name.count { return String(end) }
    }
    return name
  }
}

import Chat
import Wire

/// Whether a call can be carried out at all; if not, what the model is told, so that it can mend it.
enum CallCheck {
  case canRun(OfferedTool)
  case problem(String)

  init(_ call: ToolCall, _ tools: [OfferedTool]) {
    guard let offered = tools.tool(called: call.name) else {
      self = .problem(CallCheck.unknown(call.name, tools))
      return
    }
    let tool = offered.tool
    switch call.arguments {
    case .broken(_, let problem): self = .problem(CallCheck.broken(problem, tool))
    case .object(let arguments):
      let missing = CallCheck.required(tool.parameters).filter { arguments[$0] == nil }
      self =
        missing.isEmpty
        ? .canRun(offered)
        : .problem(
          "This call was not run: \(CallCheck.list(missing)) is missing. \(CallCheck.shape(of: tool))")
    }
  }

  /// Those that look like it first.
  private static func unknown(_ name: String, _ offered: [OfferedTool]) -> String {
    let names = offered.map(\.tool.name)
    guard !names.isEmpty else { return "This call was not run: there are no tools. Answer without them." }
    let called = ResultText.cut(name, to: 200)
    let nearest = Nearest.words(to: called, among: names)
    let sorted = nearest + names.filter { !nearest.contains($0) }
    return "This call was not run: there is no tool '\(called)'. The tools are: \(list(sorted))."
  }

  /// The first of a long list, each cut: what a server declares has no limit of its own.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(100).map { ResultText.cut($0, to: 100) }.joined(separator: ", ")
    return names.count > 100 ? "\(shown) and \(names.count - 100) more" : shown
  }

  private static func broken(_ problem: ToolCall.Problem, _ tool: Tool) -> String {
    let what =
      switch problem {
      case .notJSON: "its arguments are not valid JSON"
      case .notAnObject: "its arguments are not a JSON object"
      case .noName: "it names no tool"
      case .unfinished: "its arguments end in the middle"
      case .repeatedName: "its arguments have two members of one name"
      }
    return "This call was not run: \(what). \(shape(of: tool))"
  }

  private static func shape(of tool: Tool) -> String {
    let schema = ResultText.cut(tool.parameters.serialized(), to: 4000)
    let example = example(tool.parameters).serialized()
    // Half of an example would be a wrong one.
    let tail = example.utf8.count > 4000 ? "" : ". For example: \(example)"
    return "\(tool.name) takes an object of this schema: \(schema)\(tail)"
  }

  private static func required(_ schema: JSON) -> [String] { schema["required"]?.array?.compactMap(\.string) ?? [] }

  /// An object with what is required, or with the first of what there is.
  static func example(_ schema: JSON) -> JSON {
    let properties = schema["properties"]?.object ?? []
    let needed = Set(required(schema))
    let shown = properties.filter { needed.contains($0.key) }
    return .object((shown.isEmpty ? Array(properties.prefix(1)) : shown).map { .init($0.key, value($0.value)) })
  }

  private static func value(_ schema: JSON) -> JSON {
    if let standard = schema["default"], !standard.isNull { return standard }
    if let first = schema["enum"]?.array?.first { return first }
    let type = schema["type"]?.string ?? schema["type"]?[0]?.string
    return switch type {
    case "integer": 1
    case "number": 1.5
    case "boolean": true
    case "array": []
    case "object": .object([])
    default: "text"
    }
  }
}

import Chat
import Foundation
import Wire

/// The call that the demo makes of a question when it names one of the tools, or is plainly meant for it. It looks for
/// words and numbers, and understands nothing.
struct DemoCall {
  private static let searching = ["search", "look up", "find", "google"]
  private static let expressions = ["expression", "formula", "calculation", "sum"]
  private static let operations = [
    "+": ["add", "plus", "sum"], "-": ["subtract", "minus"], "*": ["multiply", "times", "product"],
    "/": ["divide", "quotient"],
  ]

  private let text: String
  /// In small letters.
  private let words: String
  private let numbers: [Double]
  /// Such as `2 + 3`.
  private let expression: String?

  /// The call for the last question; nil when it asks for none.
  static func call(for question: ChatRequest) -> ToolCall? {
    guard let asked = question.messages.last, asked.role == .user else { return nil }
    let demo = DemoCall(asked.content)
    let wanted = question.tools.filter { demo.names($0) } + question.tools.filter { demo.suits($0) }
    for tool in wanted {
      guard let arguments = demo.arguments(for: tool) else { continue }
      let count = question.messages.reduce(0) { $0 + $1.toolCalls.count }
      return ToolCall(id: "demo\(count + 1)", name: tool.name, arguments: .object(arguments))
    }
    return nil
  }

  private init(_ text: String) {
    self.text = text
    words = text.lowercased()
    numbers = text.matches(of: /[0-9]+(\.[0-9]+)?/).compactMap { Double($0.output.0) }
    let sum = text.firstMatch(of: /[0-9.(][0-9.() ]*[-+*\/×÷][-+*\/×÷0-9.() ]*[0-9)]/)?.output
    expression = sum.map { String($0).replacing("×", with: "*").replacing("÷", with: "/").trimmingBlanks }
  }

  private func names(_ tool: Tool) -> Bool {
    let name = tool.name.lowercased()
    return [name, DemoCall.plain(name)].contains { name in
      words.ranges(of: name).contains { range in
        !(words[..<range.lowerBound].last?.isLetter ?? false) && !(words[range.upperBound...].first?.isLetter ?? false)
      }
    }
  }

  private static func plain(_ name: String) -> String {
    String(name.map { $0 == "_" || $0 == "-" ? " " : $0 })
  }

  private func suits(_ tool: Tool) -> Bool {
    let name = DemoCall.plain(tool.name.lowercased())
    if let expression {
      let fields = DemoCall.fields(of: tool)
      if fields.contains(where: { DemoCall.expressions.contains($0.name) }) { return true }
      let sign = expression.first { DemoCall.operations[String($0)] != nil }
      return DemoCall.operations[sign.map { String($0) } ?? ""]?.contains(where: name.contains) ?? false
    }
    return DemoCall.searching.contains(where: words.hasPrefix) && DemoCall.searching.contains(where: name.contains)
  }
}

extension DemoCall {
  fileprivate struct Field {
    var name: String
    var schema: JSON
  }

  /// What a tool must be given, or else the first thing that it takes.
  private static func fields(of tool: Tool) -> [Field] {
    let all = (tool.parameters["properties"]?.object ?? []).map { Field(name: $0.key, schema: $0.value) }
    let required = (tool.parameters["required"]?.array ?? []).compactMap(\.string)
    return required.isEmpty ? Array(all.prefix(1)) : all.filter { required.contains($0.name) }
  }

  /// nil when the question has too few numbers or words.
  private func arguments(for tool: Tool) -> JSON? {
    var numbers = numbers[...]
    let fields = DemoCall.fields(of: tool)
    var phrases = phrases(without: tool, count: fields.count { $0.isText })[...]
    var arguments: JSON = [:]
    for field in fields {
      switch field.schema["type"]?.string {
      case "number", "integer":
        guard let number = numbers.popFirst() else { return nil }
        arguments[field.name] = Int(exactly: number).map { .int($0) } ?? .double(number)
      case "boolean": arguments[field.name] = true
      case "array": arguments[field.name] = []
      case "object": arguments[field.name] = [:]
      default:
        if let choices = field.schema["enum"]?.array {
          arguments[field.name] = choices.first { words.contains($0.string?.lowercased() ?? "\0") } ?? choices.first
        } else if DemoCall.expressions.contains(field.name), let expression {
          arguments[field.name] = .string(expression)
        } else {
          guard let phrase = phrases.popFirst() else { return nil }
          arguments[field.name] = .string(phrase)
        }
      }
    }
    return arguments
  }

  /// What is in quotes; else all that is said besides the tool's name, cut at small words when several are wanted.
  private func phrases(without tool: Tool, count: Int) -> [String] {
    let quoted = text.matches(of: /["“]([^"”]+)["”]/).map { String($0.output.1) }
    if quoted.count >= max(count, 1) { return quoted }
    var rest = text
    for name in [tool.name, DemoCall.plain(tool.name)] + DemoCall.searching + ["use ", "please "] {
      if let range = rest.range(of: name, options: .caseInsensitive) { rest.removeSubrange(range) }
    }
    rest = rest.trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: ".?!:,`'\"")))
    if rest.hasPrefix("for ") { rest.removeFirst(4) }
    guard count > 1 else { return rest.isEmpty ? [] : [rest] }
    return rest.split(separator: /\s+(and|to|in|into|with)\s+|,\s*/).map { part in
      part.replacing(/[0-9]+(\.[0-9]+)?/, with: "").trimmingCharacters(in: .whitespaces)
    }.filter { !$0.isEmpty }
  }
}

extension DemoCall.Field {
  fileprivate var isText: Bool {
    !["number", "integer", "boolean", "array", "object"].contains(schema["type"]?.string) && schema["enum"] == nil
  }
}

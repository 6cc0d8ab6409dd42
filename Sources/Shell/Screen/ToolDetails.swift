import Chat
import Text
import Wire

/// One tool, whole.
struct ToolDetails {
  var tool: Tool
  var server: ToolServer
  var isChosen: Bool
  /// Whether a call of it is asked about.
  var permission: String

  var json: JSON {
    [
      "name": .string(tool.name), "server": .string(server.name), "id": .string(server.id),
      "title": tool.title.map(JSON.string) ?? .null, "description": .string(tool.summary),
      "selected": .bool(isChosen), "parameters": tool.parameters, "claims": .array(tool.hints.claims.map(JSON.string)),
      "permission": .string(permission),
    ]
  }

  /// - Parameter columns: nil does not break lines.
  func text(columns: Int?) -> StyledText {
    var text: StyledText = .text("\(tool.name)\n", .strong)
    if let title = tool.title, title != tool.name { text += .text("\(title)\n") }
    let rows: [(SafeText, SafeText)] = [
      ("server", "\(server.name)"), ("chosen", isChosen ? "yes" : "no"), ("calls", "\(permission)"),
      ("claims", tool.hints.shownClaims ?? ""),
    ]
    text += DetailLines.text(rows, columns: columns)
    if !tool.summary.isEmpty { text += .text("\n" + DetailLines.block(tool.summary, columns: columns)) }
    let parameters = ToolParameter.all(of: tool.parameters)
    guard !parameters.isEmpty else { return text + .text("\nIt takes no arguments.\n", .dim) }
    return text + .text("\n") + parameters.flatMap { lines(of: $0, columns: columns) }
  }

  /// Its name, what it must be, and below what it is for.
  private func lines(of parameter: ToolParameter, columns: Int?) -> StyledText {
    var text: StyledText =
      .text("\(parameter.name)", .accent)
      + .text("  \(parameter.type)\(parameter.isRequired ? ", required" : "")\n", .dim)
    guard !parameter.summary.isEmpty else { return text }
    var wrapper = Wrapper(columns: columns ?? 4000, indent: 4, column: 4)
    let words = wrapper.feed("\(parameter.summary)")
    text += .text(.spaces(4) + words + wrapper.finish() + "\n")
    return text
  }
}

/// A server of tools, as it says it is.
struct ToolServerDetails {
  var server: ToolServer
  var facts: ToolServerFacts
  var tools: [Tool]

  var json: JSON {
    [
      "name": .string(server.name), "id": .string(server.id), "address": .string(server.place),
      "platform": server.platform.map(JSON.string) ?? .null, "title": facts.title.map(JSON.string) ?? .null,
      "program": .string(facts.name), "version": facts.version.map(JSON.string) ?? .null,
      "protocolVersion": .string(facts.protocolVersion), "transport": .string(facts.transport),
      "instructions": facts.instructions.map(JSON.string) ?? .null, "tools": .array(tools.map { .string($0.name) }),
      "hasPrompts": .bool(facts.offersPrompts), "hasResources": .bool(facts.offersResources),
    ]
  }

  func text(columns: Int?) -> StyledText {
    let program = [facts.title ?? facts.name, facts.version].compactMap { $0 }.joined(separator: " ")
    let others = [facts.offersPrompts ? "prompts" : nil, facts.offersResources ? "resources" : nil]
    let names = tools.map(\.name).joined(separator: ", ")
    var text: StyledText = .text("\(server.name)\n", .strong)
    text += DetailLines.text(
      [
        ("address", Filter.command(server.place)), ("of", "\(server.platform ?? "you")"), ("it is", "\(program)"),
        ("speaks", "MCP \(facts.protocolVersion), \(facts.transport)"),
        ("tools", tools.isEmpty ? "none" : "\(names)"), ("has", "\(others.compactMap { $0 }.joined(separator: ", "))"),
      ], columns: columns)
    if let instructions = facts.instructions, !instructions.isEmpty {
      text += .text("\n" + DetailLines.block(instructions, columns: columns))
    }
    return text
  }
}

/// Names and what belongs to them, a line or more for each that is not empty.
enum DetailLines {
  static func text(_ rows: [(name: SafeText, value: SafeText)], columns: Int?) -> StyledText {
    let rows = rows.filter { !$0.value.isEmpty }
    let label = (rows.map(\.name.cells).max() ?? 0) + 2
    return rows.flatMap { row -> StyledText in
      var value = row.value
      if let columns {
        var wrapper = Wrapper(columns: columns, indent: label, column: label)
        value = wrapper.feed(row.value)
        value += wrapper.finish()
      }
      return .text(row.name.padded(to: label), .dim) + .text(value + "\n")
    }
  }

  /// Text of a server's, on lines of its own.
  static func block(_ untrusted: String, columns: Int?) -> SafeText {
    let safe = Filter.block(untrusted.trimmed)
    guard let columns else { return safe + "\n" }
    var wrapper = Wrapper(columns: columns)
    let body = wrapper.feed(safe)
    return body + wrapper.finish() + "\n"
  }
}

/// An argument of a tool, as its schema has it.
struct ToolParameter: Equatable {
  var name: String
  var type: String
  var isRequired: Bool
  var summary: String

  /// In the schema's order.
  static func all(of schema: JSON) -> [ToolParameter] {
    let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
    return (schema["properties"]?.object ?? []).map { member in
      ToolParameter(
        name: member.key, type: type(of: member.value, in: schema, depth: 0), isRequired: required.contains(member.key),
        summary: member.value["description"]?.string ?? member.value["title"]?.string ?? "")
    }
  }

  /// A reference is followed inside the schema, and never to anywhere else (MCP contract, section 9).
  private static func type(of schema: JSON, in whole: JSON, depth: Int) -> String {
    guard depth < 8 else { return "any" }
    if let reference = schema["$ref"]?.string {
      return followed(reference, in: whole).map { type(of: $0, in: whole, depth: depth + 1) } ?? "any"
    }
    if let values = schema["enum"]?.array {
      return values.map { $0.string ?? $0.serialized() }.joined(separator: "|")
    }
    if let constant = schema["const"] { return constant.string ?? constant.serialized() }
    if let kinds = schema["anyOf"]?.array ?? schema["oneOf"]?.array {
      return kinds.map { type(of: $0, in: whole, depth: depth + 1) }.joined(separator: "|")
    }
    if let kinds = schema["type"]?.array { return kinds.compactMap(\.string).joined(separator: "|") }
    guard let kind = schema["type"]?.string else { return "any" }
    guard kind == "array", let items = schema["items"] else { return kind }
    return "list of " + type(of: items, in: whole, depth: depth + 1)
  }

  private static func followed(_ reference: String, in whole: JSON) -> JSON? {
    guard reference.hasPrefix("#/") else { return nil }
    return reference.dropFirst(2).split(separator: "/").reduce(whole as JSON?) { schema, step in schema?[String(step)] }
  }
}

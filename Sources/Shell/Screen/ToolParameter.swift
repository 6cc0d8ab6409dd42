import Wire

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

  /// A reference is followed inside the schema, and never to anywhere else (docs/mcp.md 9).
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

import Foundation
import TestSupport
import Wire

extension SeededNumbers {
  static let seed = seed(from: "SCHEMA_SEED")
}

/// Makes documents that follow the schemas of `Schemas/kamiwaza.json`, a part of the platform's own OpenAPI document.
struct SchemaSamples {
  enum Style: CaseIterable {
    /// Required members only.
    case minimal
    case full
    /// All members, null wherever that is allowed.
    case nulls
    /// All members, others that no schema has, and words that no enumeration has.
    case strange
  }

  private let schemas: JSON
  private let style: Style
  private var random: SeededNumbers

  init(_ style: Style, seed: UInt64 = SeededNumbers.seed) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Schemas/kamiwaza.json")
    schemas = try JSON(parsing: Array(Data(contentsOf: file)))
    self.style = style
    random = SeededNumbers(seed: seed)
  }

  /// A document of the schema of that name; it must be there.
  mutating func sample(of name: String) -> JSON {
    guard let schema = schemas[name] else { preconditionFailure("no schema \(name)") }
    return sample(schema)
  }

  private mutating func sample(_ schema: JSON) -> JSON {
    if let reference = schema["$ref"]?.string { return sample(of: String(reference.split(separator: "/").last ?? "")) }
    if let choices = schema["anyOf"]?.array ?? schema["oneOf"]?.array {
      if style == .nulls, choices.contains(where: { $0["type"]?.string == "null" }) { return .null }
      return sample(random.pick(choices.filter { $0["type"]?.string != "null" }))
    }
    if let all = schema["allOf"]?.array, let first = all.first { return sample(first) }
    if let words = schema["enum"]?.array { return word(of: words) }
    switch schema["type"]?.string {
    case "string": return .string(string(schema["format"]?.string))
    case "integer": return .int(random.below(100_000))
    case "number": return .double(Double(random.below(1000)) / 8)
    case "boolean": return .bool(random.below(2) == 0)
    case "array":
      let items = schema["items"] ?? [:]
      return .array((0..<(style == .minimal ? 0 : 1 + random.below(3))).map { _ in sample(items) })
    case "object": return object(schema)
    default: return anything()
    }
  }

  private mutating func word(of words: [JSON]) -> JSON {
    guard style == .strange, random.below(2) == 0 else { return random.pick(words) }
    return words.first?.int == nil ? "something-new" : 77
  }

  private mutating func object(_ schema: JSON) -> JSON {
    guard let properties = schema["properties"]?.object else {
      guard let values = schema["additionalProperties"], values.object != nil else { return ["key": anything()] }
      return ["KEY_ONE": sample(values), "KEY_TWO": sample(values)]
    }
    let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
    var members: [JSON.Member] = []
    for property in properties where style != .minimal || required.contains(property.key) {
      members.append(JSON.Member(property.key, sample(property.value)))
    }
    if style == .strange {
      members.insert(JSON.Member("x_new_object", ["id": 1, "name": ["a", .null]]), at: 0)
      members.append(JSON.Member("x_new_list", [1, "two", .null]))
    }
    return .object(members)
  }

  private mutating func anything() -> JSON { random.pick([.null, 1, "text", ["a": [true]], [1, 2]]) }

  private mutating func string(_ format: String?) -> String {
    switch format {
    case "uuid": return UUID(uuidString: uuid())?.uuidString.lowercased() ?? ""
    case "date-time":
      let second = 10 + random.below(50)
      return random.pick([
        "2026-02-12T00:26:\(second).123456", "2026-02-12T00:26:\(second)", "2026-02-12T00:26:\(second)Z",
        "2026-02-12T02:26:\(second).5+02:00",
      ])
    default:
      return random.pick(["llama", "Größe 7", "a/b:c,(d)", "v", "Ein längerer Text, mit 🦙"]) + "\(random.below(999))"
    }
  }

  private mutating func uuid() -> String {
    let digits = (0..<32).map { _ in String(random.below(16), radix: 16) }.joined()
    var rest = digits[...]
    return [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }.joined(separator: "-")
  }
}

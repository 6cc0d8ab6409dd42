/// Looks whether every keyword of a schema is one that can be checked.
struct JSONSchemaReading {
  let root: JSON
  /// References whose schemas were read.
  private var followed: Set<String> = []

  init(root: JSON) { self.root = root }

  private static let deepest = 200
  private static let types: Set = ["null", "boolean", "integer", "number", "string", "array", "object"]

  private enum Shape { case schema, schemas, named, schemaOrSchemas, count, number, flag, names, types, text, any }

  private static let shapes: [String: Shape] = [
    "type": .types, "enum": .any, "const": .any, "allOf": .schemas, "anyOf": .schemas, "oneOf": .schemas,
    "not": .schema, "if": .schema, "then": .schema, "else": .schema,
    "properties": .named, "patternProperties": .named, "additionalProperties": .schema, "propertyNames": .schema,
    "required": .names, "minProperties": .count, "maxProperties": .count, "dependentSchemas": .named,
    "dependentRequired": .any, "items": .schemaOrSchemas, "prefixItems": .schemas, "additionalItems": .schema,
    "contains": .schema, "minContains": .count, "maxContains": .count, "minItems": .count, "maxItems": .count,
    "uniqueItems": .flag, "minLength": .count, "maxLength": .count, "pattern": .text, "minimum": .number,
    "maximum": .number, "exclusiveMinimum": .number, "exclusiveMaximum": .number, "multipleOf": .number,
    "$defs": .named, "definitions": .named, "$ref": .text,
  ]

  private static let unsupported: Set = [
    "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef", "dependencies",
  ]

  mutating func read(_ schema: JSON, at place: String, depth: Int) throws(JSONSchema.Flaw) {
    if schema.bool != nil { return }
    guard let members = schema.object, depth < JSONSchemaReading.deepest else {
      throw JSONSchema.Flaw(place: place, problem: .badValue(keyword: ""))
    }
    for member in members { try read(member, at: place, depth: depth) }
  }

  private mutating func read(_ member: JSON.Member, at place: String, depth: Int) throws(JSONSchema.Flaw) {
    let (key, value) = (member.key, member.value)
    if JSONSchemaReading.unsupported.contains(key) {
      throw JSONSchema.Flaw(place: place, problem: .unsupported(keyword: key))
    }
    guard let shape = JSONSchemaReading.shapes[key] else { return }
    let inner = JSON.pointer(place, key)
    switch shape {
    case .schema: try read(value, at: inner, depth: depth + 1)
    case .schemaOrSchemas where value.array == nil: try read(value, at: inner, depth: depth + 1)
    case .schemas, .schemaOrSchemas:
      let list = try require(value.array, key, place)
      for (index, element) in list.enumerated() { try read(element, at: "\(inner)/\(index)", depth: depth + 1) }
    case .named:
      for named in try require(value.object, key, place) {
        if key == "patternProperties" { try requirePattern(named.key, place) }
        try read(named.value, at: JSON.pointer(inner, named.key), depth: depth + 1)
      }
    case .count: try require(value.int.map { $0 >= 0 } == true ? true : nil, key, place)
    case .number: try require(value.double.map { key != "multipleOf" || $0 > 0 } == true ? true : nil, key, place)
    case .flag: try require(value.bool, key, place)
    case .names: try require(value.array?.allSatisfy { $0.string != nil } == true ? true : nil, key, place)
    case .types:
      let names = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
      let isKnown = !names.isEmpty && names.allSatisfy(JSONSchemaReading.types.contains)
      try require(isKnown ? true : nil, key, place)
    case .text:
      let text = try require(value.string, key, place)
      if key == "pattern" { try requirePattern(text, place) }
      if key == "$ref" { try follow(text, from: place, depth: depth) }
    case .any: if key == "enum" { try require(value.array, key, place) }
    }
  }

  /// What is meant may stand where no keyword makes a schema of it.
  private mutating func follow(_ reference: String, from place: String, depth: Int) throws(JSONSchema.Flaw) {
    guard let schema = root.at(reference: reference) else {
      throw JSONSchema.Flaw(place: place, problem: .lost(reference: reference))
    }
    if followed.insert(reference).inserted { try read(schema, at: String(reference.dropFirst()), depth: depth + 1) }
  }

  @discardableResult
  private func require<T>(_ value: T?, _ keyword: String, _ place: String) throws(JSONSchema.Flaw) -> T {
    guard let value else { throw JSONSchema.Flaw(place: place, problem: .badValue(keyword: keyword)) }
    return value
  }

  private func requirePattern(_ pattern: String, _ place: String) throws(JSONSchema.Flaw) {
    guard Pattern(pattern) != nil else {
      throw JSONSchema.Flaw(place: place, problem: .badPattern(pattern))
    }
  }
}

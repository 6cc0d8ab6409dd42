/// Holds one value against a schema that was read.
struct JSONSchemaCheck {
  typealias Misfit = JSONSchema.Misfit

  let root: JSON
  let work: JSONSchemaWork

  /// Of the value and of references together.
  private static let deepest = 500

  func misfit(of value: JSON, in schema: JSON, at place: String, depth: Int) -> Misfit? {
    if let allowed = schema.bool { return allowed ? nil : Misfit(place: place, reason: .value) }
    if depth >= JSONSchemaCheck.deepest { work.giveUp(at: place, .tooDeep) }
    guard work.spend(at: place) else { return work.givenUp }
    let step = Step(check: self, value: value, schema: schema, place: place, depth: depth + 1)
    return step.ofReference() ?? step.ofType() ?? step.ofValue() ?? step.ofNumber() ?? step.ofText()
      ?? step.ofArray() ?? step.ofObject() ?? step.ofCombination()
  }
}

/// One schema against one value.
private struct Step {
  typealias Misfit = JSONSchema.Misfit

  let check: JSONSchemaCheck
  let value: JSON
  let schema: JSON
  let place: String
  let depth: Int

  private func misfit(_ reason: Misfit.Reason) -> Misfit { Misfit(place: place, reason: reason) }

  private func limit(_ keyword: String) -> Misfit {
    misfit(.limit(keyword: keyword, value: schema[keyword]?.serialized() ?? ""))
  }

  /// Of the same value, in a schema within this one.
  private func here(_ inner: JSON) -> Misfit? { check.misfit(of: value, in: inner, at: place, depth: depth) }

  private func there(_ key: String, _ value: JSON, _ inner: JSON) -> Misfit? {
    check.misfit(of: value, in: inner, at: JSON.pointer(place, key), depth: depth)
  }

  func ofReference() -> Misfit? {
    schema["$ref"]?.string.flatMap { check.root.at(reference: $0) }.flatMap(here)
  }

  func ofType() -> Misfit? {
    guard let type = schema["type"] else { return nil }
    let wanted = type.string.map { [$0] } ?? type.array?.compactMap(\.string) ?? []
    let found = value.schemaType
    if wanted.contains(found) || found == "integer" && wanted.contains("number") { return nil }
    return misfit(.type(found: found, wanted: wanted))
  }

  func ofValue() -> Misfit? {
    if let constant = schema["const"], constant.canonical != value.canonical { return misfit(.value) }
    if let values = schema["enum"]?.array {
      let mine = value.canonical
      if !values.contains(where: { $0.canonical == mine }) { return misfit(.value) }
    }
    return nil
  }

  func ofNumber() -> Misfit? {
    guard let number = value.double else { return nil }
    func breaks(_ keyword: String, _ isBroken: (Double) -> Bool) -> Bool {
      schema[keyword]?.double.map(isBroken) ?? false
    }
    if breaks("minimum", { number < $0 }) { return limit("minimum") }
    if breaks("maximum", { number > $0 }) { return limit("maximum") }
    if breaks("exclusiveMinimum", { number <= $0 }) { return limit("exclusiveMinimum") }
    if breaks("exclusiveMaximum", { number >= $0 }) { return limit("exclusiveMaximum") }
    if let factor = schema["multipleOf"], !value.isMultiple(of: factor) { return limit("multipleOf") }
    return nil
  }

  func ofText() -> Misfit? {
    guard let text = value.string else { return nil }
    let length = text.unicodeScalars.count
    if let least = schema["minLength"]?.int, length < least { return limit("minLength") }
    if let most = schema["maxLength"]?.int, length > most { return limit("maxLength") }
    if let pattern = schema["pattern"]?.string, !check.work.isFound(pattern, in: text, at: place) {
      return limit("pattern")
    }
    return nil
  }

  func ofArray() -> Misfit? {
    guard let elements = value.array else { return nil }
    if let least = schema["minItems"]?.int, elements.count < least { return limit("minItems") }
    if let most = schema["maxItems"]?.int, elements.count > most { return limit("maxItems") }
    if schema["uniqueItems"]?.bool == true, Set(elements.map(\.canonical)).count < elements.count {
      return limit("uniqueItems")
    }
    let tuple = schema["prefixItems"]?.array ?? schema["items"]?.array ?? []
    let rest = schema["items"].flatMap { $0.array == nil ? $0 : schema["additionalItems"] }
    for (index, element) in elements.enumerated() {
      guard let inner = index < tuple.count ? tuple[index] : rest else { break }
      if let found = there(String(index), element, inner) { return found }
    }
    return ofContained(elements)
  }

  private func ofContained(_ elements: [JSON]) -> Misfit? {
    guard let wanted = schema["contains"] else { return nil }
    let count = elements.count { check.misfit(of: $0, in: wanted, at: place, depth: depth) == nil }
    if count < schema["minContains"]?.int ?? 1 {
      return schema["minContains"] == nil ? misfit(.combination(keyword: "contains")) : limit("minContains")
    }
    if let most = schema["maxContains"]?.int, count > most { return limit("maxContains") }
    return nil
  }

  func ofObject() -> Misfit? {
    guard let members = value.object else { return nil }
    let keys = Set(members.map(\.key))
    let byKey = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    let named =
      members.isEmpty
      ? nil
      : schema["properties"]?.object.map {
        Dictionary($0.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
      }
    for key in schema["required"]?.array?.compactMap(\.string) ?? [] where !keys.contains(key) {
      return misfit(.missing(key: key))
    }
    if let least = schema["minProperties"]?.int, keys.count < least { return limit("minProperties") }
    if let most = schema["maxProperties"]?.int, keys.count > most { return limit("maxProperties") }
    for key in keys.sorted() {
      if let names = schema["propertyNames"],
        check.misfit(of: .string(key), in: names, at: place, depth: depth) != nil
      {
        return misfit(.unexpected(key: key))
      }
      if let found = ofMember(key, byKey[key] ?? .null, named?[key]) ?? ofDependents(of: key, among: keys) {
        return found
      }
    }
    return nil
  }

  private func ofMember(_ key: String, _ member: JSON, _ named: JSON?) -> Misfit? {
    var inner: [JSON] = []
    if let named { inner.append(named) }
    for pattern in schema["patternProperties"]?.object ?? []
    where check.work.isFound(pattern.key, in: key, at: place) {
      inner.append(pattern.value)
    }
    if inner.isEmpty, let others = schema["additionalProperties"] {
      if others.bool == false { return misfit(.unexpected(key: key)) }
      inner.append(others)
    }
    return inner.lazy.compactMap { there(key, member, $0) }.first
  }

  private func ofDependents(of key: String, among keys: Set<String>) -> Misfit? {
    for other in schema["dependentRequired"]?[key]?.array?.compactMap(\.string) ?? [] where !keys.contains(other) {
      return misfit(.missing(key: other))
    }
    return schema["dependentSchemas"]?[key].flatMap(here)
  }

  func ofCombination() -> Misfit? {
    for inner in schema["allOf"]?.array ?? [] { if let found = here(inner) { return found } }
    if let alternatives = schema["anyOf"]?.array, !alternatives.contains(where: { here($0) == nil }) {
      return misfit(.combination(keyword: "anyOf"))
    }
    if let alternatives = schema["oneOf"]?.array, alternatives.count(where: { here($0) == nil }) != 1 {
      return misfit(.combination(keyword: "oneOf"))
    }
    if let unwanted = schema["not"], here(unwanted) == nil { return misfit(.combination(keyword: "not")) }
    guard let condition = schema["if"] else { return nil }
    return schema[here(condition) == nil ? "then" : "else"].flatMap(here)
  }
}

extension JSON {
  /// Of whole numbers exactly, of others as far as their binary form is exact: 0.3 is three times 0.1.
  fileprivate func isMultiple(of factor: JSON) -> Bool {
    if let number = int, let factor = factor.int, factor != 0 { return number.isMultiple(of: factor) }
    guard let number = double, let factor = factor.double, factor != 0 else { return true }
    let quotient = number / factor
    return abs(quotient - quotient.rounded()) <= min(0.25, max(1e-9, abs(quotient) * 4e-15))
  }

  /// As JSON Schema calls it; a whole number is an `integer`, however it is written.
  fileprivate var schemaType: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .int: "integer"
    case .double: int == nil ? "number" : "integer"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

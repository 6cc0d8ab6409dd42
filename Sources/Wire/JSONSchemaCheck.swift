/// Holds one value against a schema that was read.
struct JSONSchemaCheck {
  typealias Misfit = JSONSchema.Misfit
  typealias Unchecked = JSONSchema.Unchecked

  let root: JSON
  let work: JSONSchemaWork

  /// Of the value and of references together.
  private static let deepest = 500

  func misfit(of value: JSON, in schema: JSON, at place: String, depth: Int) throws(Unchecked) -> Misfit? {
    if let allowed = schema.bool { return allowed ? nil : Misfit(place: place, reason: .value) }
    if depth >= JSONSchemaCheck.deepest { throw .tooDeep(place: place) }
    try work.spend(at: place)
    let step = Step(check: self, value: value, schema: schema, place: place, depth: depth + 1)
    // One by one: `??` throws no typed error.
    if let found = try step.ofReference() { return found }
    if let found = step.ofType() { return found }
    if let found = try step.ofValue() { return found }
    if let found = step.ofNumber() { return found }
    if let found = try step.ofText() { return found }
    if let found = try step.ofArray() { return found }
    if let found = try step.ofObject() { return found }
    return try step.ofCombination()
  }
}

/// One schema against one value.
private struct Step {
  typealias Misfit = JSONSchema.Misfit
  typealias Unchecked = JSONSchema.Unchecked

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
  private func here(_ inner: JSON) throws(Unchecked) -> Misfit? {
    try check.misfit(of: value, in: inner, at: place, depth: depth)
  }

  private func there(_ key: String, _ value: JSON, _ inner: JSON) throws(Unchecked) -> Misfit? {
    try check.misfit(of: value, in: inner, at: JSON.pointer(place, key), depth: depth)
  }

  /// How many of the schemas the value fits.
  private func fits(_ schemas: [JSON]) throws(Unchecked) -> Int {
    var count = 0
    for schema in schemas where try here(schema) == nil { count += 1 }
    return count
  }

  private func fitsOne(of schemas: [JSON]) throws(Unchecked) -> Bool {
    for schema in schemas where try here(schema) == nil { return true }
    return false
  }

  func ofReference() throws(Unchecked) -> Misfit? {
    guard let referred = schema["$ref"]?.string.flatMap({ check.root.at(reference: $0) }) else { return nil }
    return try here(referred)
  }

  func ofType() -> Misfit? {
    guard let type = schema["type"] else { return nil }
    let wanted = type.string.map { [$0] } ?? type.array?.compactMap(\.string) ?? []
    let found = value.schemaType
    if wanted.contains(found) || found == "integer" && wanted.contains("number") { return nil }
    return misfit(.type(found: found, wanted: wanted))
  }

  func ofValue() throws(Unchecked) -> Misfit? {
    if let constant = schema["const"], constant.canonical != value.canonical { return misfit(.value) }
    if let values = schema["enum"]?.array {
      try check.work.spend(values.count, at: place)
      let mine = value.canonical
      if !values.contains(where: { $0.canonical == mine }) { return misfit(.value) }
    }
    return nil
  }

  func ofNumber() -> Misfit? {
    guard let number = value.double else { return nil }
    func breaks(_ keyword: String, _ isWhole: (Int, Int) -> Bool, _ isBroken: (Double, Double) -> Bool) -> Bool {
      guard let limit = schema[keyword], let other = limit.double else { return false }
      // Whole numbers exactly: doubles have only 53 bits for them.
      if let mine = value.int, let other = limit.int { return isWhole(mine, other) }
      // One of them is beyond 64 bit, and may be the same double as the other.
      if value.int != nil, limit.int == nil, abs(other) >= 0x1p63 { return isBroken(0, other) }
      if limit.int != nil, value.int == nil, abs(number) >= 0x1p63 { return isBroken(number, 0) }
      return isBroken(number, other)
    }
    if breaks("minimum", <, <) { return limit("minimum") }
    if breaks("maximum", >, >) { return limit("maximum") }
    if breaks("exclusiveMinimum", <=, <=) { return limit("exclusiveMinimum") }
    if breaks("exclusiveMaximum", >=, >=) { return limit("exclusiveMaximum") }
    if let factor = schema["multipleOf"], !value.isMultiple(of: factor) { return limit("multipleOf") }
    return nil
  }

  func ofText() throws(Unchecked) -> Misfit? {
    guard let text = value.string else { return nil }
    let length = text.unicodeScalars.count
    if let least = schema["minLength"]?.int, length < least { return limit("minLength") }
    if let most = schema["maxLength"]?.int, length > most { return limit("maxLength") }
    if let pattern = schema["pattern"]?.string, try !check.work.isFound(pattern, in: text, at: place) {
      return limit("pattern")
    }
    return nil
  }

  func ofArray() throws(Unchecked) -> Misfit? {
    guard let elements = value.array else { return nil }
    if let least = schema["minItems"]?.int, elements.count < least { return limit("minItems") }
    if let most = schema["maxItems"]?.int, elements.count > most { return limit("maxItems") }
    if schema["uniqueItems"]?.bool == true {
      try check.work.spend(elements.count, at: place)
      if Set(elements.map(\.canonical)).count < elements.count { return limit("uniqueItems") }
    }
    let tuple = schema["prefixItems"]?.array ?? schema["items"]?.array ?? []
    let rest = schema["items"].flatMap { $0.array == nil ? $0 : schema["additionalItems"] }
    for (index, element) in elements.enumerated() {
      guard let inner = index < tuple.count ? tuple[index] : rest else { break }
      if let found = try there(String(index), element, inner) { return found }
    }
    return try ofContained(elements)
  }

  private func ofContained(_ elements: [JSON]) throws(Unchecked) -> Misfit? {
    guard let wanted = schema["contains"] else { return nil }
    var count = 0
    for element in elements where try check.misfit(of: element, in: wanted, at: place, depth: depth) == nil {
      count += 1
    }
    if count < schema["minContains"]?.int ?? 1 {
      return schema["minContains"] == nil ? misfit(.combination(keyword: "contains")) : limit("minContains")
    }
    if let most = schema["maxContains"]?.int, count > most { return limit("maxContains") }
    return nil
  }

  func ofObject() throws(Unchecked) -> Misfit? {
    guard let members = value.object?.byKey else { return nil }
    for key in schema["required"]?.array?.compactMap(\.string) ?? [] where members[ExactText(key)] == nil {
      return misfit(.missing(key: key))
    }
    if let least = schema["minProperties"]?.int, members.count < least { return limit("minProperties") }
    if let most = schema["maxProperties"]?.int, members.count > most { return limit("maxProperties") }
    guard !members.isEmpty else { return nil }
    let properties = try byKey("properties")
    let requirements = try byKey("dependentRequired")
    let dependents = try byKey("dependentSchemas")
    for (exact, member) in members.sorted(by: { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }) {
      let key = exact.text
      if let names = schema["propertyNames"],
        try check.misfit(of: .string(key), in: names, at: place, depth: depth) != nil
      {
        return misfit(.unexpected(key: key))
      }
      if let found = try ofMember(key, member, properties[exact]) { return found }
      let required = requirements[exact]?.array?.compactMap(\.string) ?? []
      try check.work.spend(required.count, at: place)
      if let missing = required.first(where: { members[ExactText($0)] == nil }) {
        return misfit(.missing(key: missing))
      }
      if let inner = dependents[exact], let found = try here(inner) { return found }
    }
    return nil
  }

  private func ofMember(_ key: String, _ member: JSON, _ named: JSON?) throws(Unchecked) -> Misfit? {
    var inner: [JSON] = []
    if let named { inner.append(named) }
    for pattern in schema["patternProperties"]?.object ?? []
    where try check.work.isFound(pattern.key, in: key, at: place) {
      inner.append(pattern.value)
    }
    if inner.isEmpty, let others = schema["additionalProperties"] {
      if others.bool == false { return misfit(.unexpected(key: key)) }
      inner.append(others)
    }
    for inner in inner { if let found = try there(key, member, inner) { return found } }
    return nil
  }

  /// The members of an object in the schema; empty if there is none.
  private func byKey(_ keyword: String) throws(Unchecked) -> [ExactText: JSON] {
    guard let object = schema[keyword]?.object else { return [:] }
    try check.work.spend(object.count, at: place)
    return object.byKey
  }

  func ofCombination() throws(Unchecked) -> Misfit? {
    for inner in schema["allOf"]?.array ?? [] { if let found = try here(inner) { return found } }
    if let alternatives = schema["anyOf"]?.array, try !fitsOne(of: alternatives) {
      return misfit(.combination(keyword: "anyOf"))
    }
    if let alternatives = schema["oneOf"]?.array, try fits(alternatives) != 1 {
      return misfit(.combination(keyword: "oneOf"))
    }
    if let unwanted = schema["not"], try here(unwanted) == nil { return misfit(.combination(keyword: "not")) }
    guard let condition = schema["if"], let inner = schema[try here(condition) == nil ? "then" : "else"] else {
      return nil
    }
    return try here(inner)
  }
}

extension [JSON.Member] {
  /// Of a key that stands there twice the last holds.
  fileprivate var byKey: [ExactText: JSON] {
    Dictionary(map { (ExactText($0.key), $0.value) }, uniquingKeysWith: { _, last in last })
  }
}

/// A text that is another one when an accent is written in another way, as JSON has them.
private struct ExactText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: ExactText, other: ExactText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
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
    case .double(let number): number.rounded() == number ? "integer" : "number"
    case .exact(let text): DecimalText(text)?.isWhole == true ? "integer" : "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

import Wire

/// Fields of a form or a query, in order.
struct FormFields: ExpressibleByDictionaryLiteral {
  private var fields: [(name: String, value: String)] = []

  init(dictionaryLiteral elements: (String, String?)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// A field without a value is left out.
  mutating func append(_ name: String, _ value: String?) {
    if let value { fields.append((name, value)) }
  }

  /// As `application/x-www-form-urlencoded`.
  var encoded: String {
    fields.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
  }
}

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
    fields.map { "\(FormFields.encoded($0.name))=\(FormFields.encoded($0.value))" }.joined(separator: "&")
  }

  /// Everything but the unreserved characters of RFC 3986 as `%XX`.
  static func encoded(_ text: String) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
      default: encoded += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)
}

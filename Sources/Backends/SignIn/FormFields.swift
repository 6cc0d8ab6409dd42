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

extension String {
  /// As one segment of a path or one value of a query: everything but the unreserved characters of RFC 3986 as `%XX`.
  var percentEncoded: String {
    var encoded: [UInt8] = []
    for byte in utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
      default: encoded += [0x25, String.hexDigits[Int(byte >> 4)], String.hexDigits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

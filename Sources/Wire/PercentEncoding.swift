extension String {
  /// As one segment of a path or one value of a query: everything but the unreserved characters of RFC 3986 as `%XX`.
  package var percentEncoded: String {
    var encoded: [UInt8] = []
    for byte in utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
      default: encoded += [0x25, String.hexDigits[Int(byte >> 4)], String.hexDigits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// With the bytes that `%41` stands for; a `%` without two digits behind it stays.
  package var percentDecoded: String {
    guard utf8.contains(UInt8(ascii: "%")) else { return self }
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2, let value = String.value(ofHex: digits) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func value(ofHex digits: ArraySlice<UInt8>) -> UInt8? {
    // A sign is no digit, though a number may have one.
    digits.contains(UInt8(ascii: "+")) ? nil : UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

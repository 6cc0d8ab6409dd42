/// An address that a terminal may be told as a link (OSC 8; docs/screen.md 4): of a kind that opens a page or a letter, in
/// printable ASCII, and no longer than terminals take.
package struct LinkTarget: Sendable, Equatable {
  package let url: String

  /// The longest that the terminals that know links accept, in bytes.
  private static let limit = 2083

  /// nil for what is no address of http, https or mailto, too long or with a control character in it; whatever else is not
  /// printable ASCII is percent-encoded.
  package init?(_ untrusted: String) {
    guard let encoded = Self.encoded(untrusted) else { return nil }
    url = encoded
    // The scheme is the same in capitals (RFC 3986 3.1).
    let scheme = encoded.utf8.prefix(7).prefix { $0 != UInt8(ascii: ":") }.map { $0 | 0x20 }
    guard Self.schemes.contains(scheme), !host.isEmpty else { return nil }
  }

  private static let schemes = ["http", "https", "mailto"].map { Array($0.utf8) }

  private static func encoded(_ untrusted: String) -> String? {
    guard !untrusted.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return untrusted.utf8.count <= limit ? untrusted : nil
    }
    var encoded = ""
    for byte in untrusted.utf8 {
      if byte < 0x20 || byte == 0x7F { return nil }
      if (0x21...0x7E).contains(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += "%" + (digits.count == 1 ? "0" : "") + digits
      }
      if encoded.utf8.count > limit { return nil }
    }
    return encoded
  }

  /// The machine that it leads to, or whom a letter goes to.
  package var host: Substring {
    let rest = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
    guard rest.starts(with: "//".utf8) else { return Substring(rest.prefix { $0 != UInt8(ascii: "?") }) }
    return Substring(rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) })
  }
}

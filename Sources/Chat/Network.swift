import Glibc

/// How far away a host is, judged by its name alone.
package enum Network: Sendable {
  case loopback
  /// RFC 1918 and RFC 4193 addresses, link-local ones, and names that only a private network resolves.
  case local
  case open

  /// `host` is in lower case; an IPv6 address has its brackets.
  package init(host: String) {
    if host.hasPrefix("["), host.hasSuffix("]") {
      self = Network.ipv6(String(host.dropFirst().dropLast()))
    } else if let bytes = Network.bytes(of: host, AF_INET, 4) {
      self = Network.ipv4(bytes)
    } else if host == "localhost" || host.hasSuffix(".localhost") {
      self = .loopback
    } else if [".local", ".lan", ".internal", ".home.arpa"].contains(where: host.hasSuffix) {
      self = .local
    } else {
      // A name such as 134744072 or 0x8080808 is a public IPv4 address to a resolver.
      let isNumber = host.allSatisfy(\.isNumber) || host.hasPrefix("0x")
      self = host.isEmpty || host.contains(".") || host.contains(":") || isNumber ? .open : .local
    }
  }

  private static func ipv4(_ bytes: [UInt8]) -> Network {
    switch (bytes[0], bytes[1]) {
    case (127, _): .loopback
    case (10, _), (172, 16...31), (192, 168), (169, 254): .local
    default: .open
    }
  }

  private static func ipv6(_ address: String) -> Network {
    guard let bytes = bytes(of: address, AF_INET6, 16) else { return .open }
    let leading = bytes.prefix { $0 == 0 }.count
    if leading == 15, bytes[15] == 1 { return .loopback }
    // An IPv4 address in the place of an IPv6 one (RFC 4291, 2.5.5.2).
    if leading == 10, bytes[10] == 0xFF, bytes[11] == 0xFF { return ipv4(Array(bytes[12...])) }
    return bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80) ? .local : .open
  }

  /// The address as `inet_pton` reads it, which takes four decimal numbers without leading zeros only: other spellings are
  /// left to the resolver and count as names.
  private static func bytes(of address: String, _ family: Int32, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, address, &bytes) == 1 ? bytes : nil
  }
}

/// How far away a host is, judged by its name alone.
enum Network {
  case loopback
  /// RFC 1918 and RFC 4193 addresses, link-local ones, and names that only a private network resolves.
  case local
  case open

  /// `host` is in lower case; an IPv6 address has its brackets.
  init(host: String) {
    if host.hasPrefix("[") {
      self = Network.ipv6(host.dropFirst().dropLast())
    } else if let bytes = Network.ipv4(host) {
      switch (bytes[0], bytes[1]) {
      case (127, _): self = .loopback
      case (10, _), (172, 16...31), (192, 168), (169, 254): self = .local
      default: self = .open
      }
    } else if host == "localhost" || host.hasSuffix(".localhost") {
      self = .loopback
    } else if [".local", ".lan", ".internal", ".home.arpa"].contains(where: host.hasSuffix) {
      self = .local
    } else {
      // A name such as 134744072 or 0x8080808 is a public IPv4 address to a resolver.
      let isNumber = host.allSatisfy(\.isNumber) || host.hasPrefix("0x")
      self = host.contains(".") || isNumber ? .open : .local
    }
  }

  private static func ipv6(_ address: Substring) -> Network {
    if address == "::1" || address == "0:0:0:0:0:0:0:1" { return .loopback }
    guard let first = address.split(separator: ":", omittingEmptySubsequences: false).first,
      let group = UInt16(first, radix: 16)
    else { return .open }
    return group & 0xFE00 == 0xFC00 || group & 0xFFC0 == 0xFE80 ? .local : .open
  }

  /// Four decimal numbers without leading zeros; other spellings are left to the resolver and count as names.
  private static func ipv4(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { part in UInt8(part).flatMap { $0.description == part ? $0 : nil } }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }
}

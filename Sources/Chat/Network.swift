import Glibc

/// How far away a host is, judged by its name alone.
package enum Network: Sendable {
  case loopback
  /// RFC 1918 and RFC 4193 addresses, link-local ones, and names that only a private network resolves.
  case local
  case open

  /// Every spelling of an address counts that libcurl connects to: `127.1` and `0x7f000001` are this machine, as are
  /// `0.0.0.0` and `[::]`, which servers print as the address that they listen on.
  /// - Parameter host: in lower case; an IPv6 address has its brackets.
  package init(host: String) {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    if name.hasPrefix("["), name.hasSuffix("]") {
      self = Network.ipv6(String(name.dropFirst().dropLast()))
    } else if let bytes = Network.ipv4Bytes(of: name) {
      self = Network.ipv4(bytes)
    } else if name == "localhost" || name.hasSuffix(".localhost") {
      self = .loopback
    } else if [".local", ".lan", ".internal", ".home.arpa"].contains(where: name.hasSuffix) {
      self = .local
    } else {
      // A number that is no address is a name of the public DNS to a resolver.
      let isNumber = name.allSatisfy(\.isNumber) || name.hasPrefix("0x")
      self = name.contains(".") || name.contains(":") || isNumber ? .open : .local
    }
  }

  private static func ipv4(_ bytes: [UInt8]) -> Network {
    switch (bytes[0], bytes[1]) {
    case (127, _): .loopback
    case (0, 0) where bytes.allSatisfy { $0 == 0 }: .loopback
    case (10, _), (172, 16...31), (192, 168), (169, 254): .local
    default: .open
    }
  }

  private static func ipv6(_ address: String) -> Network {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return .open }
    let leading = bytes.prefix { $0 == 0 }.count
    if leading == 16 || leading == 15 && bytes[15] == 1 { return .loopback }
    // An IPv4 address in the place of an IPv6 one (RFC 4291, 2.5.5.2).
    if leading == 10, bytes[10] == 0xFF, bytes[11] == 0xFF { return ipv4(Array(bytes[12...])) }
    return bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80) ? .local : .open
  }

  /// The four bytes of an IPv4 address in any spelling that `inet_aton` reads, as libcurl and resolvers do: fewer than
  /// four numbers, octal and hexadecimal ones. It alone ignores what follows a blank.
  private static func ipv4Bytes(of text: String) -> [UInt8]? {
    var address = in_addr()
    guard text.first?.isNumber == true, !text.contains(where: \.isWhitespace), inet_aton(text, &address) != 0 else {
      return nil
    }
    return withUnsafeBytes(of: address.s_addr) { Array($0) }
  }
}

/// An address of a server of tools as people type it, without `http://`.
enum SchemelessAddress {
  /// With a scheme: `http` on this machine and private networks, else `https`. nil for what is more likely a program.
  static func completed(_ text: String) -> String? {
    let authority = text.prefix { !"/?#".contains($0) }
    guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }), !text.contains("://"),
      let (host, port) = split(authority.lowercased()), !host.hasPrefix("."), !host.hasPrefix("-")
    else { return nil }
    guard port != nil || host.contains(".") || host.hasPrefix("[") || host == "localhost" else { return nil }
    return (isPrivate(host) ? "http://" : "https://") + text
  }

  private static func split(_ authority: String) -> (host: String, port: Int?)? {
    var host = authority[...]
    var port: Int?
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      guard let number = Int(authority[authority.index(after: colon)...]), 1...65535 ~= number else { return nil }
      port = number
      host = authority[..<colon]
    }
    if host.hasPrefix("[") { return host.hasSuffix("]") ? (String(host), port) : nil }
    let isName = host.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-._".unicodeScalars.contains(scalar)
    }
    return !host.isEmpty && isName ? (String(host), port) : nil
  }

  /// RFC 1918 and RFC 4193 addresses, this machine's own, and names that only a private network resolves.
  private static func isPrivate(_ host: String) -> Bool {
    if host.hasPrefix("[") {
      return host == "[::1]" || ["[fc", "[fd", "[fe8"].contains(where: host.hasPrefix)
    }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    if parts.count == 4, let first = parts[0], let second = parts[1], parts.allSatisfy({ $0 != nil }) {
      return switch (first, second) {
      case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254): true
      default: false
      }
    }
    if !host.contains(".") { return !host.allSatisfy(\.isNumber) && !host.hasPrefix("0x") }
    return [".localhost", ".local", ".lan", ".internal", ".home.arpa"].contains(where: host.hasSuffix)
  }
}

import Chat

/// An address of a server of tools as people type it, without `http://`.
enum SchemelessAddress {
  /// With a scheme: `http` on this machine and private networks, else `https`. nil for what is more likely a program.
  static func completed(_ text: String) -> String? {
    let authority = text.prefix { !"/?#".contains($0) }
    guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }), !text.contains("://"),
      let (host, port) = split(authority.lowercased()), !host.hasPrefix("."), !host.hasPrefix("-")
    else { return nil }
    guard port != nil || host.contains(".") || host.hasPrefix("[") || host == "localhost" else { return nil }
    return (Network(host: host) == .open ? "https://" : "http://") + text
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
}

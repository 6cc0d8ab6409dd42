import Chat
import Glibc

/// Where a URL points: scheme, host and port (RFC 6454). A secret is bound to one.
package struct Origin: Sendable, Hashable {
  /// `http` or `https`.
  package let scheme: String
  /// In lower case; an IPv6 address has its brackets.
  package let host: String
  package let port: Int

  /// nil for anything but a plain `http` or `https` URL: one with user information, blanks, backslashes or control
  /// characters is read differently by different programs.
  package init?(url: String) {
    guard url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" }),
      let colon = url.firstRange(of: "://")
    else { return nil }
    let scheme = url[..<colon.lowerBound].lowercased()
    let authority = url[colon.upperBound...].prefix { !"/?#".contains($0) }
    guard scheme == "http" || scheme == "https", let parts = Authority(String(authority)) else { return nil }
    self.scheme = scheme
    host = parts.host
    port = parts.port ?? (scheme == "https" ? 443 : 80)
  }

  /// `host`, or `host:port` when the port is not the scheme's own.
  package var description: String { port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)" }

  /// Such as `http://10.0.0.7:61105`, the spelling of `Server.allowedOrigins`.
  package var url: String { "\(scheme)://\(description)" }

  /// Whether what is sent to it can be read on the way.
  var isInTheClear: Bool { scheme == "http" && Network(host: host) != .loopback }
}

/// The host and port of a URL.
struct Authority {
  let host: String
  let port: Int?

  /// nil when it has user information, no host, or a port out of range. An IPv6 address without brackets gets them.
  init?(_ text: String) {
    let (name, port) = Authority.split(text)
    guard let name, !name.isEmpty, name.unicodeScalars.allSatisfy(Authority.isInHost) else { return nil }
    if let port {
      guard port.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(port), 1...65535 ~= number else {
        return nil
      }
      self.port = number
    } else {
      self.port = nil
    }
    host = name.lowercased()
  }

  private static func split(_ text: String) -> (host: String?, port: String?) {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return (nil, nil) }
      let rest = text[text.index(after: end)...]
      let address = text[...end]
      guard isIPv6(address.dropFirst().dropLast()), rest.isEmpty || rest.hasPrefix(":") else { return (nil, nil) }
      return (String(address), rest.count > 1 ? String(rest.dropFirst()) : nil)
    }
    let colons = text.split(separator: ":", omittingEmptySubsequences: false)
    switch colons.count {
    case 1: return (text, nil)
    case 2: return (String(colons[0]), colons[1].isEmpty ? nil : String(colons[1]))
    default: return splitIPv6(text)
    }
  }

  /// An IPv6 address without brackets, perhaps with a port behind it, as servers print `:::8000`.
  ///
  /// `::1:8000` is an address too, of a range that no host has (RFC 4291, 2.5.5.1): there the last part is the port.
  private static func splitIPv6(_ text: String) -> (host: String?, port: String?) {
    let colon = text.lastIndex(of: ":") ?? text.startIndex
    var (head, tail) = (text[..<colon], text[text.index(after: colon)...])
    if head.hasSuffix(":"), !head.hasSuffix("::") { head = text[...colon] }
    let isPort = !tail.isEmpty && tail.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    let hasUnusedPrefix = ["::1", "::"].contains(head)
    if isIPv6(text[...]), !(hasUnusedPrefix && isPort && tail.count > 1) { return ("[\(text)]", nil) }
    return isIPv6(head) && isPort ? ("[\(head)]", String(tail)) : (nil, nil)
  }

  private static func isIPv6(_ text: Substring) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET6, String(text), &bytes) == 1
  }

  private static func isInHost(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0x20 && scalar.value != 0x7F && !"@/\\?#%<>\"'`{}|^,;()&=+$!*~".unicodeScalars.contains(scalar)
  }
}

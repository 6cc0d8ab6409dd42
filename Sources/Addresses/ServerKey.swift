package import CCurl
import Glibc

/// A server as trust knows it: a host and a port (docs/rules.md 2.1).
///
/// Everything that looks up, adds or removes trust names the server by this key, so that all of them mean the same one.
package struct ServerKey: Hashable, Sendable, CustomStringConvertible {
  /// In lower case and punycode, an address in its shortest form, without brackets or a dot at the end.
  package let host: String
  package let port: Int
  /// The name that a certificate must be for: the host, or the address without its network interface.
  package let name: String
  package let isAddress: Bool

  /// - Parameter host: a name or an address, with or without brackets. A name in other letters than ASCII's stays as it
  ///   is; `canonicalHost` converts it.
  package init(host: String, port: Int, zone: String? = nil) {
    var name = host.lowercased()
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    var zone = zone
    if zone == nil, name.contains(":"), let percent = name.firstIndex(of: "%") {
      zone = String(name[name.index(after: percent)...])
      name = String(name[..<percent])
    }
    if name.hasSuffix(".") { name.removeLast() }
    let address = Self.address(name)
    isAddress = address != nil
    self.name = address ?? name
    self.host = self.name + (zone.map { "%\($0)" } ?? "")
    self.port = port
  }

  /// Such as `kz.lan:8443` or `[::1]:443`.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Parses a URL with the parser that libcurl itself uses.
  /// - Returns: the key, and the scheme in lower case.
  package static func parse(_ url: String) throws(BadAddress) -> (key: ServerKey, scheme: String) {
    // C ends a string there: what is parsed would be another address.
    guard !url.utf8.contains(0) else { throw BadAddress("the address has a NUL") }
    guard let parts = curl_url() else { throw BadAddress("out of memory") }
    defer { curl_url_cleanup(parts) }
    let code = curl_url_set(parts, CURLUPART_URL, url, UInt32(CURLU_DISALLOW_USER))
    if code == CURLUE_USER_NOT_ALLOWED { throw BadAddress("the address has a user name in it") }
    guard code == CURLUE_OK else { throw BadAddress(String(cString: curl_url_strerror(code))) }
    guard let scheme = part(CURLUPART_SCHEME, of: parts),
      let host = part(CURLUPART_HOST, of: parts, flags: CURLU_PUNYCODE),
      let port = part(CURLUPART_PORT, of: parts, flags: CURLU_DEFAULT_PORT).flatMap({ Int($0) })
    else { throw BadAddress("the address has no host that can be looked up") }
    return (ServerKey(host: host, port: port, zone: part(CURLUPART_ZONEID, of: parts)), scheme)
  }

  /// The host of the key for a name or an address alone.
  package static func canonicalHost(_ host: String) -> String {
    // Only the conversion to punycode needs libcurl. A name that it cannot convert is no server's, and stays as it is.
    if !host.utf8.allSatisfy({ $0 < 0x80 }), let key = try? parse("https://\(host)").key { return key.host }
    return ServerKey(host: host, port: 0).host
  }

  private static func address(_ text: String) -> String? {
    for family in [AF_INET, AF_INET6] {
      var bytes = [UInt8](repeating: 0, count: 16)
      guard inet_pton(family, text, &bytes) == 1 else { continue }
      var shortest = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      guard inet_ntop(family, bytes, &shortest, socklen_t(INET6_ADDRSTRLEN)) != nil else { return nil }
      return String(decoding: shortest.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return nil
  }
}

/// The reason why a text is not the address of a server.
package struct BadAddress: Error, Sendable, Equatable {
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// A part of an address that libcurl has parsed.
package func part(_ name: CURLUPart, of parts: OpaquePointer, flags: Int32 = 0) -> String? {
  var text: UnsafeMutablePointer<CChar>?
  guard curl_url_get(parts, name, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
  defer { curl_free(text) }
  return String(cString: text)
}

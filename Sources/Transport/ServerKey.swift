import CCurl
import Chat
import Glibc

/// A server as trust knows it: a host and a port (docs/rules.md 2.1).
struct ServerKey: Hashable, Sendable {
  /// In lower case and punycode, an address in its shortest form, without brackets or a dot at the end.
  let host: String
  let port: Int
  /// What a certificate must be for: the host, or the address without the name of its network interface.
  let name: String
  let isAddress: Bool

  init(host: String, port: Int, zone: String? = nil) {
    var name = host.lowercased()
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    if name.hasSuffix(".") { name.removeLast() }
    let address = Self.address(name)
    isAddress = address != nil
    self.name = address ?? name
    self.host = self.name + (zone.map { "%\($0)" } ?? "")
    self.port = port
  }

  /// nil for addresses that are not https.
  init?(httpsURL url: String) throws(TransportError) {
    let (key, scheme) = try Self.parse(url)
    guard scheme == "https" else { return nil }
    self = key
  }

  /// Reads an address with the parser that libcurl itself uses.
  static func parse(_ url: String) throws(TransportError) -> (key: ServerKey, scheme: String) {
    guard let parts = curl_url() else { throw .other("out of memory") }
    defer { curl_url_cleanup(parts) }
    let code = curl_url_set(parts, CURLUPART_URL, url, UInt32(CURLU_DISALLOW_USER))
    guard code == CURLUE_OK else { throw .badRequest(String(cString: curl_url_strerror(code))) }
    guard let scheme = part(CURLUPART_SCHEME, of: parts),
      let host = part(CURLUPART_HOST, of: parts, flags: CURLU_PUNYCODE),
      let port = part(CURLUPART_PORT, of: parts, flags: CURLU_DEFAULT_PORT).flatMap({ Int($0) })
    else { throw .badRequest("the address has no host that can be looked up") }
    return (ServerKey(host: host, port: port, zone: part(CURLUPART_ZONEID, of: parts)), scheme)
  }

  var isThisMachine: Bool { Network(host: isAddress && name.contains(":") ? "[\(name)]" : name) == .loopback }

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

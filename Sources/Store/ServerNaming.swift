extension Servers {
  /// One spelling for each address: lower-case scheme and host, no default port, no slash at the end.
  package static func canonical(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let name = url[..<scheme.lowerBound].lowercased()
    let rest = url[scheme.upperBound...]
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    var authority = rest[..<slash].lowercased()
    for (other, port) in [("http", ":80"), ("https", ":443"), ("ws", ":80"), ("wss", ":443")]
    where other == name && authority.hasSuffix(port) { authority.removeLast(port.count) }
    var path = rest[slash...]
    while path.hasSuffix("/") { path.removeLast() }
    // Many servers answer with and without it: the same server, however it was typed.
    if path.hasSuffix("/v1") { path.removeLast(3) }
    return "\(name)://\(authority)\(path)"
  }

  /// The host's first label, or the next when that says nothing, or the whole address when it is a number; with a
  /// number behind it when another server has that name.
  func freeName(for url: String) -> String {
    let base = Servers.name(for: url)
    var name = base
    var number = 2
    while named(name) != nil {
      name = "\(base)-\(number)"
      number += 1
    }
    return name
  }

  static func name(for url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    var host = rest.prefix { $0 != "/" && $0 != "?" }
    if let user = host.lastIndex(of: "@") { host = host[host.index(after: user)...] }
    if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
    host = host.prefix { $0 != ":" }
    let labels = host.lowercased().split(separator: ".")
    guard let first = labels.first, let last = labels.last else { return "server" }
    if labels.count > 1, last.allSatisfy(\.isNumber) { return String(host) }
    let saysNothing = labels.count > 2 && (first == "api" || first == "www")
    return String(saysNothing ? labels[1] : first)
  }
}

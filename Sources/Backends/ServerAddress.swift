package import Chat

/// What a person typed for a server, read as the base addresses that it may mean.
///
/// Without a scheme a public name means https alone, so that no key travels in the clear; on a private network https
/// comes first, on this machine http.
package struct ServerAddress: Sendable, Equatable {
  /// Base addresses in the order to try, without a trailing slash.
  package let candidates: [String]
  /// Whom it names, for a message: `host` or `host:port`.
  package let description: String

  /// Throws `unreachable` with `badAddress` for what cannot be an address.
  package init(_ typed: String) throws(BackendError) {
    let text = typed.trimmingBlanks
    // A fragment is the page's own, as in the address of a web interface: no server is sent it.
    let (scheme, rest) = ServerAddress.splitScheme(String(text.prefix { $0 != "#" }))
    let authorityText = rest.prefix { !"/?".contains($0) }
    func bad(_ why: String) -> BackendError {
      let shown = authorityText.split(separator: "@").last.map(String.init) ?? ""
      return .unreachable(address: shown, reason: .badAddress(why))
    }
    guard !text.isEmpty else { throw bad("no address") }
    guard scheme == nil || scheme == "http" || scheme == "https" else { throw bad("not an http or https address") }
    guard !authorityText.contains("@") else { throw bad("a name or password in the address") }
    guard !rest.contains("?") else { throw bad("a query in the address") }
    guard let authority = Authority(String(authorityText)) else { throw bad("not a host or host:port") }
    let path = rest.dropFirst(authorityText.count)
    guard path.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" }) else {
      throw bad("a blank in the address")
    }
    let host = authority.host + (authority.port.map { ":\($0)" } ?? "")
    let paths = ServerAddress.basePaths(String(path))
    candidates = ServerAddress.schemes(typed: scheme, for: authority).flatMap { scheme in
      paths.map { "\(scheme)://\(host)\($0)" }
    }
    description = host
  }

  private static func splitScheme(_ text: String) -> (scheme: String?, rest: Substring) {
    guard let colon = text.firstRange(of: "://") else { return (nil, text[...]) }
    return (text[..<colon.lowerBound].lowercased(), text[colon.upperBound...])
  }

  private static func schemes(typed: String?, for authority: Authority) -> [String] {
    if let typed { return [typed] }
    switch Network(host: authority.host) {
    case .open: return ["https"]
    case .local: return ["https", "http"]
    case .loopback: return authority.port == 443 || authority.port == 8443 ? ["https", "http"] : ["http", "https"]
    }
  }

  /// The path as typed, without the part that names an operation, then with `/v1` unless it ends in a version.
  private static func basePaths(_ typed: String) -> [String] {
    var path = typed.droppingSlashes
    for operation in ["/chat/completions", "/completions", "/models", "/responses"] where path.hasSuffix(operation) {
      path = String(path.dropLast(operation.count)).droppingSlashes
      break
    }
    let last = path.split(separator: "/").last ?? ""
    let isVersion = last.hasPrefix("v") && last.dropFirst().first?.isNumber == true
    return isVersion ? [path] : [path, path + "/v1"]
  }
}

extension String {
  fileprivate var droppingSlashes: String {
    var text = self[...]
    while text.hasSuffix("/") { text.removeLast() }
    return String(text)
  }
}

extension StringProtocol {
  /// Without blanks and control characters at both ends.
  var trimmingBlanks: String {
    let isBlank = { (character: Character) in character.isWhitespace || (character.asciiValue ?? 0x20) < 0x20 }
    let start = drop(while: isBlank)
    return String(start.reversed().drop(while: isBlank).reversed())
  }
}

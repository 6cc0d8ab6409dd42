/// Where a deployment is asked (docs/kamiwaza.md 4.4).
struct KamiwazaAddress: Sendable, Equatable {
  /// What the environment says of a site.
  struct Overrides: Sendable, Equatable {
    /// `KAMIWAZA_RUNTIME_BASE_URL`: stands in for the API root.
    var runtimeBase: String?
    /// `KAMIWAZA_PUBLIC_API_URL`: where there is no API root.
    var publicAPI: String?
    /// `KAMIWAZA_USE_HTTPS`: false forces http, true https, nil neither.
    var usesHTTPS: Bool?

    init(runtimeBase: String? = nil, publicAPI: String? = nil, usesHTTPS: Bool? = nil) {
      self.runtimeBase = runtimeBase
      self.publicAPI = publicAPI
      self.usesHTTPS = usesHTTPS
    }

    /// Reads the names that Kamiwaza's own programs read.
    init(environment: [String: String]) {
      let value = { (name: String) in environment[name]?.trimmingBlanks.nonEmpty }
      runtimeBase = value("KAMIWAZA_RUNTIME_BASE_URL")
      publicAPI = value("KAMIWAZA_PUBLIC_API_URL")
      usesHTTPS = value("KAMIWAZA_USE_HTTPS").map { $0.lowercased() != "false" }
    }
  }

  /// `http` or `https`.
  let scheme: String
  /// Host and port.
  let authority: String
  /// The prefix of a site, such as `/kz`; empty for most.
  let prefix: String

  init(root: String, overrides: Overrides = Overrides()) {
    let base = overrides.runtimeBase ?? root.nonEmpty ?? overrides.publicAPI ?? ""
    let (typed, rest) = KamiwazaAddress.split(base)
    scheme = overrides.usesHTTPS.map { $0 ? "https" : "http" } ?? typed ?? "https"
    authority = String(rest.prefix { $0 != "/" })
    let path = String(rest.dropFirst(authority.count).prefix { $0 != "?" && $0 != "#" }).withoutEndSlashes
    prefix = path.hasSuffix("/api") ? String(path.dropLast(4)).withoutEndSlashes : path
  }

  /// Scheme, host, port and prefix.
  var origin: String { "\(scheme)://\(authority)\(prefix)" }

  /// The base address for `/chat/completions`. `allowed` are the origins that the person let the sign-in go to: plain
  /// http at a model's own port is used only when it is among them.
  func endpoint(of deployment: Kamiwaza.Deployment, allowed: [String] = []) -> String {
    if let endpoint = deployment.endpoint { return KamiwazaAddress.ensuringVersion(absolute(endpoint)) }
    if let path = deployment.accessPath?.withoutEndSlashes.nonEmpty {
      return KamiwazaAddress.ensuringVersion(absolute(path))
    }
    if let url = portURL(of: deployment, allowed: allowed) { return url + "/v1" }
    return "\(origin)/runtime/models/\(deployment.id.percentEncoded)/v1"
  }

  /// The root of a deployment that is reached at a port of its own, as old installations have it.
  func portURL(of deployment: Kamiwaza.Deployment, allowed: [String] = []) -> String? {
    guard deployment.endpoint == nil, deployment.accessPath?.withoutEndSlashes.nonEmpty == nil,
      1...65535 ~= deployment.port, deployment.port != 443, let host = Authority(authority)?.host
    else { return nil }
    let secure = "https://\(host):\(deployment.port)"
    let plain = "http://\(host):\(deployment.port)"
    return scheme == "http" || allowed.contains(plain) && !allowed.contains(secure) ? plain : secure
  }

  /// A path joined to the site, whose prefix it may have already; a whole address as it is.
  func absolute(_ text: String) -> String {
    if text.contains("://") { return text }
    let path = text.hasPrefix("/") ? text : "/" + text
    let isWhole = !prefix.isEmpty && path.hasPrefix(prefix + "/")
    return "\(scheme)://\(authority)\(isWhole ? "" : prefix)\(path)"
  }

  private static func split(_ url: String) -> (scheme: String?, rest: Substring) {
    guard let mark = url.firstRange(of: "://") else { return (nil, url[...]) }
    return (url[..<mark.lowerBound].lowercased(), url[mark.upperBound...])
  }

  private static func ensuringVersion(_ url: String) -> String {
    let url = url.withoutEndSlashes
    return url.hasSuffix("/v1") ? url : url + "/v1"
  }
}

extension String {
  /// nil when there is nothing in it.
  var nonEmpty: String? { isEmpty ? nil : self }

  fileprivate var withoutEndSlashes: String {
    var text = self[...]
    while text.hasSuffix("/") { text.removeLast() }
    return String(text)
  }
}

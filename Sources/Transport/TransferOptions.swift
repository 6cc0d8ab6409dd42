import CCurl

extension EasyHandle {
  /// Every option of a transfer but its callbacks. `gate` is for https.
  func configure(for request: HTTPRequest, _ settings: CurlLoop.Settings, gate: TrustGate?) throws(TransportError) {
    try configureConnection(for: request, settings, gate: gate)
    try configureMethod(request)
    try setHeaders(headerLines(of: request))
    // With any encoding set, libcurl decompresses the answer even if the server was asked for identity.
    try set(CURLOPT_ACCEPT_ENCODING, request.acceptsCompression ? "" : "identity")
  }

  /// To whom, by which way, and whom to believe; nothing that a request says. `gate` is for https.
  func configureConnection(for request: HTTPRequest, _ settings: CurlLoop.Settings, gate: TrustGate?)
    throws(TransportError)
  {
    try set(CURLOPT_URL, request.url)
    try configureOnce(userAgent: settings.userAgent)
    if let gate { try configureTrust(gate, systemAuthorities: settings.systemAuthorities) }
    try configureProxy(settings.proxy, for: request.url)
    try set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(request.connectTimeout, 0.001), 1e6) * 1000))
  }

  /// What is the same for every request.
  private func configureOnce(userAgent: String) throws(TransportError) {
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_UNRESTRICTED_AUTH, 0)
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_USERAGENT, userAgent)
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    try set(CURLOPT_NOSIGNAL, 1)
    try keepSocketsPrivate()
    try set(CURLOPT_TCP_NODELAY, 1)
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try set(CURLOPT_MAXLIFETIME_CONN, 600)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_BUFFERSIZE, 128 << 10)
    // Without it a transfer that is cancelled while its name is looked up holds the loop until the resolver gives up.
    try set(CURLOPT_QUICK_EXIT, 1)
  }

  /// Connects, for a handshake if the address has one, and sends nothing.
  func connectOnly() throws(TransportError) {
    try set(CURLOPT_CONNECT_ONLY, 1)
    // HTTP/2 would begin with words of its own.
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
  }

  /// Whom to believe: `gate` decides, name and all, in the handshake and before each request. No session is resumed,
  /// as no certificate is shown then (docs/rules.md T6).
  private func configureTrust(_ gate: TrustGate, systemAuthorities: String?) throws(TransportError) {
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 0)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    if let systemAuthorities { try set(CURLOPT_CAINFO, systemAuthorities) }
    try setGate(gate)
  }

  /// Always set, also to nothing: libcurl would read the environment otherwise.
  private func configureProxy(_ proxy: ProxySettings, for url: String) throws(TransportError) {
    let address = proxy.proxy(for: url) ?? ""
    try set(CURLOPT_PROXY, ProxySettings.isRefused(address) ? ProxySettings.unusable : address)
    try set(CURLOPT_NOPROXY, proxy.exceptions)
  }

  private func configureMethod(_ request: HTTPRequest) throws(TransportError) {
    switch (request.method, request.body) {
    case ("GET", nil): try set(CURLOPT_HTTPGET, 1)
    case ("HEAD", nil): try set(CURLOPT_NOBODY, 1)
    case ("POST", let body):
      try set(CURLOPT_POST, 1)
      try setBody(body ?? [])
    case (let method, let body):
      if let body { try setBody(body) }
      try set(CURLOPT_CUSTOMREQUEST, method)
    }
  }

  private func headerLines(of request: HTTPRequest) -> [String] {
    // A name with a semicolon is sent with an empty value; a name with nothing after its colon is not sent.
    var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    lines.append("Expect:")
    if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) { lines.append("Content-Type:") }
    return lines
  }
}

extension ProxySettings {
  /// Stands for a proxy that is refused. libcurl cannot parse it and says so (CURLE_COULDNT_RESOLVE_PROXY) before
  /// anything is sent, but only when none of the exceptions let the request pass without a proxy.
  static let unusable = "http://:refused"

  /// An `https://` proxy is a second TLS peer, to which trust in the server must not extend.
  static func isRefused(_ address: String) -> Bool { address.lowercased().hasPrefix("https:") }
}

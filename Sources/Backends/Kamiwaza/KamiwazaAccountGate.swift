import Chat
import Transport
import Wire

// What stands before a sign-in.
extension KamiwazaAccount {
  func gate() async throws(BackendError) -> Gate {
    async let health = attempt("/auth/health")
    async let config = attempt("/security/public/config")
    async let offers = attempt("/auth/idp/public/providers")
    let needsSignIn = try needsSignIn(await health)
    // Neither must stand in the way: what cannot be read is not there.
    let shown = await json(config).map(ConsentConfig.init)
    let providers = await json(offers).map(IdentityProvider.list) ?? []
    return Gate(
      needsSignIn: needsSignIn, consent: shown?.consent, banner: shown?.banner ?? [], takesPassword: needsSignIn,
      takesToken: true, providers: needsSignIn ? providers : [],
      // What the server allows is told to those only who have signed in.
      rememberFor: needsSignIn ? PATPolicy.wish : nil)
  }

  private func attempt(_ path: String) async -> Result<Document, BackendError> {
    do throws(BackendError) {
      return .success(try await endpoint.get(url(path), signed: .not))
    } catch { return .failure(error) }
  }

  private func json(_ answer: Result<Document, BackendError>) -> JSON? {
    guard case .success(let document) = answer, document.isSuccess else { return nil }
    return document.json
  }

  private func needsSignIn(_ answer: Result<Document, BackendError>) throws(BackendError) -> Bool {
    let document = try answer.get()
    if document.isSuccess {
      guard let health = document.json else {
        throw .malformed(address: address, detail: OpenAIProbe.description(of: document.bytes))
      }
      let flag = health[either: "KAMIWAZA_USE_AUTH", "kamiwaza_use_auth", "use_auth"]
      return flag?.bool ?? !["false", "0", "no", "off"].contains(flag?.string?.lowercased() ?? "")
    }
    if [401, 403, 404].contains(document.status) { return true }
    throw endpoint.failures.status(
      document.status, endpoint.errorBody(document.bytes), location: document.location,
      retryAfter: RetryAfter.seconds(of: document.response, now: endpoint.clock.sinceEpoch()))
  }
}

/// Plain text of what a site wrote in HTML.
enum HTMLText {
  private static let breaks: Set<String> = [
    "br", "p", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote",
  ]

  /// Without tags, comments, scripts and styles; a line for each block, at most one empty line between two.
  static func plain(_ html: String) -> String {
    var text = ""
    var rest = html[...]
    while let open = rest.firstIndex(of: "<") {
      text += rest[..<open]
      rest = rest[open...]
      guard let name = tag(rest) else {
        text.append(rest.removeFirst())
        continue
      }
      let end =
        name == "!--" ? rest.firstRange(of: "-->")?.upperBound : rest.firstIndex(of: ">").map(rest.index(after:))
      rest = rest[(end ?? rest.endIndex)...]
      if name == "script" || name == "style" {
        rest = rest[(rest.firstRange(of: "</\(name)")?.lowerBound ?? rest.endIndex)...]
      }
      if breaks.contains(name) { text += "\n" }
    }
    return tidy(HTMLPage.resolvingEntities(of: text + rest))
  }

  /// The name of the tag that begins here, in lower case; nil for a `<` that begins none.
  private static func tag(_ text: Substring) -> String? {
    let inside = text.dropFirst()
    if inside.hasPrefix("!--") { return "!--" }
    let name = inside.drop { $0 == "/" || $0 == "!" || $0 == "?" }.prefix { $0.isLetter || $0.isNumber }
    return name.isEmpty ? nil : name.lowercased()
  }

  private static func tidy(_ text: String) -> String {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    var kept: [String] = []
    for line in lines where !line.isEmpty || kept.last?.isEmpty == false { kept.append(line) }
    if kept.last?.isEmpty == true { kept.removeLast() }
    return kept.joined(separator: "\n")
  }
}

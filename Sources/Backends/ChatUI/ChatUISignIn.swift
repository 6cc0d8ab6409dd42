import Chat
import Transport

/// A sign-in that the person finishes in a browser, which then comes to this machine with the server's own code. Only
/// servers whose administrator has listed such addresses send it here (docs/chatui.md 8.2).
struct ChatUISignIn {
  let api: ChatUIAPI

  /// - Parameter finish: is given the cookie of the session that is signed in.
  func begin(
    finish: @escaping @Sendable (Secret) async throws(BackendError) -> SignedIn
  ) async throws(BackendError) -> BrowserSignIn {
    let loopback = try listening()
    let before = await guest()
    let document = try await get("/login?callback=\(loopback.url.percentEncoded)", cookies: before)
    // What it sends along is bound to the cookies of whoever began.
    let set = ChatUISignIn.cookies(of: document)
    let cookies = before.filter { own in !set.contains { $0.name == own.name } } + set
    guard 300..<400 ~= document.status, let page = document.location, let question = page.query,
      let state = question["state"], question["redirect_uri"] == loopback.url
    else {
      throw .notSignedIn(api.address, "the server sends nobody back to \(loopback.url); paste the cookie instead")
    }
    return BrowserSignIn(url: page, code: nil) { () async throws(BackendError) in
      let answer = try await loopback.query(state: state, address: api.address)
      if answer["error"] != nil { throw .notSignedIn(api.address, error: answer["error"]) }
      guard let code = answer["code"], !code.isEmpty else {
        throw .notSignedIn(api.address, "the identity provider sent no code")
      }
      return try await finish(try await exchange(code, state, answer["iss"], cookies))
    }
  }

  /// An administrator lists addresses with their ports: the person says which of them is free here.
  private func listening() throws(BackendError) -> LoopbackReturn {
    let variable = ChatUIAPI.callbackPortVariable
    guard let wanted = api.callbackPort else {
      guard let loopback = LoopbackReturn() else {
        throw .notSignedIn(api.address, "this machine cannot be listened at")
      }
      return loopback
    }
    guard let port = UInt16(wanted), port > 0 else {
      throw .notSignedIn(api.address, "\(variable) is no port: \(wanted.prefix(20))")
    }
    guard let loopback = LoopbackReturn(port: port) else {
      throw .notSignedIn(api.address, "port \(port) of \(variable) is taken")
    }
    return loopback
  }

  /// What somebody said before they signed in becomes theirs.
  private func guest() async -> [ChatUICookie] {
    // Without it the sign-in works all the same.
    guard let kept = try? await api.endpoint.bearer.stored, kept.kind == .guest else { return [] }
    return [ChatUICookie(kept.token)]
  }

  private func exchange(
    _ code: String, _ state: String, _ issuer: String?, _ cookies: [ChatUICookie]
  ) async throws(BackendError) -> Secret {
    let fields: FormFields = ["code": code, "state": state, "iss": issuer]
    let document = try await get("/login/callback?\(fields.encoded)", cookies: cookies)
    guard document.status < 400 else { throw await api.failure(document.response, document.said) }
    // The session's value changes; the verifier's cookie is done with.
    let session = ChatUISignIn.cookies(of: document).first(where: \.isSession)
    guard let session else { throw .notSignedIn(api.address, "the server gave no session") }
    return Secret(session.pair)
  }

  private func get(_ path: String, cookies: [ChatUICookie]) async throws(BackendError) -> Document {
    var request = api.request("GET", path)
    if !cookies.isEmpty {
      request.headers.append((name: "Cookie", value: cookies.map(\.pair).joined(separator: "; ")))
    }
    return try await api.endpoint.send(request, signed: .not)
  }

  private static func cookies(of document: Document) -> [ChatUICookie] {
    document.response.headers.filter { $0.name.lowercased() == "set-cookie" }.compactMap { ChatUICookie($0.value) }
  }
}

extension String {
  /// The items of an address's query; nil where it has none.
  fileprivate var query: QueryItems? {
    guard let mark = firstIndex(of: "?") else { return nil }
    return QueryItems(String(self[index(after: mark)...].prefix { $0 != "#" }))
  }
}

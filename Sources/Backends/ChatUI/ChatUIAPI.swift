import Chat
import Foundation
import Transport
import Waiting
import Wire

/// Asks a chat-ui server, by its rules (docs/chatui.md 2).
struct ChatUIAPI: Sendable {
  private(set) var endpoint: Endpoint
  let memory = ChatUIMemory()
  /// The port that a browser is to come back to, as the person has it in the environment (docs/chatui.md 8.2).
  let callbackPort: String?
  static let callbackPortVariable = "PARLEY_CALLBACK_PORT"

  init(_ endpoint: Endpoint, callbackPort: String? = nil) {
    self.endpoint = endpoint
    self.callbackPort = callbackPort
  }

  /// The same with another choice of tools.
  func choosing(_ choice: GatewayChoice?) -> ChatUIAPI {
    var other = self
    other.endpoint = endpoint.choosing(choice)
    return other
  }

  /// The same with less patience.
  func within(seconds: Double) -> ChatUIAPI {
    var other = self
    other.endpoint = endpoint.within(seconds: seconds)
    return other
  }

  var root: String { endpoint.server.url }
  var address: String { endpoint.address }

  /// The document at a path, as JSON, out of its envelope; an empty one is null.
  func get(_ path: String) async throws(BackendError) -> JSON { try await send("GET", path) }

  func post(_ path: String, _ json: JSON = [:]) async throws(BackendError) -> JSON {
    try await send("POST", path, json)
  }

  /// The answer, whatever its status.
  func ask(_ method: String, _ path: String, _ json: JSON? = nil) async throws(BackendError) -> Document {
    if method != "GET" { try await introduce() }
    let before = try await endpoint.bearer.stored?.token
    let document = try await endpoint.send(request(method, path, json))
    await learn(from: document.response, after: method, signedBy: before)
    return document
  }

  func send(_ method: String, _ path: String, _ json: JSON? = nil) async throws(BackendError) -> JSON {
    let document = try await ask(method, path, json)
    guard 200..<300 ~= document.status else { throw await failure(document.response, document.said) }
    guard document.bytes.contains(where: { $0 > 0x20 }) else { return .null }
    guard let json = document.json else {
      throw .malformed(address: address, detail: HTMLPage(document.said)?.description ?? "no JSON")
    }
    return ChatUIAPI.opened(json)
  }

  /// Without the envelope that one half of the routes put around their answers.
  static func opened(_ json: JSON) -> JSON { json["json"] ?? json }

  /// A POST without a type is taken for a form, which is refused: an empty one has a type too.
  func request(_ method: String, _ path: String, _ json: JSON? = nil) -> HTTPRequest {
    var headers = [(name: "Accept", value: ChatUIAPI.accepted)]
    if method != "GET" {
      headers.append((name: "Content-Type", value: "application/json"))
      if let origin = memory.origin ?? Origin(url: root)?.url { headers.append((name: "Origin", value: origin)) }
    }
    return HTTPRequest(
      method, root + path, headers: headers, body: method == "GET" ? nil : (json ?? [:]).bytes(),
      connectTimeout: endpoint.timeouts.connect, headersTimeout: endpoint.timeouts.request)
  }

  /// Without JSON in it errors come as pages.
  static let accepted = "application/json, */*;q=0.1"
}

// Who asks.
extension ChatUIAPI {
  /// A server that knows nobody tells people apart by what they call themselves (docs/chatui.md 8.1): who loses that loses
  /// the conversations, so it is kept as a sign-in is.
  func introduce() async throws(BackendError) {
    guard endpoint.bearer.key == nil, try await endpoint.bearer.stored == nil else { return }
    let name = UUID().uuidString.lowercased()
    let guest = Secret("\(memory.cookieName ?? ChatUICookie.usualName)=\(name)")
    // Two that begin at once are one guest.
    _ = await endpoint.bearer.keep(StoredSignIn(.guest, token: guest), unlessThere: true)
  }

  /// The server may call its cookie by another name, and put another in its place.
  /// - Parameters:
  ///   - method: a look at something makes nobody anybody else.
  ///   - before: what was kept when it was asked: who has signed in since is somebody else.
  func learn(from response: HTTPResponse, after method: String, signedBy before: Secret?) async {
    // What cannot be read is asked for again by the next request.
    let cookies = response.headers.filter { $0.name.lowercased() == "set-cookie" }.compactMap { ChatUICookie($0.value) }
    if let session = cookies.first(where: \.isSession) { memory.cookieName = session.name }
    guard endpoint.bearer.key == nil, let kept = try? await endpoint.bearer.stored, kept.token == before else { return }
    let ours = ChatUICookie(kept.token)
    // Who only has a name that we made up is called by the server's, once.
    let mayBeRenamed = kept.kind == .guest && ours.name == ChatUICookie.usualName && method == "POST"
    let theirs = mayBeRenamed ? cookies.first(where: \.isSession) : nil
    guard let cookie = cookies.first(where: { $0.name == ours.name }) ?? theirs else { return }
    let token = Secret(cookie.pair)
    guard token != kept.token else { return }
    _ = await endpoint.bearer.keep(StoredSignIn(kept.kind, token: token, username: kept.username))
  }
}

// What a refusal means.
extension ChatUIAPI {
  func failure(_ response: HTTPResponse, _ said: [UInt8]) async -> BackendError {
    let body = ErrorBody(chatUI: said)
    let location = response[header: "location"]
    if 300..<400 ~= response.status, let location, isSignIn(location) {
      return .unauthorized(address: address, message: "it asks for a sign-in")
    }
    switch response.status {
    case 401: return .unauthorized(address: address, message: body.message)
    case 403 where await hasLostSignIn: return .unauthorized(address: address, message: "it does not know you any more")
    default: break
    }
    let wished = RetryAfter.seconds(of: response, now: endpoint.clock.sinceEpoch())
    return endpoint.failures.status(response.status, body, location: location, retryAfter: wished)
  }

  /// Whether it knows nobody any more by the cookie that was theirs: it then shows a stranger's things, which are none.
  var hasLostSignIn: Bool {
    get async { (try? await ChatUIAccount(self).wantsSignIn()) == true }
  }

  private func isSignIn(_ location: String) -> Bool {
    if location.contains("/login") || location.contains("response_type=") { return true }
    return Origin(url: location).map { $0.host != Origin(url: root)?.host } ?? false
  }

  /// Whether a POST was refused for the address it says it comes from: a server behind a proxy knows itself by another
  /// name, which it publishes (docs/chatui.md 2).
  func learnOrigin(after response: HTTPResponse, _ said: [UInt8]) async -> Bool {
    guard response.status == 403, memory.origin == nil else { return false }
    let words = ErrorBody(chatUI: said).message.lowercased()
    guard words.contains("referer") || words.contains("origin") || words.contains("cross-site"),
      let config = try? await get("/api/v2/public-config"), let origin = config["PUBLIC_ORIGIN"]?.word
    else { return false }
    memory.origin = Origin(url: origin)?.url
    return memory.origin != nil
  }
}

extension ErrorBody {
  /// What is wrong comes in the same envelope as an answer (docs/chatui.md 9).
  fileprivate init(chatUI said: [UInt8]) {
    if let inner = (try? JSON(parsing: said))?["json"] { self.init(inner) } else { self.init(said) }  // else it is text
  }
}

/// What a process has learnt of a server.
final class ChatUIMemory: Sendable {
  private struct State {
    var origin: String?
    var cookieName: String?
    var hasStreams: Bool?
  }

  private let state = Locked(State())

  /// What the server calls its own address, where that is not where we reach it.
  var origin: String? {
    get { state.withLock { $0.origin } }
    set { state.withLock { $0.origin = newValue } }
  }

  /// Whether it can be listened to again while it writes; nil until that was tried.
  var hasStreams: Bool? {
    get { state.withLock { $0.hasStreams } }
    set { state.withLock { $0.hasStreams = newValue } }
  }

  /// What the server calls its session cookie, once it has set one.
  var cookieName: String? {
    get { state.withLock { $0.cookieName } }
    set { state.withLock { $0.cookieName = newValue } }
  }
}

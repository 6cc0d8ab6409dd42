import Chat
import Transport
import Waiting
import Wire

/// Asks a gateway. Paths begin behind `/v1`, where the server's address ends.
struct GatewayAPI: Sendable {
  let endpoint: Endpoint
  let memory: GatewayMemory

  init(_ endpoint: Endpoint, form: GatewayForm? = nil) { self.init(endpoint, memory: GatewayMemory(form)) }

  init(_ endpoint: Endpoint, memory: GatewayMemory) {
    self.endpoint = endpoint
    self.memory = memory
  }

  /// Seconds that the program's form wants to be left alone for, once it was asked too often (docs/gateway.md 9).
  static let silence = 60
  /// Whoever asks for more is asked again in the same run all the same.
  private static let longestSilence = 3600

  var address: String { endpoint.address }
  var root: String { endpoint.base.withoutVersion }

  /// Which of the forms the server is of; asked once.
  func form() async throws(BackendError) -> GatewayForm {
    if let form = memory.form { return form }
    let form = try await askedForm()
    memory.form = form
    return form
  }

  /// The plainest where it says nothing that is known.
  private func askedForm() async throws(BackendError) -> GatewayForm {
    let greeting = try await endpoint.get(root + "/", signed: .not)
    // A server that cannot say now is no plain one.
    if greeting.status == 429 || greeting.status >= 500 { throw failure(greeting.response, greeting.said) }
    switch GatewayGreeting(greeting) {
    case .form(let form), .mayBe(let form): return form
    case .other: return try await health().json.flatMap(GatewayForm.init(health:)) ?? .relay
    }
  }

  /// What it says of its state, whatever its status.
  func health() async throws(BackendError) -> Document { try await endpoint.get(root + "/health", signed: .not) }

  func get(_ path: String) async throws(BackendError) -> JSON { try await send("GET", path) }

  /// Refuses to ask a server that has said that it is asked too often: it would count from that moment on.
  func requirePatience() throws(BackendError) {
    guard let until = memory.silentUntil else { return }
    let left = until - endpoint.clock.now()
    guard left > 0 else { return }
    throw .rateLimited(
      address: address, message: "asked too often a moment ago", retryAfter: Int(left.rounded(.up)))
  }

  /// Remembers when it takes requests again.
  func remember(_ failure: BackendError) {
    guard case .rateLimited(_, _, let seconds?) = failure else { return }
    memory.silentUntil = endpoint.clock.now() + Double(min(seconds, GatewayAPI.longestSilence))
  }

  /// Asks within the limit of a server that counts all that it is asked; others count their chats alone.
  func patiently<T>(_ ask: () async throws(BackendError) -> T) async throws(BackendError) -> T {
    guard memory.form == .program else { return try await ask() }
    try requirePatience()
    do throws(BackendError) { return try await ask() } catch {
      remember(error)
      throw error
    }
  }

  @discardableResult
  func send(_ method: String, _ path: String, _ json: JSON? = nil) async throws(BackendError) -> JSON {
    let request = endpoint.request(method, endpoint.base + path, json: json)
    let document = try await patiently { () async throws(BackendError) in
      let document = try await endpoint.send(request)
      guard document.isSuccess else { throw failure(document.response, document.said) }
      return document
    }
    guard let json = document.json else {
      throw .malformed(address: address, detail: HTMLPage(document.said)?.description ?? "no JSON")
    }
    return json
  }

  /// What a refusal means (docs/gateway.md 9).
  func failure(_ response: HTTPResponse, _ said: [UInt8], model: String? = nil) -> BackendError {
    let body = ErrorBody(gateway: said)
    if let model, body.code == "model_not_supported" { return .modelNotFound(name: model, message: body.message) }
    var wished = RetryAfter.seconds(of: response, now: endpoint.clock.sinceEpoch())
    if response.status == 429, wished == nil {
      let told = (try? JSON(parsing: said))?["error"]?["retry_after"]?.double  // what is no JSON does not say
      wished = told.flatMap(RetryAfter.whole)
      // It takes nothing more before it was left alone for so long.
      if wished == nil, memory.form == .program { wished = GatewayAPI.silence }
    }
    return endpoint.failures.status(
      response.status, body, location: response[header: "location"], model: model, retryAfter: wished)
  }
}

extension ErrorBody {
  /// With what a gateway has beside the message: the fields that are wrong, or why it cannot run.
  init(gateway said: [UInt8]) {
    self.init(said)
    guard let error = (try? JSON(parsing: said))?["error"] else { return }  // what is no JSON is told as it is
    let details = (error["details"]?.array ?? []).compactMap { detail -> String? in
      guard let words = detail["msg"]?.word ?? detail["message"]?.word else { return nil }
      let place = detail["field"]?.word ?? (detail["loc"]?.array ?? []).compactMap(\.word).joined(separator: ".")
      return place.isEmpty ? words : "\(place): \(words)"
    }
    let reasons = (error["message"]?["errors"]?.array ?? []).compactMap(\.string)
    let more = (details + reasons).joined(separator: "; ")
    if !more.isEmpty { message = String("\(message): \(more)".prefix(ErrorBody.limit)) }
  }

  /// Whether the session that was named is not there.
  var isAboutMissingSession: Bool { code == "session_not_found" || message.lowercased().contains("session") }
}

/// What a process has learnt of a gateway.
final class GatewayMemory: Sendable {
  private struct State {
    var form: GatewayForm?
    /// Sessions that were stopped, and are no more.
    var ended: Set<String> = []
    /// What a session holds on the server, as a digest.
    var held: [String: Int] = [:]
    var hasCapabilities: Bool?
    var keepsHistory: Bool?
    /// When a server that was asked too often takes requests again, by the clock of its endpoint.
    var silentUntil: Double?
    var hasToldOfFolding = false
  }

  private let state: Locked<State>

  init(_ form: GatewayForm?) { state = Locked(State(form: form)) }

  var form: GatewayForm? {
    get { state.withLock { $0.form } }
    set { state.withLock { $0.form = newValue } }
  }

  /// Whether the server tells what its models can do; nil until that was tried.
  var hasCapabilities: Bool? {
    get { state.withLock { $0.hasCapabilities } }
    set { state.withLock { $0.hasCapabilities = newValue } }
  }

  /// Whether sessions have turned out to keep what was said; nil until that was seen.
  var keepsHistory: Bool? {
    get { state.withLock { $0.keepsHistory } }
    set { state.withLock { $0.keepsHistory = newValue } }
  }

  var silentUntil: Double? {
    get { state.withLock { $0.silentUntil } }
    set { state.withLock { $0.silentUntil = newValue } }
  }

  func end(_ session: String) { state.withLock { _ = $0.ended.insert(session) } }
  func hasEnded(_ session: String) -> Bool { state.withLock { $0.ended.contains(session) } }

  subscript(heldBy session: String) -> Int? {
    get { state.withLock { $0.held[session] } }
    set { state.withLock { $0.held[session] = newValue } }
  }

  /// Whether the person has still to be told that history goes along with each message.
  func isFirstFolding() -> Bool {
    state.withLock { state in
      defer { state.hasToldOfFolding = true }
      return !state.hasToldOfFolding
    }
  }
}

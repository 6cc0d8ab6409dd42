import Chat
import Transport
import Wire

/// A server and what a backend needs to reach it: its requests are signed here, and errors made of what came.
struct Endpoint: Sendable {
  /// Whose sign-in it is.
  private(set) var server: Server
  let http: any HTTP
  let bearer: Bearer
  let clock: TimeSource
  var timeouts: Timeouts
  /// How its servers of tools are spoken with.
  var wires = WireMemory.inMemory()
  /// Where the addresses of requests begin: the server's own, or that of a model which runs elsewhere.
  var base: String

  init(
    _ server: Server, _ http: any HTTP, _ bearer: Bearer, _ timeouts: Timeouts, clock: TimeSource = .system
  ) {
    self.server = server
    self.http = http
    self.bearer = bearer
    self.timeouts = timeouts
    self.clock = clock
    base = server.url
  }

  /// One that knows a key and no store.
  init(
    _ server: Server, _ http: any HTTP, _ key: Credential?, _ timeouts: Timeouts, clock: TimeSource = .system
  ) {
    let bearer = key.map { Bearer(account: server.url, key: $0, store: MemoryCredentials(), clock: clock) }
    self.init(server, http, bearer ?? .none, timeouts, clock: clock)
  }

  /// The same sign-in for another address, such as that of a model which runs elsewhere.
  func at(_ url: String) -> Endpoint {
    var other = self
    other.base = url
    return other
  }

  /// The same with another choice of what goes along with each message.
  func choosing(_ choice: GatewayChoice?) -> Endpoint {
    var other = self
    other.server.gateway = choice
    return other
  }

  /// The same with less patience.
  func within(seconds: Double) -> Endpoint {
    var other = self
    other.timeouts.request = min(timeouts.request, seconds)
    other.timeouts.connect = min(timeouts.connect, seconds)
    return other
  }

  /// What a server says of a failure, without our secrets in it.
  func errorBody(_ bytes: [UInt8]) -> ErrorBody { ErrorBody(bearer.mask(bytes)) }

  var failures: Failures { failures(within: timeouts) }

  func failures(within timeouts: Timeouts) -> Failures {
    Failures(
      address: address, timeouts: timeouts,
      knowsPersons: [Kind.kamiwaza, Kind.chatUI].map(\.name).contains(server.kind), mask: bearer.mask)
  }

  /// Whom to name in an error.
  var address: String { Origin(url: base)?.description ?? base }

  var recipients: Recipients { Recipients(server) }

  /// Whether the sign-in may go to the server's own address without asking.
  var mayBeSignedIn: Bool { recipients.include(server.url) }

  /// A request as this endpoint makes them.
  func request(_ method: String, _ url: String, json: JSON? = nil) -> HTTPRequest {
    var headers = [(name: "Accept", value: "application/json")]
    if json != nil { headers.append((name: "Content-Type", value: "application/json")) }
    return HTTPRequest(
      method, url, headers: headers, body: json?.bytes(), connectTimeout: timeouts.connect,
      headersTimeout: timeouts.request)
  }

  /// Another request, with this endpoint's patience.
  func timed(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.connectTimeout = timeouts.connect
    request.headersTimeout = timeouts.request
    return request
  }
}

extension Endpoint {
  /// What a request is signed with.
  enum Signature {
    /// What signs the person in. A refusal has it renewed and the request sent once more, `once` excepted.
    case signIn, once
    case with(Secret)
    case not
  }

  /// Asks for a document and takes it whole, within the time-out of a request.
  func get(_ url: String, signed: Signature = .signIn) async throws(BackendError) -> Document {
    try await send(request("GET", url), signed: signed)
  }

  /// Sends a request and takes its answer whole, within the time-out of a request.
  func send(_ request: HTTPRequest, signed: Signature = .signIn) async throws(BackendError) -> Document {
    let deadline = clock.now() + timeouts.request
    let response = try await open(request, signed: signed, failures)
    do throws(TransportError) {
      return try await document(of: response, until: deadline)
    } catch {
      throw failures.transport(error, during: .request)
    }
  }

  /// Sends a request and returns when the head of its answer is in. A 401 is given back only when there is nothing else
  /// to sign with.
  func open(
    _ request: HTTPRequest, signed: Signature = .signIn, _ failures: Failures,
    during wait: BackendError.Wait = .request
  ) async throws(BackendError) -> HTTPResponse {
    let token = try await token(for: request.url, signed)
    let response = try await sendOnce(request, token, failures, wait)
    // Signing in would not help: the key of the environment goes before what is kept.
    if response.status == 401, isWrongEnvironmentKey(token) {
      response.body.cancel()
      throw .signInRefused(address: address, .wrongEnvironmentKey)
    }
    guard response.status == 401, case .signIn = signed,
      let other = try await another(than: token, for: request.url, closing: response)
    else { return response }
    response.body.cancel()
    return try await sendOnce(request, other, failures, wait)
  }

  /// Whether a token that a platform refused is the environment's, in the place of which nobody can sign in.
  func isWrongEnvironmentKey(_ token: Secret?) -> Bool {
    guard server.kind == Kind.kamiwaza.name, let key = bearer.key else { return false }
    return token == key.secret
  }

  private func another(
    than token: Secret?, for url: String, closing response: HTTPResponse
  ) async throws(BackendError) -> Secret? {
    do throws(BackendError) { return try await another(than: token, for: url) } catch {
      response.body.cancel()
      throw error
    }
  }

  /// What may sign a request after a token that was refused, or none; nil when there is nothing else.
  func another(than token: Secret?, for url: String) async throws(BackendError) -> Secret? {
    guard bearer.key == nil, let other = try await bearer.token(after: token) else { return nil }
    try check(url)
    return other
  }

  private func sendOnce(
    _ request: HTTPRequest, _ token: Secret?, _ failures: Failures, _ wait: BackendError.Wait
  ) async throws(BackendError) -> HTTPResponse {
    var request = request
    bearer.mask.add(token)
    // Old servers read the cookie only (docs/kamiwaza.md 3.3); it goes nowhere but home.
    if let token, server.kind == Kind.chatUI.name {
      // A server may repeat the value without its name.
      bearer.mask.add(Secret(ChatUICookie(token).value))
      if recipients.isOwn(request.url) { request.authorize(asSession: token) }
    } else if let token, server.kind == Kind.ttyd.name {
      request.authorize(asBasic: token)
    } else if let token, server.kind == Kind.codeServer.name {
      request.authorize(asKeyOrBearer: token)
    } else if let token {
      request.authorize(with: token, cookie: server.kind == "kamiwaza" && recipients.isOwn(request.url))
    }
    do throws(TransportError) {
      return try await http.send(request)
    } catch {
      throw failures.transport(error, during: wait)
    }
  }

  /// nil for a request that is not signed; throws `withheld` for one that must not be.
  func token(for url: String, _ signed: Signature = .signIn) async throws(BackendError) -> Secret? {
    switch signed {
    case .not: return nil
    case .with(let token):
      try recipients.check(url)
      bearer.mask.add(token)
      return token
    case .signIn, .once:
      if let key = bearer.key {
        // Bound to another origin: it goes without, and the server says whether it wants a key.
        if recipients.isOwn(url), !key.covers(url) { return nil }
        try recipients.check(url)
        return key.secret
      }
      guard try await bearer.stored != nil else { return nil }
      try check(url)
      return try await bearer.token()
    }
  }

  /// Whether what is stored may go to an address. Home too: that is where it is renewed.
  private func check(_ url: String) throws(BackendError) {
    try recipients.check(server.url)
    try recipients.check(url)
  }

  fileprivate func document(of response: HTTPResponse, until deadline: Double) async throws(TransportError) -> Document
  {
    defer { response.body.cancel() }
    var bytes: [UInt8] = []
    while let more = try await response.body.next(timeout: max(0, deadline - clock.now())) {
      bytes += more
      guard clock.now() < deadline else { throw .readTimeout }
    }
    return Document(response: response, bytes: bytes, mask: bearer.mask)
  }
}

extension Endpoint {
  /// Asks for a document of an address that may be anything: nothing but a key of the environment signs it.
  func probe(_ url: String) async throws(TransportError) -> Document {
    var request = request("GET", url)
    if let key = bearer.key, key.covers(url), recipients.include(url) { request.authorize(with: key.secret) }
    let deadline = clock.now() + timeouts.request
    return try await document(of: try await http.send(request), until: deadline)
  }
}

/// A response with its whole body.
struct Document: Sendable {
  let response: HTTPResponse
  let bytes: [UInt8]
  let mask: SecretMask

  var status: Int { response.status }
  var location: String? { response[header: "location"] }
  /// The body of a failure without our secrets (docs/rules.md C6).
  var said: [UInt8] { mask(bytes) }
  /// The body without our secrets; nil for a body that is not JSON.
  var json: JSON? { unmaskedJSON.map { mask($0) } }
  /// The body with whatever it holds: for tokens that a server gives out, and nothing that is shown or kept.
  var unmaskedJSON: JSON? { try? JSON(parsing: bytes) }
  var isSuccess: Bool { 200..<300 ~= status }
}

extension HTTPRequest {
  /// A form, sent.
  static func form(_ url: String, _ fields: FormFields) -> HTTPRequest {
    HTTPRequest(
      "POST", url,
      headers: [
        (name: "Accept", value: "application/json"),
        (name: "Content-Type", value: "application/x-www-form-urlencoded"),
      ], body: Array(fields.encoded.utf8))
  }
}

import Chat
import Transport
import Waiting
import Wire

/// Makes connections to a bridge, and begins what is said by them (docs/acp.md 10).
struct BridgeDial: Sendable {
  /// Seconds without a byte after which a connection is lost; a bridge asks for a sign of life every 30.
  private static let silence = 75.0
  /// Seconds to wait for what was said meanwhile.
  private static let patience = 5.0
  /// Seconds that `initialize` may take at least: the bridge may have to start the agent first.
  private static let start = 60.0

  let address: BridgeAddress
  let endpoint: Endpoint
  let sockets: any WebSockets
  /// What this installation is called.
  let client: String
  /// Of `initialize`.
  let offer: JSON
  let folder: String

  /// A connection that stands, and what it began with.
  struct Call: Sendable {
    let socket: any WebSocket
    let arrival: Arrival
    /// What came besides, while the beginning was waited for; in order.
    let others: [JSONLines.Line]
  }

  /// Whom a connection met.
  struct Arrival: Sendable {
    /// The result of `initialize`.
    var hello: JSON
    /// Whether the agent was started for this connection.
    var isFresh: Bool
    /// Whether the agent answered `initialize` itself although it was started for an earlier connection: the bridge has no
    /// cached answer.
    var isUngreeted = false
    /// The result that names the session which the agent has begun with; nil where the bridge keeps none.
    var session: JSON?

    var sessionName: String? { session?["sessionId"]?.string }
  }

  /// - Parameter opened: called when the connection is open, before the first request.
  func call(opened: () -> Void = {}) async throws(BackendError) -> Call {
    let socket = try await open()
    opened()
    do throws(BackendError) {
      return try await greet(by: socket)
    } catch {
      socket.close()
      throw error
    }
  }

  private func open() async throws(BackendError) -> any WebSocket {
    guard let signIn = try await endpoint.bearer.stored else {
      throw .unauthorized(address: address.description, message: "")
    }
    // In the clear it goes where the person let it.
    try Recipients(server).check(address.httpURL)
    guard signIn.token.fitsHeader, signIn.pass.map({ $0.secret.fitsHeader && Secret($0.id).fitsHeader }) ?? true else {
      throw .unauthorized(address: address.description, message: "")
    }
    var request = endpoint.timed(HTTPRequest("GET", address.url))
    request.headers = [
      (name: "X-Bridge-Token", value: signIn.token.reveal()), (name: "X-Client-Id", value: client),
    ]
    if let pass = signIn.pass {
      endpoint.bearer.mask.add(pass.secret)
      request.headers += [
        (name: "CF-Access-Client-Id", value: pass.id), (name: "CF-Access-Client-Secret", value: pass.secret.reveal()),
      ]
    }
    do throws(TransportError) { return try await sockets.open(request, silence: BridgeDial.silence) } catch {
      throw failure(error)
    }
  }

  /// The server by the address that its secrets are judged by.
  private var server: Server {
    var server = endpoint.server
    server.url = address.httpURL
    return server
  }

  /// Why a connection does not stand.
  func failure(_ error: TransportError) -> BackendError {
    guard case .notSwitched(let status, let text) = error else { return failures.transport(error, during: .request) }
    let body = endpoint.errorBody(Array(text.utf8))
    return status == 101 || status < 300
      ? .malformed(address: address.description, detail: "not a WebSocket")
      : failures.status(status, body)
  }

  private var failures: Failures {
    Failures(address: address.description, timeouts: endpoint.timeouts, mask: endpoint.bearer.mask)
  }

  /// Asks what must be asked first, and in this order: a bridge whose agent goes on answers both from what it keeps, and
  /// passes nothing else on before.
  private func greet(by socket: any WebSocket) async throws(BackendError) -> Call {
    let greeting = BridgeGreeting(socket, endpoint.bearer.mask)
    let hello: JSON
    switch try await answer(of: greeting, to: "initialize", offer) {
    case .success(let answer): hello = answer
    case .failure(let failure): throw BackendError(failure, masked: { endpoint.bearer.mask($0) })
    case nil: throw .malformed(address: address.description, detail: "no greeting")
    }
    var arrival = Arrival(hello: hello, isFresh: false)
    // The bridge caches no answer of an agent whose first connection was closed before the agent answered.
    if await greeting.hasHeardPast {
      arrival.isUngreeted = true
      return Call(socket: socket, arrival: arrival, others: await greeting.others)
    }
    // Of no session that there is: an agent that goes on is met with the one it began with, whatever was asked for.
    let name = JSON.string(BridgeGreeting.randomName())
    switch try await answer(of: greeting, to: "session/load", place(["sessionId": name])) {
    case .success(let answer) where answer["sessionId"]?.string != nil && answer["sessionId"] != name:
      arrival.session = answer
    case .failure(let failure) where failure.isOfFreshAgent:
      arrival.isFresh = true
      // What the bridge keeps for later connections is the answer to a request of this one, and of no other.
      if case .success(let answer) = try await self.answer(of: greeting, to: "session/new", place([:])) {
        arrival.session = answer
      }
    case .success, .failure, nil: break
    }
    if !arrival.isFresh { await greeting.hearPast(within: BridgeDial.patience, endpoint.clock) }
    return Call(socket: socket, arrival: arrival, others: await greeting.others)
  }

  private func place(_ params: JSON) -> JSON {
    var params = params
    params["cwd"] = .string(folder)
    params["mcpServers"] = []
    return params
  }

  /// nil when the past was told first: then the bridge keeps no answer, and the agent may give none.
  private func answer(
    of greeting: BridgeGreeting, to method: String, _ params: JSON
  ) async throws(BackendError) -> Result<JSON, RPCFailure>? {
    let isFirst = method == "initialize"
    let seconds = isFirst ? max(BridgeDial.start, endpoint.timeouts.request) : endpoint.timeouts.request
    let answer: Result<JSON, RPCFailure>??
    do throws(TransportError) {
      answer = try await within(seconds, pause: endpoint.clock.sleep) {
        () async throws(TransportError) in
        // The agent itself answers if the bridge has no cached answer.
        try await greeting.ask(method, params, pastEnds: !isFirst)
      }
    } catch { throw failure(error) }
    guard let answer else {
      if Task.isCancelled { throw .cancelled }
      throw .timedOut(address: address.description, .request, seconds: seconds)
    }
    return answer
  }
}

extension RPCFailure {
  /// Whether the bridge says that the agent was started for this connection (docs/acp.md 10).
  fileprivate var isOfFreshAgent: Bool { code == -32602 && words.lowercased().contains("fresh agent") }
}

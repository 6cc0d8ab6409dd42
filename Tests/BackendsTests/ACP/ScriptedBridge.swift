import Chat
import Foundation
import Transport
import Wire

@testable import Backends

/// A bridge that a test plays: it answers what every connection begins with, notes what else comes, and says what the
/// test has it say.
// Sendable: all state is behind the lock.
final class ScriptedBridge: WebSockets, @unchecked Sendable {
  /// What becomes of a connection.
  enum Fate {
    /// The agent behind it was just started.
    case fresh
    /// It goes on, and began with the session that was made first, or with `first`.
    case goesOn
    /// It goes on, and the bridge has kept no session of it.
    case goesOnUnkept
    /// It is another one, and somebody else has begun a session with it.
    case another
    /// The agent is started for the connection, and does not answer in time.
    case tooSlow
    /// The agent was started for a connection that was given up before it answered: the bridge keeps nothing of it.
    case ungreeted
    /// The same, where the bridge has kept the greeting and nothing else.
    case greetedAlone
    case refused(TransportError)
  }

  private let lock = NSLock()
  private var fates: [Fate]
  private var asked: [HTTPRequest] = []
  private var sockets: [ScriptedSocket] = []
  private var count = 0
  let clock = StandingClock()
  /// What the agent said in its first session while nobody was there.
  private let past: [String]

  /// - Parameter fates: of the connections in order; the last is that of all others.
  init(_ fates: Fate..., past: [String] = []) {
    self.fates = fates
    self.past = past
  }

  var requests: [HTTPRequest] { lock.withLock { asked } }
  /// The connection that stands.
  var socket: ScriptedSocket? { lock.withLock { sockets.last } }
  /// The methods that came by each connection.
  var methods: [[String]] { lock.withLock { sockets }.map { $0.came.compactMap { $0["method"]?.string } } }

  func open(_ request: HTTPRequest, silence: Double, form: SocketForm) async throws(TransportError) -> any WebSocket {
    let fate = lock.withLock { () -> Fate in
      asked.append(request)
      return fates.count > 1 ? fates.removeFirst() : fates[0]
    }
    if case .refused(let error) = fate { throw error }
    let socket = ScriptedSocket { message, socket in self.answer(message, socket, fate) }
    lock.withLock { sockets.append(socket) }
    return socket
  }

  private func answer(_ message: JSON, _ socket: ScriptedSocket, _ fate: Fate) {
    let id = message["id"] ?? .null
    switch (message["method"]?.string, fate) {
    case (_, .tooSlow): break
    case ("initialize", .ungreeted):
      // Its answer to the connection that was given up is told again.
      socket.say(["id": "given-up", "result": ["protocolVersion": 1]])
      socket.endPast()
      socket.say(["id": id, "result": ["protocolVersion": 1, "agentCapabilities": ["loadSession": true]]])
    case ("initialize", .greetedAlone):
      socket.say(["id": id, "result": ["protocolVersion": 1, "agentCapabilities": ["loadSession": true]]])
      socket.endPast()
    case ("session/load", .greetedAlone) where socket.came.count == 2: break
    case ("initialize", _):
      socket.say(["id": id, "result": ["protocolVersion": 1, "agentCapabilities": ["loadSession": true]]])
      if case .goesOnUnkept = fate { socket.endPast() }
    case ("session/load", .goesOn) where socket.came.count == 2:
      socket.say(["id": id, "result": ["sessionId": lock.withLock { count } > 0 ? "new-1" : "first"]])
      socket.tellCommands(in: lock.withLock { count } > 0 ? "new-1" : "first")
      for text in past { socket.update(text, in: "first") }
      socket.endPast()
    case ("session/load", .another) where socket.came.count == 2:
      socket.say(["id": id, "result": ["sessionId": "somebody-elses"]])
      socket.endPast()
    case ("session/load", .goesOnUnkept) where socket.came.count == 2: break
    case ("session/load", _) where message["params"]?["sessionId"] == "kept":
      socket.say(["id": id, "result": [:]])
    case ("session/load", _):
      socket.say([
        "id": id,
        "error": ["code": -32602, "message": "Invalid params", "data": "Session not found (fresh agent): x"],
      ])
    case ("session/new", _):
      let number = lock.withLock {
        count += 1
        return count
      }
      socket.say(["id": id, "result": ["sessionId": .string("new-\(number)")]])
    default: break
    }
  }

  /// An agent behind it, as a client knows it that was paired.
  func backend(token: String? = "token-of-the-bridge", request: Double = 1000) async -> ACPBackend {
    let store = MemoryCredentials()
    let server = Server(
      name: "far", kind: "acp", url: "wss://bridge.example:8765", bridge: BridgedAgent(id: "a", folder: "/work"))
    if let token { _ = try? await store.write(StoredSignIn(.key, token: Secret(token)), for: server.url) }
    var timeouts = Timeouts()
    timeouts.request = request
    let clock = clock.source
    let endpoint = Endpoint(
      server, ScriptedHTTP([]), Bearer(account: server.url, store: store, clock: clock), timeouts, clock: clock)
    var surroundings = Surroundings(sockets: self, deviceName: { "us" })
    surroundings.clock = clock
    surroundings.timeouts = timeouts
    guard let address = BridgeAddress(server.url) else { preconditionFailure("no address") }
    return ACPBackend(server, at: .away(address, endpoint), surroundings)
  }
}

/// One connection of it.
// Sendable: all state is behind the lock.
final class ScriptedSocket: WebSocket, @unchecked Sendable {
  private enum Piece { case message(JSON), end(TransportError?) }

  private let lock = NSLock()
  private var messages: [JSON] = []
  private var isOver = false
  private let pieces: AsyncStream<Piece>
  private let out: AsyncStream<Piece>.Continuation
  private let answer: @Sendable (JSON, ScriptedSocket) -> Void

  init(_ answer: @escaping @Sendable (JSON, ScriptedSocket) -> Void) {
    self.answer = answer
    (pieces, out) = AsyncStream.makeStream()
  }

  /// What the client sent.
  var came: [JSON] { lock.withLock { messages } }

  /// The last message of a method that came; nil while none has.
  func last(_ method: String) -> JSON? { came.last { $0["method"]?.string == method } }

  func say(_ message: JSON) {
    guard case .object(let members) = message else { return }
    out.yield(.message(.object([JSON.Member("jsonrpc", "2.0")] + members)))
  }

  func update(_ text: String, in session: String) {
    say([
      "method": "session/update",
      "params": [
        "sessionId": .string(session),
        "update": ["sessionUpdate": "agent_message_chunk", "content": ["type": "text", "text": .string(text)]],
      ],
    ])
  }

  func endPast() { say(["method": "bridge/bufferReplayComplete", "params": ["count": 0]]) }

  func tellCommands(in session: String) {
    say([
      "method": "session/update",
      "params": [
        "sessionId": .string(session),
        "update": ["sessionUpdate": "available_commands_update", "availableCommands": [["name": "help"]]],
      ],
    ])
  }

  /// Ends the turn that a prompt has begun, maybe by another connection.
  func end(_ prompt: JSON?) { say(["id": prompt?["id"] ?? .null, "result": ["stopReason": "end_turn"]]) }

  /// The connection is gone.
  func drop(_ error: TransportError? = .closedEarly("dropped")) {
    lock.withLock { isOver = true }
    out.yield(.end(error))
  }

  /// Says something by a connection that takes nothing any more.
  func dropAfter(_ message: JSON) {
    lock.withLock { isOver = true }
    say(message)
    out.yield(.end(.closedEarly("dropped")))
  }

  func send(_ message: [UInt8]) async throws(TransportError) {
    guard let json = try? JSON(parsing: message) else { return }
    let isOver = lock.withLock { () -> Bool in
      if !self.isOver { messages.append(json) }
      return self.isOver
    }
    if isOver { throw .closedEarly("gone") }
    answer(json, self)
  }

  func receive() async throws(TransportError) -> [UInt8]? {
    var iterator = pieces.makeAsyncIterator()
    switch await iterator.next() {
    case .message(let json)?: return json.bytes()
    case .end(let error?)?: throw error
    case .end(nil)?: return nil
    case nil: if Task.isCancelled { throw .cancelled } else { return nil }
    }
  }

  func close() { out.finish() }
}

import Chat
import Transport
import Waiting
import Wire

/// The way to an agent behind a bridge: a WebSocket, and another one when that is lost (docs/acp.md 10).
///
/// What waits for an answer waits on while the connection is made anew: the agent goes on meanwhile, and what it said is
/// told again. What could not be sent is sent by the next connection; what was sent is not sent again.
final class BridgeWay: ACPWay {
  /// What becomes of the connection: told before anything that comes by the new one.
  enum Change: Sendable {
    case lost
    /// - Parameter isSame: whether the agent is the one that was asked before.
    case madeAgain(BridgeDial.Arrival, isSame: Bool)
  }

  private enum Road {
    case open(any WebSocket, number: Int)
    case lost(BackendError)
    case over(BackendError)
  }

  private struct State {
    var road: Road
    var lastNumber = 1
    /// Of the agent's process: what was meant for the one before is not for the next.
    var agent = 1
    /// The session that it has begun with, where the bridge has said so.
    var session: String?
    /// Whether the bridge has no cached answer of the agent to `initialize`.
    var isUngreeted: Bool
    /// How many connections were opened since the last one was lost. The bridge starts an agent for each connection that
    /// finds none, even if `initialize` then times out and the connection is closed.
    var opened = 0
    /// What came while a connection began.
    var early: [JSONLines.Line] = []
    var lastWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var answers = BridgeAnswers()
    var pauses = BridgePauses()
    /// The reader's, while it waits to try again.
    var pause: Task<Void, Never>?

    /// Whether a new connection met the agent of the one before.
    func isSame(_ arrival: BridgeDial.Arrival) -> Bool {
      if arrival.isFresh || arrival.isUngreeted != isUngreeted { return false }
      // The agent may have been started for a connection that timed out; only a known session proves that it was not.
      guard let now = arrival.sessionName else { return opened <= 1 }
      // An agent that was started again, and in which another client has opened a session, reports another session id.
      return session == nil || session == now
    }
  }

  /// Of this way's requests: every device hears the answers to all.
  let prefix: String?
  let hello: JSON?
  let early: [JSONLines.Line]
  private let dial: BridgeDial
  private let clock: TimeSource
  private let state: Locked<State>
  private let report: @Sendable (Change) -> [JSONRPCMessage]

  /// - Parameter report: is called by the reader, between one message and the next; gives what is to be said by a new
  ///   connection before anything else.
  init(_ dial: BridgeDial, begun call: BridgeDial.Call, report: @escaping @Sendable (Change) -> [JSONRPCMessage]) {
    self.dial = dial
    self.report = report
    clock = dial.endpoint.clock
    prefix = BridgeGreeting.randomName()
    hello = call.arrival.hello
    early = call.others
    state = Locked(
      State(
        road: .open(call.socket, number: 1), session: call.arrival.sessionName,
        isUngreeted: call.arrival.isUngreeted))
  }

  var name: String { dial.address.description }
  var log: String { "" }

  func masked(_ text: String) -> String { dial.endpoint.bearer.mask(text) }

  func end() async -> BackendError {
    state.withLock { state in if case .over(let error) = state.road { error } else { .agentBegunAnew } }
  }

  func close() async {
    let road = state.withLock { state -> Road in
      let road = state.road
      if case .over = road { return road }
      state.road = .over(.cancelled)
      return road
    }
    if case .open(let socket, _) = road { socket.close() }
    wake()
  }
}

// Sending
extension BridgeWay {
  /// Waits for a connection when there is none.
  func send(_ message: JSONRPCMessage) async throws(RPCError) {
    let bytes = message.json.bytes()
    let agent = state.withLock { $0.agent }
    while true {
      let (road, isMeant) = state.withLock { ($0.road, $0.agent == agent) }
      guard isMeant else { throw .neverSent }
      switch road {
      case .over: throw .closed
      case .lost:
        // The reader answers too, and it is the reader who makes the next connection.
        if state.withLock({ $0.answers.note(message, at: clock.now(), isSent: false) }) { return }
        // Somebody has something to say: it is tried at once, and not when the pause is over.
        state.withLock { $0.pause }?.cancel()
        try await wait(until: nil)
      case .open(let socket, let number):
        do throws(TransportError) {
          try await socket.send(bytes)
          state.withLock { _ = $0.answers.note(message, at: clock.now(), isSent: true) }
          return
        } catch {
          if error == .cancelled { throw .cancelled }
          if state.withLock({ $0.answers.note(message, at: clock.now(), isSent: false) }) { return }
          // Not all of it has left, so nobody has got it. The reader finds the same, behind what came before the end.
          try await wait(until: number)
        }
      }
    }
  }

  /// Waits for another connection than the one of this number, which is lost, or for the end.
  private func wait(until number: Int?) async throws(RPCError) {
    let waiter = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          switch state.road {
          case .over: return false
          case .open(_, let current) where current != number: return false
          case .open, .lost: break
          }
          guard !Task.isCancelled else { return false }
          state.waiters[waiter] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
    if Task.isCancelled { throw .cancelled }
  }

  private func wake() {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume() }
  }
}

// Reading
extension BridgeWay {
  func receive() async throws(RPCError) -> JSONLines.Line? {
    while true {
      let (early, road) = state.withLock { state in
        (state.early.isEmpty ? nil : state.early.removeFirst(), state.road)
      }
      if let early { return early }
      switch road {
      case .over: return nil
      case .lost(let why):
        _ = report(.lost)
        await makeAgain(after: why)
      case .open(let socket, let number):
        do throws(TransportError) {
          if let bytes = try await socket.receive() { return dial.endpoint.bearer.mask(JSONLines.read(bytes)) }
          lose(number, .closedEarly("the bridge closed the connection"))
        } catch {
          if error == .cancelled { return nil }
          lose(number, error)
        }
      }
    }
  }

  private func lose(_ number: Int, _ error: TransportError) {
    let lost = state.withLock { state -> (any WebSocket)? in
      guard case .open(let socket, number) = state.road else { return nil }
      state.road = .lost(dial.failure(error))
      state.opened = 0
      return socket
    }
    lost?.close()
  }

  private func makeAgain(after why: BackendError) async {
    var why = why
    while let pause = state.withLock({ $0.pauses.next(at: clock.now()) }) {
      await rest(pause)
      guard !Task.isCancelled, case .lost = state.withLock({ $0.road }) else { return over(.cancelled) }
      do throws(BackendError) {
        return await take(try await dial.call { state.withLock { $0.opened += 1 } })
      } catch {
        why = error
        if error.isFinal { break }
      }
    }
    over(why.isFinal ? why : .connectionLost(address: name, reason: why.unreachable))
  }

  private func rest(_ seconds: Double) async {
    let pause = Task { [clock] in await clock.sleep(seconds) }
    state.withLock { $0.pause = pause }
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
    state.withLock { $0.pause = nil }
  }

  private func take(_ call: BridgeDial.Call) async {
    let facts = ACPFacts(call.arrival.hello)
    guard facts.protocolVersion == ACPFacts.spoken else {
      call.socket.close()
      return over(.noSharedVersion(program: name, theirs: facts.theirs))
    }
    let (isOver, isSame, answers) = state.withLock { state -> (Bool, Bool, [JSONRPCMessage]) in
      guard case .lost = state.road else { return (true, false, []) }
      let (before, now) = (state.session, call.arrival.sessionName)
      let isSame = state.isSame(call.arrival)
      let isProven = isSame && before != nil && before == now
      if !isSame || before == nil { state.session = now }
      state.isUngreeted = call.arrival.isUngreeted
      return (false, isSame, isSame ? state.answers.owed(at: clock.now(), andUnproven: isProven) : [])
    }
    if isOver { return call.socket.close() }
    let first = report(.madeAgain(call.arrival, isSame: isSame))
    // Whether those that were sent arrived is not known; one that did is told twice, which the same agent passes over.
    for message in answers + first {
      do throws(TransportError) { try await call.socket.send(message.json.bytes()) } catch {
        // The reader finds the same.
      }
    }
    let isTaken = state.withLock { state in
      guard case .lost = state.road else { return false }
      if !isSame {
        state.agent += 1
        state.answers = BridgeAnswers()
      }
      state.lastNumber += 1
      state.early = call.others
      state.road = .open(call.socket, number: state.lastNumber)
      state.pauses.noteConnection(at: clock.now())
      return true
    }
    if !isTaken { call.socket.close() }
    wake()
  }

  private func over(_ error: BackendError) {
    state.withLock { state in
      if case .over = state.road { return }
      state.road = .over(error)
    }
    wake()
  }
}

extension BackendError {
  /// Whether to try again changes nothing.
  fileprivate var isFinal: Bool {
    switch self {
    case .unauthorized, .untrusted, .credentials, .withheld, .noSharedVersion: true
    default: false
    }
  }

  fileprivate var unreachable: Unreachable {
    switch self {
    case .unreachable(_, let reason): reason
    case .timedOut: .other("no answer in time")
    case .malformed(_, let detail): .other(detail)
    case .refused(_, let status, _): .other("it answered \(status)")
    default: .reset
    }
  }
}

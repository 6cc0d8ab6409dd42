import Foundation
import Waiting
package import Wire

/// One side of a conversation in JSON-RPC: numbers our requests and finds the answer to each, hands on what the other
/// side asks and tells (docs/mcp.md 3).
///
/// It does not care by which way messages come and go: whoever reads hands them to `receive`, one after the other.
/// Nothing is called and no continuation resumed while its lock is held.
package final class RPCPeer: Sendable {
  /// The most requests of the other side that wait for an answer (docs/rules.md A7).
  package static let requestLimit = 8

  private typealias Outcome = Result<JSON, RPCError>

  /// A request of ours that has no answer yet, or whose answer nobody has taken yet.
  private enum Pending {
    case sent
    case awaited(CheckedContinuation<Outcome, Never>)
    case answered(Outcome)
  }

  /// What every request of ours is called, before its number.
  private let prefix: String?
  private let requestLimit: Int
  private let send: @Sendable (JSONRPCMessage) async throws(RPCError) -> Void
  private let handler: RPCHandler
  /// Held while the handler is called, so that its calls never overlap when messages come by several streams.
  private let order = NSLock()

  private let state = Locked(State())

  private struct State {
    var lastID = 0
    var pending: [RPCID: Pending] = [:]
    var lastNumber = 0
    /// The other side's requests that wait for an answer, by number.
    var unanswered: Set<Int> = []
    var isClosed = false
  }

  /// - Parameters:
  ///   - send: sends one message; may return late, even after the answer was received.
  ///   - requestLimit: the most requests of the other side that wait for an answer.
  ///   - prefix: what our ids begin with, where answers to others come by the same way; nil makes them numbers.
  package init(
    send: @escaping @Sendable (JSONRPCMessage) async throws(RPCError) -> Void, handler: RPCHandler = RPCHandler(),
    requestLimit: Int = RPCPeer.requestLimit, prefix: String? = nil
  ) {
    self.prefix = prefix
    self.requestLimit = requestLimit
    self.send = send
    self.handler = handler
  }

  /// An id that no other request of this peer has.
  package func nextID() -> RPCID {
    state.withLock { state in
      state.lastID += 1
      return prefix.map { .string("\($0)-\(state.lastID)") } ?? .int(state.lastID)
    }
  }

  /// Asks, and returns the result. There is no time limit: the caller cancels.
  /// - Parameter id: from `nextID`, for those who must know it before.
  package func request(
    _ method: String, _ params: JSON? = nil, id: RPCID? = nil
  ) async throws(RPCError) -> JSON {
    guard !Task.isCancelled else { throw .cancelled }
    let id = id ?? nextID()
    try begin(id)
    var unsent: RPCError?
    do throws(RPCError) {
      try await send(.request(id: id, method: method, params: params))
    } catch {
      let failure = Task.isCancelled ? .cancelled : error
      unsent = failure
      // What the other side said counts more than the way in which the request was sent.
      settle(id, .failure(failure))
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { wait(id, $0) }
    } onCancel: {
      settle(id, .failure(.cancelled))
    }
    // That the channel ended meanwhile says less than why the request never left.
    if let unsent, case .failure(.closed) = outcome { throw unsent }
    return try outcome.get()
  }

  /// Tells, and asks for no answer.
  package func notify(_ method: String, _ params: JSON? = nil) async throws(RPCError) {
    guard !isOver else { throw .closed }
    try await send(.notification(method: method, params: params))
  }
}

extension RPCPeer {
  /// Takes a message that came. Returns when the handler has it; waits only to refuse a request, so that one who asks
  /// without end and does not read the answers is not read either.
  package func receive(_ message: JSONRPCMessage) async {
    switch message {
    case .response(let id, let result): settle(answering: id, .success(result))
    case .error(let id?, let failure): settle(answering: id, .failure(.refused(failure)))
    case .error(nil, let failure): note(.unassignedError(failure))
    case .notification(let method, let params):
      order.withLock { if !isOver { handler.notification(method, params) } }
    case .request(let id, let method, let params):
      if let refusal = take(id, method, params) { await sendAnswer(.error(id: id, refusal)) }
    }
  }

  /// Takes a line that came.
  package func receive(_ line: JSONLines.Line) async {
    switch line {
    case .message(let message): await receive(message)
    case .junk(let text): note(.junk(text))
    case .malformed(.unreadable(let id)): settle(answering: id, .failure(.unreadable))
    case .malformed(let problem):
      note(.malformed(problem))
      if let answer = problem.answer { await sendAnswer(answer) }
    }
  }

  /// Reads a channel to its end, which is that of the peer too. A connection outlives the task that made it, so it
  /// belongs into a task of the connection's own.
  package func read(_ channel: any RPCChannel) async {
    do throws(RPCError) {
      while let line = try await channel.receive() { await receive(line) }
      close()
    } catch {
      close(error)
    }
  }

  /// Fails what waits, now and later. The channel is its owner's to close.
  package func close(_ error: RPCError = .closed) { fail(error, forGood: true) }

  /// Fails what waits: the other side is another one from now on, which was not asked any of it.
  package func failRequests() { fail(.closed, forGood: false) }

  private func fail(_ error: RPCError, forGood: Bool) {
    let waiters = state.withLock { state -> [CheckedContinuation<Outcome, Never>] in
      guard !state.isClosed else { return [] }
      if forGood { state.isClosed = true }
      state.unanswered = []
      var waiters: [CheckedContinuation<Outcome, Never>] = []
      for (id, request) in state.pending {
        switch request {
        case .sent: state.pending[id] = .answered(.failure(error))
        case .awaited(let waiter):
          waiters.append(waiter)
          state.pending[id] = nil
        case .answered: break
        }
      }
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: .failure(error)) }
  }
}

// Our requests
extension RPCPeer {
  private func begin(_ id: RPCID) throws(RPCError) {
    let hasBegun = state.withLock { state in
      if !state.isClosed { state.pending[id] = .sent }
      return !state.isClosed
    }
    if !hasBegun { throw .neverSent }
  }

  private func wait(_ id: RPCID, _ waiter: CheckedContinuation<Outcome, Never>) {
    let outcome = state.withLock { state -> Outcome? in
      if case .answered(let outcome) = state.pending[id] {
        state.pending[id] = nil
        return outcome
      }
      state.pending[id] = .awaited(waiter)
      return nil
    }
    if let outcome { waiter.resume(returning: outcome) }
  }

  /// Ends a request of ours; false when there is none that waits.
  @discardableResult
  private func settle(_ id: RPCID, _ outcome: Outcome) -> Bool {
    let (isOurs, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Outcome, Never>?) in
      switch state.pending[id] {
      case nil, .answered: return (false, nil)
      case .sent:
        state.pending[id] = .answered(outcome)
        return (true, nil)
      case .awaited(let waiter):
        state.pending[id] = nil
        return (true, waiter)
      }
    }
    waiter?.resume(returning: outcome)
    return isOurs
  }

  private func settle(answering id: RPCID, _ outcome: Outcome) {
    if settle(id, outcome) { return }
    if let number = id.number, settle(.int(number), outcome) { return }
    note(.unknownAnswer(id))
  }
}

// Theirs
extension RPCPeer {
  private var isOver: Bool { state.withLock { $0.isClosed } }

  private func note(_ note: RPCNote) { order.withLock { handler.note(note) } }

  /// Hands a request on; why it is refused, when it is.
  private func take(_ id: RPCID, _ method: String, _ params: JSON?) -> RPCFailure? {
    order.withLock {
      let number = state.withLock { state -> Int? in
        guard !state.isClosed, state.unanswered.count < requestLimit else { return nil }
        state.lastNumber += 1
        state.unanswered.insert(state.lastNumber)
        return state.lastNumber
      }
      guard let number else {
        handler.note(.tooManyRequests(method: method))
        return RPCFailure(code: RPCFailure.internalError, message: "too many requests wait for an answer")
      }
      let request = RPCRequest(id: id, method: method, params: params, number: number, peer: self)
      if handler.request(request) { return nil }
      _ = state.withLock { $0.unanswered.remove(number) }
      return .unknownMethod
    }
  }

  func passOver(_ request: RPCRequest) { _ = state.withLock { $0.unanswered.remove(request.number) } }

  func answer(_ request: RPCRequest, _ answer: Result<JSON, RPCFailure>) async {
    guard state.withLock({ $0.unanswered.remove(request.number) }) != nil else { return }
    switch answer {
    case .success(let result): await sendAnswer(.response(id: request.id, result: result))
    case .failure(let failure): await sendAnswer(.error(id: request.id, failure))
    }
  }

  private func sendAnswer(_ message: JSONRPCMessage) async {
    guard !isOver else { return }
    do throws(RPCError) {
      try await send(message)
    } catch {
      // Nobody waits here for an answer that cannot be delivered; a channel that is gone shows at its reader.
    }
  }
}

import Waiting

/// What the tasks and the thread of one WebSocket share: the messages both ways, and the end.
///
/// No continuation is resumed while the lock is held.
final class SocketTraffic: Sendable {
  /// Bytes of unread messages over which no more is read from the socket.
  static let unreadLimit = 64 << 20
  /// Bytes of unsent messages over which those who send wait.
  static let unsentLimit = 1 << 20

  typealias Outcome = Result<Void, TransportError>
  private typealias Received = Result<[UInt8]?, TransportError>

  private let state = Locked(State())

  private struct State {
    var bell: SocketBell?
    var isOpen = false
    /// Whether nobody waits for it to open any more, or wants it when it is open.
    var isUnwanted = false
    /// As the tasks see it; the thread may still say goodbye.
    var end: Outcome?
    var closeCode: Int?
    var unread = MessageQueue()
    /// Whether the thread waits for them to be read.
    var isFull = false
    var unsent = MessageQueue()

    var openWaiter: CheckedContinuation<Outcome, Never>?
    var readWaiter: CheckedContinuation<Received, Never>?
    var sendWaiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    /// How many messages were handed over to be sent, and how many of them have been taken.
    var handedOver = 0
    var taken = 0

    mutating func takeUnread() -> [UInt8]? {
      let message = unread.take()
      if isFull, unread.size < SocketTraffic.unreadLimit {
        isFull = false
        bell?.ring()
      }
      return message
    }
  }

  // The tasks' side

  func waitUntilOpen() async throws(TransportError) {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let ready = state.withLock { state -> Outcome? in
          if state.isOpen { return .success(()) }
          if let end = state.end { return end }
          state.openWaiter = waiter
          return nil
        }
        if let ready { waiter.resume(returning: ready) }
      }
    } onCancel: {
      abandon()
    }
    try outcome.get()
  }

  /// Gives up on a socket that is not open yet.
  private func abandon() {
    let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard !state.isOpen, state.end == nil else { return nil }
      state.end = .failure(.cancelled)
      state.isUnwanted = true
      state.bell?.ring()
      defer { state.openWaiter = nil }
      return state.openWaiter
    }
    waiter?.resume(returning: .failure(.cancelled))
  }

  func send(_ message: [UInt8]) async throws(TransportError) {
    let (failure, number) = state.withLock { state -> (TransportError?, Int?) in
      if let end = state.end { return (SocketTraffic.reasonNotToSend(after: end), nil) }
      state.unsent.append(message)
      state.handedOver += 1
      state.bell?.ring()
      return (nil, state.unsent.size > SocketTraffic.unsentLimit ? state.handedOver : nil)
    }
    if let failure { throw failure }
    guard let number else { return }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let ready = state.withLock { state -> Outcome? in
          if let end = state.end { return .failure(SocketTraffic.reasonNotToSend(after: end)) }
          let mustWait = state.unsent.size > SocketTraffic.unsentLimit && state.taken < number
          guard mustWait, !Task.isCancelled else { return .success(()) }
          state.sendWaiters[number] = waiter
          return nil
        }
        if let ready { waiter.resume(returning: ready) }
      }
    } onCancel: {
      state.withLock { $0.sendWaiters.removeValue(forKey: number) }?.resume(returning: .success(()))
    }
    try outcome.get()
  }

  private static func reasonNotToSend(after end: Outcome) -> TransportError {
    if case .failure(let error) = end { error } else { .closedEarly("the WebSocket is closed") }
  }

  func receive() async throws(TransportError) -> [UInt8]? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: CheckedContinuation<Received, Never>) in
        let ready = state.withLock { state -> Received? in
          if Task.isCancelled { return .failure(.cancelled) }
          if let message = state.takeUnread() { return .success(message) }
          if let end = state.end { return end.map { nil } }
          precondition(state.readWaiter == nil, "a WebSocket has one reader")
          state.readWaiter = waiter
          return nil
        }
        if let ready { waiter.resume(returning: ready) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.readWaiter = nil }
        return state.readWaiter
      }
      waiter?.resume(returning: .failure(.cancelled))
    }
    return try result.get()
  }

  func close() {
    finish(.success(()))
    state.withLock { state in
      state.isUnwanted = true
      state.unread = MessageQueue()
      state.bell?.ring()
    }
  }

  var closeCode: Int? { state.withLock { $0.closeCode } }

  // The thread's side

  /// What wakes the thread; nil when it is to be woken no more.
  func setBell(_ bell: SocketBell?) { state.withLock { $0.bell = bell } }

  var isUnwanted: Bool { state.withLock { $0.isUnwanted } }

  func noteOpen() {
    let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard state.end == nil else { return nil }
      state.isOpen = true
      defer { state.openWaiter = nil }
      return state.openWaiter
    }
    waiter?.resume(returning: .success(()))
  }

  func deliver(_ message: [UInt8]) {
    let waiter = state.withLock { state -> CheckedContinuation<Received, Never>? in
      guard state.end == nil else { return nil }
      guard let waiter = state.readWaiter else {
        state.unread.append(message)
        return nil
      }
      state.readWaiter = nil
      return waiter
    }
    waiter?.resume(returning: .success(message))
  }

  /// Whether so much is unread that no more should come; whoever reads then wakes the thread.
  func isFull() -> Bool {
    state.withLock { state in
      state.isFull = state.end == nil && state.unread.size >= SocketTraffic.unreadLimit
      return state.isFull
    }
  }

  /// The next message to be sent.
  func takeUnsent() -> [UInt8]? {
    let (message, waiters) = state.withLock { state -> ([UInt8]?, [CheckedContinuation<Outcome, Never>]) in
      let message = state.unsent.take()
      if message != nil { state.taken += 1 }
      // Whose own message has been taken waits for nothing: what befalls the socket from then on is not said of it.
      let hasRoom = state.unsent.size <= SocketTraffic.unsentLimit
      let freed = state.sendWaiters.filter { hasRoom || $0.key <= state.taken }
      for number in freed.keys { state.sendWaiters[number] = nil }
      return (message, Array(freed.values))
    }
    for waiter in waiters { waiter.resume(returning: .success(())) }
    return message
  }

  /// Ends it for the tasks, unless it has ended. What is unread stays readable.
  /// - Parameter code: the server's reason.
  func finish(_ outcome: Outcome, code: Int? = nil) {
    let waiters = state.withLock { state -> State? in
      guard state.end == nil else { return nil }
      state.closeCode = code
      state.end = outcome
      let before = state
      (state.openWaiter, state.readWaiter, state.sendWaiters) = (nil, nil, [:])
      return before
    }
    guard let waiters else { return }
    waiters.openWaiter?.resume(returning: outcome)
    waiters.readWaiter?.resume(returning: outcome.map { nil })
    let failure = SocketTraffic.reasonNotToSend(after: outcome)
    for waiter in waiters.sendWaiters.values { waiter.resume(returning: .failure(failure)) }
  }
}

import Foundation

/// One request and its answer, as the task that reads it and the loop thread share them: the head, the bytes that
/// have come and were not read, and the end.
///
/// The lock guards every variable, and no continuation is resumed and no command posted while it is held.
final class Exchange: @unchecked Sendable {
  /// Unread bytes over which the transfer is paused.
  static let pauseLimit = 256 << 10

  typealias Instant = SuspendingClock.Instant
  private typealias HeadWaiter = CheckedContinuation<Result<ResponseHead, TransportError>, Never>
  private typealias BodyWaiter = CheckedContinuation<Result<[UInt8]?, TransportError>, Never>

  let request: HTTPRequest
  /// Whether only the connection and its certificate are wanted: the head is empty then.
  let isLook: Bool
  private let loop: CurlLoop
  private let lock = NSLock()
  private var head: ResponseHead?
  private var seen: Sight?
  private var unread: [UInt8] = []
  private var end: Result<Void, TransportError>?
  /// Until the head is in, its own; then that of the read that waits.
  private var deadline: Instant?
  private var isPaused = false
  private var headWaiter: HeadWaiter?
  private var bodyWaiter: BodyWaiter?

  init(_ request: HTTPRequest, on loop: CurlLoop, isLook: Bool = false) {
    self.request = request
    self.isLook = isLook
    self.loop = loop
    deadline = Self.deadline(after: request.headersTimeout)
  }

  // The task's side

  /// What a look saw, once it has ended.
  var sight: Sight? { lock.withLock { seen } }

  func waitForHead() async throws(TransportError) -> ResponseHead {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: HeadWaiter) in
        let ready = lock.withLock { () -> Result<ResponseHead, TransportError>? in
          if let head { return .success(head) }
          if case .failure(let error) = end { return .failure(error) }
          headWaiter = waiter
          return nil
        }
        if let ready { waiter.resume(returning: ready) }
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  func next(timeout: Double?) async throws(TransportError) -> [UInt8]? {
    if Task.isCancelled { cancel() }
    if let ready = take() { return try ready.get() }
    let deadline = Self.deadline(after: timeout)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: BodyWaiter) in
        // Bytes may have come since the first look.
        if let ready = take(orWait: waiter, until: deadline) {
          waiter.resume(returning: ready)
        } else if let deadline {
          loop.wake(by: deadline)
        }
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  func cancel() {
    if finish(.failure(.cancelled)) { loop.post(.close(self)) }
  }

  private func take(orWait waiter: BodyWaiter? = nil, until deadline: Instant? = nil)
    -> Result<[UInt8]?, TransportError>?
  {
    let (ready, wasPaused) = lock.withLock { () -> (Result<[UInt8]?, TransportError>?, Bool) in
      if !unread.isEmpty {
        var bytes: [UInt8] = []
        swap(&bytes, &unread)
        defer { isPaused = false }
        return (.success(bytes), isPaused)
      }
      if let end { return (end.map { nil }, false) }
      if let waiter {
        precondition(bodyWaiter == nil, "a body has one reader")
        bodyWaiter = waiter
        self.deadline = deadline
      }
      return (nil, false)
    }
    if wasPaused { loop.post(.resume(self)) }
    return ready
  }

  // The loop thread's side

  func receive(_ sight: Sight?) {
    lock.withLock { seen = sight }
  }

  func receive(_ newHead: ResponseHead) {
    let waiter = lock.withLock { () -> HeadWaiter? in
      guard end == nil else { return nil }
      head = newHead
      deadline = nil
      defer { headWaiter = nil }
      return headWaiter
    }
    waiter?.resume(returning: .success(newHead))
  }

  /// Takes the bytes over, leaving an empty array, and says how many are unread.
  func receive(_ bytes: inout [UInt8]) -> Int {
    let (waiter, wasPaused, unreadCount) = lock.withLock { () -> (BodyWaiter?, Bool, Int) in
      guard end == nil else { return (nil, false, 0) }
      guard let waiter = bodyWaiter else {
        if unread.isEmpty { swap(&unread, &bytes) } else { unread += bytes }
        return (nil, false, unread.count)
      }
      bodyWaiter = nil
      deadline = nil
      defer { isPaused = false }
      return (waiter, isPaused, 0)
    }
    waiter?.resume(returning: .success(bytes))
    if wasPaused { loop.post(.resume(self)) }
    bytes = []
    return unreadCount
  }

  /// Whether the reader has so much to read that no more should come; it then posts `resume` when it has read.
  func pauses(with pendingCount: Int) -> Bool {
    lock.withLock {
      guard end == nil, unread.count + pendingCount >= Self.pauseLimit else { return false }
      isPaused = true
      return true
    }
  }

  /// Ends it unless it has ended, and says whether it did. Unread bytes stay readable unless it was cancelled.
  @discardableResult
  func finish(_ outcome: Result<Void, TransportError>) -> Bool {
    let (isFirst, head, body) = lock.withLock { () -> (Bool, HeadWaiter?, BodyWaiter?) in
      guard end == nil else { return (false, nil, nil) }
      end = outcome
      deadline = nil
      if case .failure(.cancelled) = outcome { unread = [] }
      defer { (headWaiter, bodyWaiter) = (nil, nil) }
      return (true, headWaiter, bodyWaiter)
    }
    if case .failure(let error) = outcome { head?.resume(returning: .failure(error)) }
    body?.resume(returning: outcome.map { nil })
    return isFirst
  }

  /// Ends it when its deadline has passed. Otherwise the deadline, for the loop to sleep no longer than that.
  func expire(at now: Instant) -> (isEnded: Bool, deadline: Instant?) {
    let (isEnded, due, headIsIn) = lock.withLock { (end != nil, deadline, head != nil) }
    if isEnded { return (true, nil) }
    guard let due, due <= now else { return (false, due) }
    finish(.failure(headIsIn ? .readTimeout : .headersTimeout))
    return (true, nil)
  }

  private static func deadline(after seconds: Double?) -> Instant? {
    guard let seconds, seconds < 1e9 else { return nil }  // a longer one is none, and would not fit
    return .now + .seconds(max(0, seconds))
  }
}

/// One run of something that many wait for: whoever asks while it runs gets the same outcome. Who is cancelled gives up
/// waiting, and the run goes on without him.
package final class SingleFlight<Outcome: Sendable>: Sendable {
  private struct State {
    /// Nobody's but this flight's: it ends by itself, or by `cancel`.
    var run: Task<Void, Never>?
    var waiters: [AsyncStream<Outcome>.Continuation] = []
  }

  private let state = Locked(State())

  package init() {}

  package var isUnderWay: Bool { state.withLock { $0.run != nil } }

  /// How many wait for the run that is under way.
  var waiting: Int { state.withLock { $0.waiters.count } }

  /// What comes of the run that is under way, or else of `run`; nil when the task is cancelled first.
  package func outcome(of run: @escaping @Sendable () async -> Outcome) async -> Outcome? {
    let (outcomes, waiter) = AsyncStream.makeStream(of: Outcome.self)
    state.withLock { state in
      state.waiters.append(waiter)
      guard state.run == nil else { return }
      state.run = Task { self.land(await run()) }
    }
    for await outcome in outcomes { return outcome }
    return nil
  }

  /// Waits for the run that is under way, if one is, or until the task is cancelled.
  package func finish() async {
    let (outcomes, waiter) = AsyncStream.makeStream(of: Outcome.self)
    let isUnderWay = state.withLock { state in
      if state.run != nil { state.waiters.append(waiter) }
      return state.run != nil
    }
    guard isUnderWay else { return }
    for await _ in outcomes { return }
  }

  /// Cancels the run that is under way, and waits until it is over: it may come about all the same.
  package func cancel() async {
    let run = state.withLock { $0.run }
    run?.cancel()
    await run?.value
  }

  private func land(_ outcome: Outcome) {
    let waiters = state.withLock { state in
      defer { state = State() }
      return state.waiters
    }
    for waiter in waiters {
      waiter.yield(outcome)
      waiter.finish()
    }
  }
}

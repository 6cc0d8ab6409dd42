import Chat

extension Answer {
  /// An answer whose events `next` gives one by one, and nil where it breaks off; the rest of an answer's life is seen to.
  ///
  /// `next` is first called when the answer is read, and not again behind `.finished`, nil or an error. When the answer
  /// is stopped its task is cancelled, and what it then gives is left out.
  /// - Parameter state: what `next` remembers from one event to the other.
  init<State: Sendable>(
    from state: State, next: @escaping @Sendable (_ state: inout State) async throws(BackendError) -> ChatEvent?
  ) {
    let life = UnfoldingAnswer(state, next)
    self.init(next: { () async throws(BackendError) in try await life.next() }, stop: { life.stopSwitch.stop() })
  }
}

/// An answer that is made event by event.
private actor UnfoldingAnswer<State: Sendable> {
  typealias Step = @Sendable (_ state: inout State) async throws(BackendError) -> ChatEvent?

  nonisolated let stopSwitch = StopSwitch()
  private let step: Step
  /// nil behind the end.
  private var state: State?

  init(_ state: State, _ step: @escaping Step) {
    self.state = state
    self.step = step
  }

  func next() async throws(BackendError) -> ChatEvent? {
    guard let before = state else { return nil }
    state = nil
    guard !stopSwitch.isStopped else { throw .cancelled }
    // Ends before this function does.
    let work = Task { [step] in
      var state = before
      let outcome = await settled { () async throws(BackendError) in try await step(&state) }
      return (state, outcome)
    }
    let (after, outcome) = await stopSwitch.wait({ await work.value }, endedBy: { work.cancel() })
    guard !stopSwitch.isStopped else { throw .cancelled }
    guard let event = try outcome.get() else { return nil }
    if case .finished = event { return event }
    state = after
    return event
  }
}

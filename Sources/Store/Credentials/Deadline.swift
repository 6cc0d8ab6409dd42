/// A moment after which nobody waits any more, and the clock that tells whether it has come.
struct Deadline: Sendable {
  typealias Clock = @Sendable () -> ContinuousClock.Instant

  let end: ContinuousClock.Instant
  let clock: Clock

  /// - Parameter patience: from now on.
  init(in patience: Duration, on clock: @escaping Clock) {
    end = clock() + patience
    self.clock = clock
  }

  var isOver: Bool { clock() >= end }
}

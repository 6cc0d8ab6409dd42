/// The signal that ends the run, once one has come.
struct EndingSignal {
  private(set) var signal: Int32?
  private var came: ContinuousClock.Instant?

  /// What one that comes is.
  enum Wish {
    case first
    /// The first, said twice: timeout(1) signals its child and then its whole group.
    case same
    /// Another one: the run is not ending soon enough.
    case again
  }

  /// For so long another signal says the same.
  private static let moment = Duration.seconds(1)

  mutating func note(_ signal: Int32, at now: ContinuousClock.Instant) -> Wish {
    defer {
      self.signal = self.signal ?? signal
      came = came ?? now
    }
    if let came, now - came < EndingSignal.moment { return .same }
    return came == nil ? .first : .again
  }

  /// Notes what ends the run and is no wish of anybody's.
  mutating func note(_ signal: Int32) { self.signal = self.signal ?? signal }
}

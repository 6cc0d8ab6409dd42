/// When a server that says nothing is asked whether it is there, and when it counts as lost.
struct Silence {
  typealias Instant = SuspendingClock.Instant

  enum Verdict: Equatable {
    /// Nothing is to be done before then; nil for ever.
    case wait(until: Instant?)
    case ask
    case lost
  }

  struct Limits: Sendable {
    /// Seconds until it is asked, and from then until it is lost.
    var asking: Double
    var answering: Double

    init(asking: Double, answering: Double) {
      self.asking = max(asking, 0.001)
      self.answering = max(answering, 0.001)
    }

    init(_ limit: Double) { self.init(asking: limit / 2, answering: limit / 2) }
  }

  private let limits: Limits
  private var lastHeard: Instant
  private var asked: Instant?

  init(_ limits: Limits, from now: Instant) {
    self.limits = limits
    lastHeard = now
  }

  /// Something came, or nothing could, as nothing was read.
  mutating func hear(at now: Instant) {
    lastHeard = now
    asked = nil
  }

  /// Asks at most once in a silence. It is lost only when it had its time for the answer, also where the whole process
  /// stood still meanwhile.
  mutating func verdict(at now: Instant) -> Verdict {
    // Longer ones are none, and would not fit.
    guard limits.asking < 1e9, limits.answering < 1e9 else { return .wait(until: nil) }
    if let asked {
      let end = asked + .seconds(limits.answering)
      return now >= end ? .lost : .wait(until: end)
    }
    let due = lastHeard + .seconds(limits.asking)
    guard now >= due else { return .wait(until: due) }
    asked = now
    return .ask
  }
}

import Foundation

/// Time as a backend needs it; tests bring their own.
package struct TimeSource: Sendable {
  /// Seconds since some moment that stays.
  package var now: @Sendable () -> Double
  /// Waits for so many seconds, or until the task is cancelled.
  package var sleep: @Sendable (Double) async -> Void

  /// Seconds since 1970, which may jump.
  package var sinceEpoch: @Sendable () -> Double

  package init(
    now: @escaping @Sendable () -> Double, sleep: @escaping @Sendable (Double) async -> Void,
    sinceEpoch: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.sleep = sleep
    self.sinceEpoch = sinceEpoch
  }

  /// The system's clock.
  package static let system: TimeSource = {
    let start = ContinuousClock.now
    return TimeSource(
      now: { (ContinuousClock.now - start) / .seconds(1) },
      // A cancelled sleep has ended, which is all that is asked of it.
      sleep: { try? await Task.sleep(for: .seconds($0)) },
      sinceEpoch: { Date().timeIntervalSince1970 })
  }()
}

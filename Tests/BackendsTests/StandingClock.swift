import Foundation

@testable import Backends

/// A clock that stands until the test moves it.
// Sendable: all state is behind the lock.
final class StandingClock: @unchecked Sendable {
  private struct Sleeper {
    let number: Int
    let end: Double
    let waiter: CheckedContinuation<Void, Never>
  }

  private let lock = NSLock()
  private var now = 0.0
  private var lastNumber = 0
  private var sleepers: [Sleeper] = []
  private var over: Set<Double> = []

  var source: TimeSource {
    TimeSource(now: { self.lock.withLock { self.now } }, sleep: { await self.sleep($0) }, sinceEpoch: { 0 })
  }

  /// Moves it; those whose time has come go on.
  func advance(_ seconds: Double) {
    let due = lock.withLock {
      now += seconds
      let due = sleepers.filter { $0.end <= now }
      sleepers.removeAll { $0.end <= now }
      return due
    }
    for sleeper in due { sleeper.waiter.resume() }
  }

  /// Whether somebody waits who began to at this moment, for so many seconds.
  func isAwaited(for seconds: Double) -> Bool { lock.withLock { sleepers.contains { $0.end == now + seconds } } }

  /// From now on, until `stand`, waits for so many seconds are over as soon as they begin: whoever begins anew, because
  /// something came in the same moment, does not wait for ever.
  func runOut(_ seconds: Double) {
    lock.withLock { _ = over.insert(seconds) }
    advance(seconds)
  }

  func stand() { lock.withLock { over = [] } }

  private func sleep(_ seconds: Double) async {
    let number = lock.withLock {
      lastNumber += 1
      return lastNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { begin(number, seconds, $0) }
    } onCancel: {
      let cancelled = lock.withLock { () -> Sleeper? in
        guard let place = sleepers.firstIndex(where: { $0.number == number }) else { return nil }
        return sleepers.remove(at: place)
      }
      cancelled?.waiter.resume()
    }
  }

  private func begin(_ number: Int, _ seconds: Double, _ waiter: CheckedContinuation<Void, Never>) {
    let waits = lock.withLock { () -> Bool in
      guard seconds > 0, !Task.isCancelled else { return false }
      if over.contains(seconds) {
        now += seconds
        return false
      }
      sleepers.append(Sleeper(number: number, end: now + seconds, waiter: waiter))
      return true
    }
    if !waits { waiter.resume() }
  }
}

import Foundation

/// A clock that goes on when the test says so; whoever pauses waits for the test.
// Sendable: all state is behind the lock.
final class HandClock: @unchecked Sendable {
  private let lock = NSLock()
  private var now = 100.0
  private var saves: [String] = []
  private var waits: [Double] = []
  private var sleepers: [CheckedContinuation<Void, Never>] = []
  private var watchers: [(isDue: () -> Bool, watcher: CheckedContinuation<Void, Never>)] = []

  func pause(_ seconds: Double) async {
    await withCheckedContinuation { sleeper in
      change {
        waits.append(seconds)
        sleepers.append(sleeper)
      }
    }
  }

  func save(_ text: String) { change { saves.append(text) } }

  var time: Double { lock.withLock { now } }
  var saved: [String] { lock.withLock { saves } }
  var asked: [Double] { lock.withLock { waits } }

  func advance(_ seconds: Double) { lock.withLock { now += seconds } }

  /// Returns once so many pauses have begun.
  func pauses(_ count: Int) async { await until { self.waits.count >= count } }

  /// Ends the pauses.
  func wake() {
    let sleepers = lock.withLock {
      defer { self.sleepers = [] }
      return self.sleepers
    }
    for sleeper in sleepers { sleeper.resume() }
  }

  /// Ends the pauses and returns once so many saves were made.
  func end(after count: Int) async {
    wake()
    await until { self.saves.count >= count }
  }

  private func until(_ isDue: @escaping () -> Bool) async {
    await withCheckedContinuation { watcher in
      let isNow = lock.withLock {
        if !isDue() { watchers.append((isDue, watcher)) }
        return isDue()
      }
      if isNow { watcher.resume() }
    }
  }

  private func change(_ body: () -> Void) {
    let due = lock.withLock {
      body()
      let due = watchers.filter { $0.isDue() }
      watchers.removeAll { $0.isDue() }
      return due
    }
    for watcher in due { watcher.watcher.resume() }
  }
}

import Foundation

/// The switch behind `Answer.stop()`: it ends what the answer is waiting for, and stays on.
// Sendable: both fields are read and written under the lock only.
final class StopSwitch: @unchecked Sendable {
  private let lock = NSLock()
  private var isOn = false
  private var endOfWait: (@Sendable () -> Void)?

  var isStopped: Bool { lock.withLock { isOn } }

  func stop() {
    let end = lock.withLock {
      isOn = true
      return endOfWait
    }
    end?()
  }

  /// Waits for `body`; `end` is called when the switch goes on, or the task is cancelled, before it returns.
  func wait<T: Sendable>(_ body: () async -> T, endedBy end: @escaping @Sendable () -> Void) async -> T {
    let isStopped = lock.withLock {
      endOfWait = end
      return isOn
    }
    if isStopped { end() }
    defer { lock.withLock { endOfWait = nil } }
    return await withTaskCancellationHandler(operation: body, onCancel: stop)
  }

  /// Waits for so many seconds, or less when the switch goes on.
  func pause(_ seconds: Double, on clock: TimeSource) async {
    let pause = Task { await clock.sleep(seconds) }
    await wait({ await pause.value }, endedBy: { pause.cancel() })
  }
}

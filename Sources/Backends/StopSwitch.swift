import Waiting

/// The switch behind `Answer.stop()`: it ends what the answer is waiting for, and stays on.
final class StopSwitch: Sendable {
  private struct State {
    var isOn = false
    var endOfWait: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  var isStopped: Bool { state.withLock { $0.isOn } }

  func stop() {
    let end = state.withLock { state in
      state.isOn = true
      return state.endOfWait
    }
    end?()
  }

  /// Waits for `body`; `end` is called when the switch goes on, or the task is cancelled, before it returns.
  func wait<T: Sendable>(_ body: () async -> T, endedBy end: @escaping @Sendable () -> Void) async -> T {
    let isStopped = state.withLock { state in
      state.endOfWait = end
      return state.isOn
    }
    if isStopped { end() }
    defer { state.withLock { $0.endOfWait = nil } }
    return await withTaskCancellationHandler(operation: body, onCancel: stop)
  }

  /// Waits for so many seconds, or less when the switch goes on.
  func pause(_ seconds: Double, on clock: TimeSource) async {
    let pause = Task { await clock.sleep(seconds) }
    await wait({ await pause.value }, endedBy: { pause.cancel() })
  }
}

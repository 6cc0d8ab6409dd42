import Text
import Waiting

/// The passing line before the first token: what is waited for, and for how many seconds.
///
/// A class, since its ticks come from a task of its own, which ends with `stop()`.
final class WaitingIndicator: Sendable {
  private let line: Locked<Line>
  let ticks: Task<Void, Never>?

  private struct Line {
    let terminal: any Terminal
    var isShowing = true
    var reason: SafeText?

    func show(_ text: SafeText) {
      if isShowing { terminal.status(.text(text, .dim)) }
    }

    mutating func end() {
      guard isShowing else { return }
      isShowing = false
      terminal.status(nil)
    }
  }

  /// Shows nothing for the first moment, so that a quick answer does not flicker.
  ///
  /// - Parameter pause: returns after so many seconds, or when its task is cancelled.
  init(
    on terminal: any Terminal, uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async -> Void
  ) {
    let line = Locked(Line(terminal: terminal))
    self.line = line
    guard terminal.traits.noticesAreTerminal else {
      ticks = nil
      return
    }
    let began = uptime()
    // Owned by the indicator: `stop()` ends it, or the end of the indicator.
    ticks = Task {
      while true {
        await pause(0.25)
        if Task.isCancelled { return }
        let seconds = Int(uptime() - began)
        line.withLock { $0.show($0.reason ?? (seconds == 0 ? "waiting" : "waiting \(seconds) s")) }
      }
    }
  }

  deinit { ticks?.cancel() }

  /// Says why, in place of `waiting`.
  func explain(_ reason: SafeText?) {
    line.withLock { line in
      line.reason = reason
      if let reason { line.show(reason) }
    }
  }

  /// Takes the line away; nothing is shown afterwards.
  func stop() {
    ticks?.cancel()
    line.withLock { $0.end() }
  }
}

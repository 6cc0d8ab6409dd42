import Foundation
import Text

/// The passing line before the first token: what is waited for, and for how many seconds.
///
/// A class behind a lock because its ticks come from a task of its own, which ends with `stop()`.
final class WaitingIndicator: @unchecked Sendable {  // all state is behind the lock
  private let terminal: any Terminal
  private let lock = NSLock()
  private var isShowing = true
  private var reason: SafeText?
  private var ticks: Task<Void, Never>?

  /// Shows nothing for the first moment, so that a quick answer does not flicker.
  init(on terminal: any Terminal, uptime: @escaping @Sendable () -> Double) {
    self.terminal = terminal
    guard terminal.traits.noticesAreTerminal else { return }
    let began = uptime()
    // Owned by the indicator: `stop()` ends it.
    ticks = Task { [weak self] in
      while !Task.isCancelled {
        guard (try? await Task.sleep(for: .milliseconds(250))) != nil else { return }  // only cancellation throws
        self?.show(seconds: Int(uptime() - began))
      }
    }
  }

  /// Says why, in place of `waiting`.
  func explain(_ reason: SafeText?) {
    lock.withLock { self.reason = reason }
    if let reason { show(reason) }
  }

  /// Takes the line away; nothing is shown afterwards.
  func stop() {
    ticks?.cancel()
    lock.withLock {
      guard isShowing else { return }
      isShowing = false
      terminal.status(nil)
    }
  }

  private func show(seconds: Int) {
    lock.withLock {
      guard isShowing else { return }
      terminal.status(.text(reason ?? (seconds == 0 ? "waiting" : "waiting \(seconds) s"), .dim))
    }
  }

  private func show(_ text: SafeText) {
    lock.withLock {
      if isShowing { terminal.status(.text(text, .dim)) }
    }
  }
}

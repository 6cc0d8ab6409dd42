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
  private(set) var ticks: Task<Void, Never>?

  /// Shows nothing for the first moment, so that a quick answer does not flicker.
  ///
  /// - Parameter pause: returns after so many seconds, and throws when its task is cancelled.
  init(
    on terminal: any Terminal, uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  ) {
    self.terminal = terminal
    guard terminal.traits.noticesAreTerminal else { return }
    let began = uptime()
    // Owned by the indicator: `stop()` ends it, or the end of the indicator.
    ticks = Task { [weak self] in
      while (try? await pause(0.25)) != nil {  // only cancellation throws
        guard let self else { return }
        self.show(seconds: Int(uptime() - began))
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

import Text
import Waiting

/// The passing line before the first token: what is waited for, for how many seconds, and how to stop. Where nothing is
/// redrawn it is stated, once (docs/screen.md 9).
///
/// A class, since its ticks come from a task of its own, which ends with `stop()`.
final class WaitingIndicator: Sendable {
  private let line: Locked<Line>
  let ticks: Task<Void, Never>?

  private struct Line {
    let terminal: any Terminal
    let subject: SafeText
    let request: WatchedRequest?
    let uptime: @Sendable () -> Double
    let began: Double
    var isShowing = true
    var reason: SafeText?
    /// Until when the reason holds that says itself how long it is.
    var timedEnd: Double?
    var turns = 0

    mutating func show() {
      guard isShowing else { return }
      let seconds = uptime() - began
      if let end = timedEnd, uptime() >= end { (reason, timedEnd) = (nil, nil) }
      let isTimed = timedEnd != nil
      let traits = terminal.traits
      let sign = TurningSign.sign(turns, showsSigns: traits.showsSigns) + " "
      let text = sign + words + (isTimed || seconds < 1 ? "" : " \(Int(seconds)) s")
      terminal.status(.text(TurningSign.withHint(text, after: seconds, columns: traits.columns), .dim))
    }

    var words: SafeText { reason ?? request?.words(terminal.traits) ?? subject }

    mutating func state() {
      guard isShowing else { return }
      terminal.write(.text(words + "\n", .dim), to: .notices)
    }

    mutating func end() {
      guard isShowing else { return }
      isShowing = false
      terminal.status(nil)
    }
  }

  /// Shows nothing for the first moment, so that a quick answer does not flicker.
  ///
  /// - Parameters:
  ///   - subject: what is waited for, such as `waiting for smol`.
  ///   - request: what goes before that.
  ///   - isQuiet: whether nothing is to be stated.
  ///   - pause: returns after so many seconds, or when its task is cancelled.
  init(
    on terminal: any Terminal, for subject: SafeText = "waiting", request: WatchedRequest? = nil, isQuiet: Bool = false,
    uptime: @escaping @Sendable () -> Double, pause: @escaping @Sendable (_ seconds: Double) async -> Void
  ) {
    let line = Locked(
      Line(terminal: terminal, subject: subject, request: request, uptime: uptime, began: uptime()))
    self.line = line
    let redraws = terminal.traits.redraws
    guard terminal.traits.noticesAreTerminal, redraws || !isQuiet else {
      ticks = nil
      return
    }
    // Owned by the indicator: `stop()` ends it, or the end of the indicator.
    ticks = Task {
      await pause(redraws ? 0.25 : Self.longWait)
      while !Task.isCancelled {
        guard redraws else { return line.withLock { $0.state() } }
        line.withLock { line in
          line.turns += 1
          line.show()
        }
        await pause(0.1)
      }
    }
  }

  deinit { ticks?.cancel() }

  /// Within which the next second of a count is told.
  private static let longestSecond = 1.5

  /// Seconds after which a wait is worth a line.
  private static let longWait = 4.0

  /// Says why, in place of what is waited for.
  /// - Parameter isTimed: whether that counts its own seconds down, and is no longer true when the next is not told.
  func explain(_ reason: SafeText?, isTimed: Bool = false) {
    line.withLock { line in
      line.reason = reason
      line.timedEnd = isTimed ? line.uptime() + Self.longestSecond : nil
      guard reason != nil else { return }
      line.turns = 0
      line.show()
    }
  }

  /// Takes the line away; nothing is shown afterwards.
  func stop() {
    ticks?.cancel()
    line.withLock { $0.end() }
  }
}

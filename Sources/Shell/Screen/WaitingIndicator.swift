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
    var isShowing = true
    var reason: SafeText?
    /// Whether the reason says itself how long it is.
    var isTimed = false
    var turns = 0

    func show(after seconds: Double) {
      guard isShowing else { return }
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
    let line = Locked(Line(terminal: terminal, subject: subject, request: request))
    self.line = line
    let redraws = terminal.traits.redraws
    guard terminal.traits.noticesAreTerminal, redraws || !isQuiet else {
      ticks = nil
      return
    }
    let began = uptime()
    // Owned by the indicator: `stop()` ends it, or the end of the indicator.
    ticks = Task {
      await pause(redraws ? 0.25 : Self.longWait)
      while !Task.isCancelled {
        let seconds = uptime() - began
        guard redraws else { return line.withLock { $0.state() } }
        line.withLock { line in
          line.turns += 1
          line.show(after: seconds)
        }
        await pause(0.1)
      }
    }
  }

  deinit { ticks?.cancel() }

  /// Seconds after which a wait is worth a line.
  private static let longWait = 4.0

  /// Says why, in place of what is waited for.
  /// - Parameter isTimed: whether that has its own seconds.
  func explain(_ reason: SafeText?, isTimed: Bool = false) {
    line.withLock { line in
      line.reason = reason
      line.isTimed = isTimed
      guard reason != nil else { return }
      line.turns = 0
      line.show(after: 0)
    }
  }

  /// Takes the line away; nothing is shown afterwards.
  func stop() {
    ticks?.cancel()
    line.withLock { $0.end() }
  }
}

/// What tells that something is under way.
enum TurningSign {
  static func sign(_ turns: Int, showsSigns: Bool) -> SafeText {
    let signs: [SafeText] = showsSigns ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
    return signs[turns % signs.count]
  }

  /// How to stop, once it lasts and where there is room.
  static func withHint(_ text: SafeText, after seconds: Double, columns: Int) -> SafeText {
    let hint: SafeText = ", Ctrl-C stops"
    guard seconds >= 2, !text.string.contains("Ctrl-C"), text.cells + hint.cells < columns else { return text }
    return text + hint
  }
}

import Text
import Waiting

/// A job of many steps: how far it is stands on a passing line, and Ctrl-C at a prompt ends it between two of them.
///
/// A class, since what it shows ends with it.
final class LongJob {
  private let desk: Desk
  private let subject: SafeText
  private let total: Int?
  private let waiting: WaitingIndicator
  private let isStopped = Locked(false)
  private var done = 0
  private var toldAt: Double

  /// Seconds between two looks at how far it is.
  private static let pause = 0.2

  /// - Parameters:
  ///   - subject: what is done to one after the other, such as `writing session`.
  ///   - total: how many there are, where that is known.
  init(_ subject: SafeText, of total: Int? = nil, _ desk: Desk) {
    self.desk = desk
    self.subject = subject
    self.total = total
    toldAt = desk.world.uptime()
    waiting = desk.waiting(for: subject)
    // Without a prompt Ctrl-C ends the run, wherever it is.
    guard desk.options.isInteractive else { return }
    desk.world.terminal.whenInterrupted { [isStopped] _ in isStopped.withLock { $0 = true } }
  }

  /// Before each step. Throws `interrupted`.
  func begin() throws(ShellError) {
    if isStopped.withLock({ $0 }) { throw .interrupted }
    done += 1
    guard desk.world.uptime() - toldAt >= Self.pause else { return }
    toldAt = desk.world.uptime()
    let traits = desk.world.terminal.traits
    var words: SafeText = "\(subject) \(done)"
    if let total, total > 0 {
      words += " of \(total)"
      // Seconds and a sign stand on the line too.
      let room = min(24, traits.columns - words.cells - 20)
      let share = Double(done - 1) / Double(total)
      if room > 4, desk.barSign != nil { words += " " + Bar.filled(share, width: room, showsSigns: traits.showsSigns) }
    }
    waiting.explain(words)
  }

  func end() {
    waiting.stop()
    if desk.options.isInteractive { desk.world.terminal.whenInterrupted(nil) }
  }
}

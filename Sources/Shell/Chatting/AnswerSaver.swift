import Chat
import Foundation
import Store

/// Hands the growing answer to the history at most once a second, and never later than a second after it grew. The first
/// time is a moment after it began: an answer that is done by then is saved once, by whoever ends it.
///
/// A class behind a lock because a timer saves what came just before a silence.
final class AnswerSaver: @unchecked Sendable {  // all state is behind the lock
  private let save: @Sendable (_ text: String, _ reasoning: String) -> Void
  private let pause: @Sendable (_ seconds: Double) async throws -> Void
  private let uptime: @Sendable () -> Double
  private let lock = NSLock()
  private var text: String
  private var reasoning: String
  /// When it was last saved, from which the next save is reckoned; before the first one a moment that makes that due soon,
  /// and nil before the answer began.
  private var savedAt: Double?
  private var timer: Task<Void, Never>?

  /// In seconds.
  private static let firstPause = 0.25

  /// - Parameter pause: returns after so many seconds, and throws when its task is cancelled.
  init(
    continuing earlier: StoredAnswer?, uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
    save: @escaping @Sendable (_ text: String, _ reasoning: String) -> Void
  ) {
    text = earlier?.text ?? ""
    reasoning = earlier?.reasoning ?? ""
    self.uptime = uptime
    self.pause = pause
    self.save = save
  }

  func grow(_ event: ChatEvent) {
    lock.withLock {
      switch event {
      case .text(let piece): text += piece
      case .reasoning(let piece): reasoning += piece
      default: return
      }
      let now = uptime()
      let last = savedAt ?? now + AnswerSaver.firstPause - 1
      savedAt = last
      let due = last + 1 - now
      if due <= 0 {
        timer?.cancel()
        timer = nil
        saveNow()
      } else if timer == nil {
        // Owned by the saver: `stop()` ends it.
        timer = Task { [weak self, pause] in
          guard (try? await pause(due)) != nil else { return }  // only cancellation throws
          self?.timerFired()
        }
      }
    }
  }

  /// What waits to save, if anything does.
  var pendingSave: Task<Void, Never>? { lock.withLock { timer } }

  /// The answer's end is saved by another call; nothing is saved here any more.
  func stop() {
    lock.withLock {
      timer?.cancel()
      timer = nil
    }
  }

  /// What came so far became a round with tools: another answer begins.
  func startOver() {
    stop()
    lock.withLock {
      text = ""
      reasoning = ""
      savedAt = nil
    }
  }

  private func timerFired() {
    lock.withLock {
      if timer != nil { saveNow() }
      timer = nil
    }
  }

  private func saveNow() {
    savedAt = uptime()
    save(text, reasoning)
  }
}

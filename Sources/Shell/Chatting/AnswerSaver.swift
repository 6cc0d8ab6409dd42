import Chat
import Foundation
import Store

/// Hands the growing answer to the history at most once a second, and never later than a second after it grew.
///
/// A class behind a lock because a timer saves what came just before a silence.
final class AnswerSaver: @unchecked Sendable {  // all state is behind the lock
  private let save: @Sendable (_ text: String, _ reasoning: String) -> Void
  private let uptime: @Sendable () -> Double
  private let lock = NSLock()
  private var text: String
  private var reasoning: String
  private var savedAt = -Double.infinity
  private var timer: Task<Void, Never>?

  init(
    continuing earlier: StoredAnswer?, uptime: @escaping @Sendable () -> Double,
    save: @escaping @Sendable (_ text: String, _ reasoning: String) -> Void
  ) {
    text = earlier?.text ?? ""
    reasoning = earlier?.reasoning ?? ""
    self.uptime = uptime
    self.save = save
  }

  func grow(_ event: ChatEvent) {
    lock.withLock {
      switch event {
      case .text(let piece): text += piece
      case .reasoning(let piece): reasoning += piece
      default: return
      }
      let due = savedAt + 1 - uptime()
      if due <= 0 {
        saveNow()
      } else if timer == nil {
        // Owned by the saver: `stop()` ends it.
        timer = Task { [weak self] in
          guard (try? await Task.sleep(for: .seconds(due))) != nil else { return }  // only cancellation throws
          self?.timerFired()
        }
      }
    }
  }

  /// The answer's end is saved by another call; nothing is saved here any more.
  func stop() {
    lock.withLock {
      timer?.cancel()
      timer = nil
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

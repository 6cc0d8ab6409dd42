import Chat
import Store
import Waiting

/// Hands the growing answer to the history at most once a second, and never later than a second after it grew. The first
/// time is a moment after it began: an answer that is done by then is saved once, by whoever ends it.
///
/// A class, since a timer saves what came just before a silence.
final class AnswerSaver: Sendable {
  private let save: @Sendable (_ text: String, _ reasoning: String) -> Void
  private let pause: @Sendable (_ seconds: Double) async throws -> Void
  private let uptime: @Sendable () -> Double
  private let state: Locked<State>

  private struct State {
    var text: String
    var reasoning: String
    /// When it was last saved, from which the next save is reckoned; before the first one a moment that makes that due
    /// soon, and nil before the answer began.
    var savedAt: Double?
    var timer: Task<Void, Never>?
  }

  /// In seconds.
  private static let firstPause = 0.25

  /// - Parameter pause: returns after so many seconds, and throws when its task is cancelled.
  init(
    continuing earlier: StoredAnswer?, uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
    save: @escaping @Sendable (_ text: String, _ reasoning: String) -> Void
  ) {
    state = Locked(State(text: earlier?.text ?? "", reasoning: earlier?.reasoning ?? ""))
    self.uptime = uptime
    self.pause = pause
    self.save = save
  }

  func grow(_ event: ChatEvent) {
    state.withLock { state in
      switch event {
      case .text(let piece): state.text += piece
      case .reasoning(let piece): state.reasoning += piece
      default: return
      }
      let now = uptime()
      let last = state.savedAt ?? now + AnswerSaver.firstPause - 1
      state.savedAt = last
      let due = last + 1 - now
      if due <= 0 {
        state.timer?.cancel()
        state.timer = nil
        save(&state)
      } else if state.timer == nil {
        // Owned by the saver: `stop()` ends it.
        state.timer = Task { [weak self, pause] in
          guard (try? await pause(due)) != nil else { return }  // only cancellation throws
          self?.timerFired()
        }
      }
    }
  }

  /// What waits to save, if anything does.
  var pendingSave: Task<Void, Never>? { state.withLock { $0.timer } }

  /// The answer's end is saved by another call; nothing is saved here any more.
  func stop() {
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
    }
  }

  /// What came so far became a round with tools: another answer begins.
  func startOver() {
    stop()
    state.withLock { $0 = State(text: "", reasoning: "") }
  }

  private func timerFired() {
    state.withLock { state in
      if state.timer != nil { save(&state) }
      state.timer = nil
    }
  }

  private func save(_ state: inout State) {
    state.savedAt = uptime()
    save(state.text, state.reasoning)
  }
}

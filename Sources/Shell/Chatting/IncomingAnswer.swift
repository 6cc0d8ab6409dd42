import Chat
import Store
import Waiting

/// Owns an answer while it comes: folds its events, and hands what there is of it to the history at most once a second,
/// and never later than a second after it grew. The first time is a moment after it began: an answer that is done by
/// then is saved once, by whoever ends it.
///
/// A class, since a timer saves what came just before a silence.
final class IncomingAnswer: Sendable {
  private let save: (@Sendable (_ text: String, _ reasoning: String) -> Void)?
  private let pause: @Sendable (_ seconds: Double) async -> Void
  private let uptime: @Sendable () -> Double
  private let state: Locked<State>

  private struct State {
    var answer: GrowingAnswer
    /// When it was last saved, from which the next save is reckoned; before the first one a moment that makes that due
    /// soon, and nil before the answer began.
    var savedAt: Double?
    var timer: Task<Void, Never>?
  }

  /// In seconds.
  private static let firstPause = 0.25

  /// - Parameters:
  ///   - pause: returns after so many seconds, or when its task is cancelled.
  ///   - save: nil when it is kept nowhere.
  init(
    _ answer: GrowingAnswer, uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async -> Void,
    save: (@Sendable (_ text: String, _ reasoning: String) -> Void)?
  ) {
    state = Locked(State(answer: answer))
    self.uptime = uptime
    self.pause = pause
    self.save = save
  }

  func absorb(_ event: ChatEvent) {
    let now = uptime()
    state.withLock { state in
      state.answer.absorb(event, at: now)
      guard let save, event.isGrowth else { return }
      let last = state.savedAt ?? now + IncomingAnswer.firstPause - 1
      state.savedAt = last
      let due = last + 1 - now
      if due <= 0 {
        state.timer?.cancel()
        state.timer = nil
        state.savedAt = now
        save(state.answer.text, state.answer.reasoning)
      } else if state.timer == nil {
        // Owned by this answer: `end()` stops it.
        state.timer = Task { [weak self, pause] in
          await pause(due)
          self?.timerFired()
        }
      }
    }
  }

  /// What has come becomes a step of the turn, which its owner keeps.
  func takeStep() -> (text: String, reasoning: String) {
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      return state.answer.takeStep()
    }
  }

  /// What waits to save, if anything does.
  var pendingSave: Task<Void, Never>? { state.withLock { $0.timer } }

  /// The answer, of which nothing more comes; nothing is saved here any more, for its end is saved by another call.
  func end() -> GrowingAnswer {
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      return state.answer
    }
  }

  private func timerFired() {
    let now = uptime()
    state.withLock { state in
      // One that was cancelled as its pause ended is not to save in the next one's place.
      guard !Task.isCancelled, state.timer != nil else { return }
      state.timer = nil
      state.savedAt = now
      save?(state.answer.text, state.answer.reasoning)
    }
  }
}

extension ChatEvent {
  /// Whether there is more of the answer than before.
  fileprivate var isGrowth: Bool {
    switch self {
    case .text, .reasoning, .revised: true
    case .started, .usage, .toolCall, .toolCallComing, .notice, .finished, .conversation, .named, .activity, .question,
      .title:
      false
    }
  }
}

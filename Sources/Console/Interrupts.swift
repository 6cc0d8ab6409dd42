import Shell

/// What Ctrl-C does while no line is typed: it is told to the action that is set, waits a moment for the next one where a
/// person sits at the terminal, and leaves when the action refuses to stop. A person's second is told too: an agent that was
/// asked to stop and does not gives the prompt back by it (docs/acp.md 4); a third leaves.
struct Interrupts {
  typealias Action = @Sendable (Interruption) -> Void

  enum Effect { case act(Action), leave, wait }

  /// For this long a second Ctrl-C means the one before, and one without an action waits for the next.
  private static let window = Duration.seconds(1)

  /// Programs such as timeout(1) signal their child and then its whole group: where nobody sits at a terminal, what comes
  /// that soon is the same wish.
  private static let moment = Duration.milliseconds(100)

  let isInteractive: Bool
  private(set) var action: Action?
  /// When the action was last told of a Ctrl-C.
  private var told: ContinuousClock.Instant?
  /// How often it was told, each time within the window of the one before.
  private var count = 0
  /// When a child ended that had the terminal: its Ctrl-C was ours too, and on a busy machine reaches us after its end.
  private var childEnded: ContinuousClock.Instant?
  /// When Ctrl-C came while nothing could be stopped.
  private var waiting: ContinuousClock.Instant?

  init(isInteractive: Bool) { self.isInteractive = isInteractive }

  mutating func press(at now: ContinuousClock.Instant) -> Effect {
    guard let action else {
      if isOfChild(at: now) { return .wait }
      waiting = now
      return isInteractive ? .wait : .leave
    }
    if let told, now - told < Self.window {
      if !isInteractive { return now - told < Self.moment ? .wait : .leave }
      if count > 1 { return .leave }
    } else {
      count = 0
    }
    told = now
    count += 1
    return .act(action)
  }

  /// Sets the action, with nothing counted against it; true when a Ctrl-C has waited for it.
  mutating func set(_ action: Action?, at now: ContinuousClock.Instant) -> Bool {
    self.action = action
    (told, count) = (nil, 0)
    guard action != nil, let pressed = waiting else { return false }
    waiting = nil
    guard now - pressed < Self.window else { return false }
    (told, count) = (pressed, 1)
    return true
  }

  mutating func endChild(at now: ContinuousClock.Instant) { childEnded = now }

  /// Whether an interrupt that comes now, while nothing can be stopped, was meant for a child that has just ended. At
  /// the prompt a typed Ctrl-C is a key and no signal, so none of a person's is lost.
  func isOfChild(at now: ContinuousClock.Instant) -> Bool {
    childEnded.map { now - $0 < Self.window } ?? false
  }

  /// A line is about to be read; true when a Ctrl-C has waited that is its answer. What was pressed in the middle of
  /// something is meant for all of it, and so for a question in it, however late that comes; the prompt is the end of it.
  mutating func takeWaiting(isForQuestion: Bool) -> Bool {
    defer { waiting = nil }
    return isForQuestion && waiting != nil
  }
}

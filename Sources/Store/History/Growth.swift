import Waiting

/// Answers that are being written and not yet saved. Only the newest state of each is kept.
final class Growth: Sendable {
  struct Snapshot {
    var text: String
    var reasoning: String
  }

  private let waiting = Locked<[TurnID: Snapshot]>([:])

  /// True when the caller must see to the saving; false when an earlier caller's saving is still to come.
  func put(_ snapshot: Snapshot, for turn: TurnID) -> Bool {
    waiting.withLock { $0.updateValue(snapshot, forKey: turn) == nil }
  }

  func take(_ turn: TurnID) -> Snapshot? { waiting.withLock { $0.removeValue(forKey: turn) } }
}

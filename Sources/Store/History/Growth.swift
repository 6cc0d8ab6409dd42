import Foundation

/// Answers that are being written and not yet saved. Only the newest state of each is kept.
// The lock guards `waiting`.
final class Growth: @unchecked Sendable {
  struct Snapshot {
    var text: String
    var reasoning: String
  }

  private let lock = NSLock()
  private var waiting: [TurnID: Snapshot] = [:]

  /// True when the caller must see to the saving; false when an earlier caller's saving is still to come.
  func put(_ snapshot: Snapshot, for turn: TurnID) -> Bool {
    lock.withLock { waiting.updateValue(snapshot, forKey: turn) == nil }
  }

  func take(_ turn: TurnID) -> Snapshot? { lock.withLock { waiting.removeValue(forKey: turn) } }
}

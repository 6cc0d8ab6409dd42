import Waiting

/// How often a server said that its list of tools is another.
final class ChangeCount: Sendable {
  private let changes = Locked(0)

  var count: Int { changes.withLock { $0 } }
  func add() { changes.withLock { $0 += 1 } }
}

import Foundation

/// How often a server said that its list of tools is another.
// Sendable: the count is read and written under the lock only.
final class ChangeCount: @unchecked Sendable {
  private let lock = NSLock()
  private var changes = 0

  var count: Int { lock.withLock { changes } }
  func add() { lock.withLock { changes += 1 } }
}

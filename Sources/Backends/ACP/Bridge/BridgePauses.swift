/// How long to wait before each try to connect again, in seconds (docs/acp.md 10).
struct BridgePauses: Sendable {
  private static let all = [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
  /// A connection that has stood so long was a good one.
  private static let goodAge = 60.0

  private var place = 0
  private var connectedAt: Double?

  /// nil when there were enough. A bridge that greets and hangs up is not tried without end.
  mutating func next(at now: Double) -> Double? {
    if let at = connectedAt {
      if now - at >= BridgePauses.goodAge { place = 0 }
      connectedAt = nil
    }
    guard place < BridgePauses.all.count else { return nil }
    defer { place += 1 }
    return BridgePauses.all[place]
  }

  mutating func noteConnection(at now: Double) { connectedAt = now }
}

import Wire

/// What the agent was answered of late: the connection may have been lost before it got that.
struct BridgeAnswers: Sendable {
  private var sent: [(message: JSONRPCMessage, at: Double)] = []

  /// false for what is no answer.
  mutating func note(_ message: JSONRPCMessage, at now: Double) -> Bool {
    switch message {
    case .response, .error: break
    case .request, .notification: return false
    }
    sent.append((message, now))
    if sent.count > 16 { sent.removeFirst() }
    return true
  }

  /// Those that a connection which was lost now may have lost.
  func unproven(at now: Double) -> [JSONRPCMessage] { sent.filter { now - $0.at < 300 }.map(\.message) }
}

/// How long to wait before each try to connect again, in seconds.
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

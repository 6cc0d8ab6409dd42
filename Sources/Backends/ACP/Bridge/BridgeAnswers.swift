import Wire

/// What the agent was answered of late: the connection may have been lost before it got that.
struct BridgeAnswers: Sendable {
  private static let countLimit = 48
  /// Seconds after which one that was sent has arrived.
  private static let doubtfulAge = 300.0

  private struct Entry {
    var message: JSONRPCMessage
    var at: Double
    var isSent: Bool
  }

  private var entries: [Entry] = []

  /// - Parameter isSent: whether it has left, as far as anybody knows.
  /// - Returns: false for what is no answer.
  mutating func note(_ message: JSONRPCMessage, at now: Double, isSent: Bool) -> Bool {
    switch message {
    case .response, .error: break
    case .request, .notification: return false
    }
    entries.append(Entry(message: message, at: now, isSent: isSent))
    if entries.count > BridgeAnswers.countLimit { entries.removeFirst() }
    return true
  }

  /// Those that never left, and of those that did the ones which a connection that was lost now may have lost.
  mutating func owed(at now: Double, andUnproven: Bool) -> [JSONRPCMessage] {
    let owed = entries.indices.filter { place in
      let entry = entries[place]
      return !entry.isSent || andUnproven && now - entry.at < BridgeAnswers.doubtfulAge
    }
    for place in owed { entries[place].isSent = true }
    return owed.map { entries[$0].message }
  }
}

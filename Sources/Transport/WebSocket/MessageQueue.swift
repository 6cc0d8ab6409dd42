/// Messages that wait for somebody, and how much memory they take.
struct MessageQueue: Sendable {
  /// What a message costs besides its bytes, so that a flood of empty ones has a bound too.
  private static let overhead = 64

  private var messages: [[UInt8]] = []
  /// How many of them are gone.
  private var taken = 0
  /// In bytes.
  private(set) var size = 0

  var isEmpty: Bool { taken == messages.count }

  mutating func append(_ message: [UInt8]) {
    messages.append(message)
    size += message.count + Self.overhead
  }

  mutating func take() -> [UInt8]? {
    guard !isEmpty else { return nil }
    var message: [UInt8] = []
    swap(&message, &messages[taken])
    taken += 1
    size -= message.count + Self.overhead
    // Each is moved once at most.
    if taken > messages.count / 2 {
      messages.removeFirst(taken)
      taken = 0
    }
    return message
  }
}

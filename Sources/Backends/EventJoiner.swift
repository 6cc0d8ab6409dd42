import Chat
import Wire

/// Collects the pieces of an answer and joins neighbours of the same kind, so that a screen has less to do than a
/// server. A character cut between pieces is put together again.
struct EventJoiner {
  enum Channel { case text, reasoning }

  private var events: [ChatEvent] = []
  private var pending: [UInt8] = []
  private var channel = Channel.text

  /// More of the answer: `write` appends its bytes.
  mutating func add<Failure>(
    to channel: Channel, _ write: (inout [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    if channel != self.channel {
      flush()
      self.channel = channel
    }
    try write(&pending)
  }

  mutating func add(_ bytes: some Sequence<UInt8>, to channel: Channel) {
    add(to: channel) { $0.append(contentsOf: bytes) }
  }

  mutating func add(_ event: ChatEvent) {
    flush()
    events.append(event)
  }

  /// What has come so far, but for the start of a character whose end is still to come.
  mutating func take() -> [ChatEvent] {
    emit(upTo: pending.count - pending.countOfCutCharacter)
    defer { events.removeAll(keepingCapacity: true) }
    return events
  }

  /// Ends the piece that is being joined.
  mutating func flush() { emit(upTo: pending.count) }

  private mutating func emit(upTo end: Int) {
    guard end > 0 else { return }
    let text = String(decoding: pending[..<end], as: UTF8.self).joiningHalves
    pending.removeSubrange(..<end)
    events.append(channel == .text ? .text(text) : .reasoning(text))
  }
}

extension [UInt8] {
  /// How many bytes at the end begin a character and do not complete it.
  fileprivate var countOfCutCharacter: Int {
    if countOfFirstHalf > 0 { return countOfFirstHalf }
    for (back, byte) in suffix(3).reversed().enumerated() {
      switch byte {
      case 0x80...0xBF: continue
      case 0xC2...0xDF: return back < 1 ? back + 1 : 0
      case 0xE0...0xEF: return back < 2 ? back + 1 : 0
      case 0xF0...0xF4: return back < 3 ? back + 1 : 0
      default: return 0
      }
    }
    return 0
  }
}

/// The end of what a command has written, as UTF-8: a ring, whose memory does not grow with what comes
/// (docs/rules.md A7). Which bytes came together makes no difference.
struct CommandText {
  /// The bytes that are handed out as the output.
  let limit: Int
  /// How many bytes came in all.
  private(set) var count = 0
  /// How many bytes are kept: also of a command with a small limit enough to show it live.
  private let room: Int
  private var ring: [UInt8] = []
  /// The beginning of a character, whose rest has not come.
  private var unfinished: [UInt8] = []

  init(limit: Int) {
    self.limit = limit
    room = max(limit, 64 << 10)
  }

  var isTruncated: Bool { count > limit }

  /// The end of it within the limit.
  var output: String { text(since: max(0, count - limit)) }

  /// What came after so many bytes; less, from a character on, when not all of it is kept.
  func text(since start: Int) -> String {
    let start = max(start, count - ring.count)
    guard start < count else { return "" }
    // It was put in at these places, and goes around at the end.
    let (first, end) = (start % room, (count - 1) % room + 1)
    let bytes = first < end ? ring[first..<end] : ring[first...] + ring[..<end]
    return String(decoding: bytes.drop { $0 & 0xC0 == 0x80 }, as: UTF8.self)
  }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    let all = unfinished + bytes
    let rest = CommandText.unfinished(all)
    unfinished = Array(all.suffix(rest))
    put(String(decoding: all.dropLast(rest), as: UTF8.self))
  }

  /// No more comes: what has begun is broken.
  mutating func finish() {
    put(String(decoding: unfinished, as: UTF8.self))
    unfinished = []
  }

  private mutating func put(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let place = count % room
      let part = rest.prefix(room - place)
      if ring.count < room { ring += part } else { ring.replaceSubrange(place..<place + part.count, with: part) }
      count += part.count
      rest = rest.dropFirst(part.count)
    }
  }

  /// How many bytes at the end may be the beginning of a character.
  private static func unfinished(_ bytes: [UInt8]) -> Int {
    for (index, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
      let length = byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 1
      return length > index + 1 ? index + 1 : 0
    }
    return 0
  }
}

/// What of a terminal's output was handed out, so that what a server repeats of it is not shown twice.
struct ShownOutput {
  /// Bytes of it that are kept; as much as a server repeats.
  private static let limit = 4 << 20
  private var tail: [UInt8] = []
  private var isCut = false

  mutating func add(_ bytes: [UInt8]) {
    tail += bytes
    // Cut rarely: each cut moves all that stays.
    guard tail.count > 2 * ShownOutput.limit else { return }
    tail.removeFirst(tail.count - ShownOutput.limit)
    isCut = true
  }

  /// Its last bytes.
  func last(_ count: Int) -> [UInt8] { Array(tail.suffix(count)) }

  /// What of a replay comes behind what was shown. A replay is the end of all that a terminal has said so far, and begins no
  /// earlier than the one before: so its beginning is an end of what was shown, the longest of several, or all of it is new.
  /// Where it is longer than what is kept of that, that is somewhere in it. Nothing is shown twice; of a text that repeats
  /// itself without end a part may be missed.
  func new(in replay: [UInt8]) -> ArraySlice<UInt8> {
    if tail.isEmpty { return replay[...] }
    if isCut, tail.count < replay.count, let end = ShownOutput.lastEnd(of: tail[...], in: replay) {
      return replay[end...]
    }
    return replay[ShownOutput.overlap(of: tail[...], with: replay)...]
  }

  /// Where the last occurrence ends.
  private static func lastEnd(of pattern: ArraySlice<UInt8>, in text: [UInt8]) -> Int? {
    let pattern = Array(pattern)
    let failures = borders(of: pattern)
    var matched = 0
    var end: Int?
    for (index, byte) in text.enumerated() {
      while matched > 0, matched == pattern.count || pattern[matched] != byte { matched = Int(failures[matched - 1]) }
      if pattern[matched] == byte { matched += 1 }
      if matched == pattern.count { end = index + 1 }
    }
    return end
  }

  /// How many bytes at the end of the one are the beginning of the other.
  private static func overlap(of shown: ArraySlice<UInt8>, with replay: [UInt8]) -> Int {
    guard !replay.isEmpty else { return 0 }
    let failures = borders(of: replay)
    var matched = 0
    for byte in shown.suffix(replay.count) {
      while matched > 0, matched == replay.count || replay[matched] != byte { matched = Int(failures[matched - 1]) }
      if replay[matched] == byte { matched += 1 }
    }
    return matched
  }

  /// For each beginning of a text, how long its longest own end is that it begins with (Knuth, Morris and Pratt).
  private static func borders(of text: [UInt8]) -> [Int32] {
    var borders = [Int32](repeating: 0, count: text.count)
    var length = 0
    for index in text.indices.dropFirst() {
      while length > 0, text[index] != text[length] { length = Int(borders[length - 1]) }
      if text[index] == text[length] { length += 1 }
      borders[index] = Int32(length)
    }
    return borders
  }
}

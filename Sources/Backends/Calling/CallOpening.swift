/// What stands behind a `<tool_call>`.
enum CallOpening {
  /// The most bytes before the JSON of a block.
  static let limit = 256

  /// No JSON, or too far away.
  case none
  /// Only the next bytes tell.
  case partial
  /// Where the JSON starts, behind blanks and perhaps the first line of a fence.
  case bracket(Int)

  init(in bytes: [UInt8], from body: Int) {
    func skip(_ index: inout Int, _ isSkipped: (UInt8) -> Bool) {
      while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
    }
    var index = body
    skip(&index, \.isBlank)
    let fence = index
    skip(&index) { $0 == UInt8(ascii: "`") }
    if index > fence {
      skip(&index, \.isWordLetter)
      skip(&index, \.isBlank)
    }
    let bracket = index
    if index < bytes.count, bytes[index] == UInt8(ascii: "[") {
      index += 1
      skip(&index, \.isBlank)
    }
    guard index - body < CallOpening.limit else {
      self = .none
      return
    }
    guard index < bytes.count else {
      self = .partial
      return
    }
    self = bytes[index] == UInt8(ascii: "{") ? .bracket(bracket) : .none
  }
}

import Chat

/// A fence in a text that may hold calls. It does when nothing but blocks is in it and they name tools that were
/// offered; else it is an example.
struct CallFence {
  enum Outcome {
    case code
    /// The calls, where the text goes on, and whether the model went on with a result.
    case calls([ToolCall], next: Int, hasImagined: Bool)
  }

  /// The most bytes held back.
  private static let limit = 64 << 10
  private static let blankLimit = 256
  /// How many lines that may end it are tried.
  private static let tryLimit = 8

  let start: Int
  /// Where its second line starts.
  let body: Int
  private let ticks: Int
  private var line: Int
  private var hasTag = false
  private var tries = 0

  init(start: Int, body: Int, ticks: Int) {
    self.start = start
    self.body = body
    self.ticks = ticks
    line = body
  }

  /// Reads on until it is decided.
  mutating func read(_ bytes: [UInt8], from place: inout Int, names: Set<String>) -> Outcome? {
    guard hasTag || findTag(bytes) else {
      place = bytes.count
      return startsOtherwise(bytes) ? .code : nil
    }
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if place - start > CallFence.limit { return .code }
      guard byte == 0x0A else { continue }
      let text = bytes[line..<place]
      let end = line
      line = place
      guard isEnd(text) else { continue }
      tries += 1
      if let outcome = outcome(bytes[body..<end], next: place, isWhole: false, names: names) { return outcome }
      if tries == CallFence.tryLimit { return .code }
    }
    return nil
  }

  /// Decides when nothing follows.
  mutating func decide(_ bytes: [UInt8], names: Set<String>) -> Outcome {
    guard hasTag else { return .code }
    let end = isEnd(bytes[line...]) ? line : bytes.count
    return outcome(bytes[body..<end], next: bytes.count, isWhole: true, names: names) ?? .code
  }

  private mutating func findTag(_ bytes: [UInt8]) -> Bool {
    guard let tag = bytes[body...].firstIndex(where: { !$0.isBlank }), bytes[tag] == UInt8(ascii: "<"),
      case .tag(.callStart, _) = CallTag.match(bytes, at: tag)
    else { return false }
    hasTag = true
    return true
  }

  /// Whether something else than a block is known to come first.
  private func startsOtherwise(_ bytes: [UInt8]) -> Bool {
    guard let tag = bytes[body...].firstIndex(where: { !$0.isBlank }) else {
      return bytes.count - body > CallFence.blankLimit
    }
    return bytes[tag] != UInt8(ascii: "<") || CallTag.match(bytes, at: tag) != .partial
  }

  private func isEnd(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.drop(while: \.isBlank)
    let marks = text.prefix { $0 == UInt8(ascii: "`") }
    return marks.count >= ticks && text[marks.endIndex...].allSatisfy(\.isBlank)
  }

  /// nil when the text breaks off in a block, which may have a fence of its own.
  private func outcome(_ text: ArraySlice<UInt8>, next: Int, isWhole: Bool, names: Set<String>) -> Outcome? {
    var scanner = ToolCallScanner(names: names, readsFences: false)
    var joiner = EventJoiner()
    scanner.take(text, into: &joiner)
    if scanner.isOpen, !isWhole { return nil }
    let hasImagined = scanner.hasImagined
    scanner.end(into: &joiner)
    var calls: [ToolCall] = []
    for event in joiner.take() {
      switch event {
      case .text: return .code
      case .toolCall(let call) where !names.contains(call.name): return .code
      case .toolCall(let call): calls.append(call)
      default: break
      }
    }
    return calls.isEmpty ? .code : .calls(calls, next: next, hasImagined: hasImagined)
  }
}

import Chat

/// A block on its way, from its first bracket on: finds its end byte by byte, and the name in it as soon as it is there.
struct CallBlock {
  enum Step {
    /// Nothing but the next bytes can tell.
    case more
    case named(String)
    case end(End)
  }

  /// Where the JSON ends, and where the text goes on.
  struct End {
    var body: Int
    var next: Int
  }

  /// The longest block; what is longer is broken.
  static let limit = 1 << 20
  /// How far into a block its name is looked for.
  private static let nameLimit = 1 << 10

  let start: Int
  /// The first end tag in a string: the end after all, should the string turn out to be broken.
  private(set) var early: End?

  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// Whether a string holds what no JSON string does.
  private var isBroken = false
  private var isNamed = false
  /// A `<` behind the JSON.
  private var tail: Int?

  init(start: Int) { self.start = start }

  /// Reads on until something is known.
  mutating func read(_ bytes: [UInt8], from place: inout Int) -> Step {
    while place < bytes.count {
      if let tail { return endTail(at: tail, in: bytes, place: &place) }
      let index = place
      place += 1
      if index - start >= CallBlock.limit, bytes[index] < 0x80 { return .end(End(body: index, next: index)) }
      let end = isInString ? readString(bytes, at: index) : readBrackets(bytes, at: index)
      if let end { return .end(end) }
      if bytes[index] == UInt8(ascii: "\""), !isInString, let name = name(in: bytes, upTo: place) {
        isNamed = true
        return .named(name)
      }
    }
    return .more
  }

  /// The end when nothing follows.
  func end(at count: Int) -> End { End(body: tail ?? count, next: count) }

  private mutating func readString(_ bytes: [UInt8], at index: Int) -> End? {
    if isEscaped {
      isEscaped = false
      return nil
    }
    switch bytes[index] {
    case UInt8(ascii: "\\"): isEscaped = true
    case UInt8(ascii: "\""): isInString = false
    case UInt8(ascii: ">"):
      guard let (tag, body) = CallTag.last(endingAt: index, of: bytes, from: start), tag == .callEnd else { break }
      let end = End(body: body, next: index + 1)
      if isBroken { return end }
      early = early ?? end
    case 0x00..<0x20:
      isBroken = true
      return early
    default: break
    }
    return nil
  }

  private mutating func readBrackets(_ bytes: [UInt8], at index: Int) -> End? {
    switch bytes[index] {
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
    case UInt8(ascii: "<") where depth == 0: tail = index
    case UInt8(ascii: ">"):
      guard let (tag, body) = CallTag.last(endingAt: index, of: bytes, from: start) else { break }
      return End(body: body, next: tag == .callEnd ? index + 1 : body)
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "`"): break
    case UInt8(ascii: "\"") where depth > 0: isInString = true
    case let byte where depth == 0 && !byte.isBlank: return End(body: index, next: index)
    default: break
    }
    return nil
  }

  private func endTail(at tail: Int, in bytes: [UInt8], place: inout Int) -> Step {
    switch CallTag.match(bytes, at: tail) {
    case .partial:
      place = bytes.count
      return .more
    case .tag(.callEnd, let next): return .end(End(body: tail, next: next))
    case .tag, .none: return .end(End(body: tail, next: tail))
    }
  }

  private func name(in bytes: [UInt8], upTo end: Int) -> String? {
    guard !isNamed, end - start <= CallBlock.nameLimit else { return nil }
    return bytes[start..<end].withUnsafeBufferPointer { ToolCall.likelyName(in: $0) }
  }
}

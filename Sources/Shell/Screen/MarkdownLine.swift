/// A line of Markdown while it comes, as far as it matters to know where an image is one and no code.
struct MarkdownLine {
  struct Fence: Equatable {
    var sign: UInt8
    var count: Int
  }

  /// Its begin; fences and images that have it to themselves are known by that.
  private var start: [UInt8] = []
  private var isInCode = false
  private var last: UInt8 = 0
  private var brackets = 0
  /// Whether the bracket that was opened last is that of an image.
  private var isOpen = false

  /// Whether a byte may change where an image is one.
  static func matters(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "`")
  }

  /// Bytes none of which matters.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let last = bytes.last else { return }
    if start.count < 200 { start.append(contentsOf: bytes.prefix(200 - start.count)) }
    self.last = last
  }

  mutating func take(_ byte: UInt8) {
    if start.count < 200 { start.append(byte) }
    switch byte {
    case UInt8(ascii: "`"): isInCode.toggle()
    case UInt8(ascii: "["):
      isOpen = last == UInt8(ascii: "!")
      brackets += 1
    case UInt8(ascii: "]"): isOpen = false
    default: break
    }
    last = byte
  }

  /// Whether the words of an image may end now.
  var isInImage: Bool { isOpen && !isInCode }

  /// Whether there are no words yet.
  var isEmptyImage: Bool { last == UInt8(ascii: "[") }

  /// Whether nothing stands before it.
  var isImageAlone: Bool {
    brackets == 1 && start.drop { $0 == 0x20 }.starts(with: "![".utf8) && start.prefix(4) != [0x20, 0x20, 0x20, 0x20]
  }

  /// The fence that is open below this line. Marks of lists and quotes before it count for nothing.
  func fence(after open: Fence?) -> Fence? {
    let rest = start.drop { " \t>-+*.)".utf8.contains($0) || (0x30...0x39).contains($0) }
    guard let sign = rest.first, "`~".utf8.contains(sign) else { return open }
    let count = rest.prefix { $0 == sign }.count
    guard count >= 3 else { return open }
    guard let open else { return Fence(sign: sign, count: count) }
    let isBare = rest.dropFirst(count).allSatisfy { $0 == 0x20 || $0 == 0x0D }
    return sign == open.sign && count >= open.count && isBare ? nil : open
  }
}

/// Lines that may define a link. cmark takes those that do out of their paragraph, and tells only how many there are.
struct LinkDefinitions {
  private var candidates: [(line: Int, source: [UInt8])] = []
  private var seen = 0

  /// - Parameter number: of the line, the first of which is 1.
  mutating func note(_ line: [UInt8], number: Int) {
    if Self.mayDefine(line) {
      candidates.append((number, line))
    } else if let last = candidates.last, last.line == number - 1, last.source.last == UInt8(ascii: ":") {
      // The address stands on the line below.
      candidates[candidates.count - 1].source += [0x20] + line.drop(while: Self.isMark)
    }
  }

  /// Those that turned out to be text, since their block is over. The line that ended it may define one.
  mutating func forget(before number: Int) { candidates.removeAll { $0.line < number } }

  /// The lines that are definitions now that there are so many.
  mutating func take(upTo count: Int, _ images: DataImages) -> [(line: Int, text: StyledBytes)] {
    guard count > seen else { return [] }
    let found = candidates.prefix(count - seen)
    candidates.removeFirst(found.count)
    seen = count
    return found.map { line, source in
      let bytes = Array(source[Self.start(of: source)...])
      let text = String(decoding: bytes.withUnsafeBufferPointer(images.shortened) ?? bytes, as: UTF8.self)
      return (line, StyledBytes(Filter.inline(text).withoutTrailingSpaces, .dim))
    }
  }

  /// Whether a line looks like `[label]: address`.
  private static func mayDefine(_ line: [UInt8]) -> Bool {
    let rest = line[start(of: line)...]
    guard rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
    return rest[end...].dropFirst().first == UInt8(ascii: ":")
  }

  /// Behind the marks of quotes and lists.
  private static func start(of line: [UInt8]) -> Int {
    var start = 0
    while true {
      let rest = line[start...]
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      guard let mark = rest.dropFirst(digits).first else { return start }
      if digits == 0, isMark(mark) {
        start += 1
      } else if rest.dropFirst(digits + 1).first == 0x20, (digits == 0 ? "-+*" : ".)").utf8.contains(mark) {
        start += digits + 2
      } else {
        return start
      }
    }
  }

  private static func isMark(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ">") }
}

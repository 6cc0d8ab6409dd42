/// Lines that may define a link. cmark takes those that do out of their paragraph, and tells only how many there are.
struct LinkDefinitions {
  private var candidates: [(line: Int, source: [UInt8])] = []
  private var seen = 0

  /// - Parameter number: of the line, the first of which is 1.
  mutating func note(_ line: [UInt8], number: Int) {
    if Self.mayDefine(line) { candidates.append((number, line)) }
  }

  /// Those that turned out to be text.
  mutating func forget() { candidates = [] }

  /// The lines that are definitions now that there are so many.
  mutating func take(upTo count: Int) -> [(line: Int, text: StyledBytes)] {
    guard count > seen else { return [] }
    defer {
      seen = count
      candidates = []
    }
    return candidates.prefix(count - seen).map { line, source in
      let text = String(decoding: source.drop(while: Self.isMark), as: UTF8.self)
      return (line, StyledBytes(Filter.inline(text).withoutTrailingSpaces, .dim))
    }
  }

  /// Whether a line looks like `[label]: address`.
  private static func mayDefine(_ line: [UInt8]) -> Bool {
    let rest = line.drop(while: isMark)
    guard rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
    return rest[end...].dropFirst().first == UInt8(ascii: ":")
  }

  private static func isMark(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ">") }
}

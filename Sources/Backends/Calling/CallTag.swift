/// A tag that frames calls or results, as models write them: in either case, with blanks, with `-` or nothing for `_`.
enum CallTag: Equatable {
  case callStart, callEnd
  /// The start or end of a result.
  case result

  enum Match: Equatable {
    case none
    /// It may become one.
    case partial
    /// Its last byte is the one before `end`.
    case tag(CallTag, end: Int)
  }

  /// The longest that a tag may be, in bytes.
  static let limit = 32

  /// What starts at `start`, where there is a `<`.
  static func match(_ bytes: [UInt8], at start: Int) -> Match {
    var index = start + 1
    var isEnd = false
    var name: [UInt8] = []
    var nameIsOver = false
    while index < bytes.count, index - start < limit {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: ">"): return tag(name, isEnd: isEnd).map { .tag($0, end: index + 1) } ?? .none
      case 0x20, 0x09: nameIsOver = !name.isEmpty
      case UInt8(ascii: "/") where name.isEmpty && !isEnd: isEnd = true
      case UInt8(ascii: "_") where !nameIsOver && !name.isEmpty, UInt8(ascii: "-") where !nameIsOver && !name.isEmpty:
        break
      default:
        let letter = byte | 0x20
        guard !nameIsOver, UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter else { return .none }
        name.append(letter)
        guard names.contains(where: { $0.name.starts(with: name) }) else { return .none }
      }
      index += 1
    }
    return index - start < limit ? .partial : .none
  }

  private static let names: [(name: [UInt8], isCall: Bool)] = [
    (Array("toolcall".utf8), true), (Array("toolresult".utf8), false), (Array("toolresponse".utf8), false),
  ]

  private static func tag(_ name: [UInt8], isEnd: Bool) -> CallTag? {
    guard let known = names.first(where: { $0.name == name }) else { return nil }
    return known.isCall ? isEnd ? .callEnd : .callStart : .result
  }

  /// The tag whose `>` is the byte at `index`, and where it starts.
  static func last(endingAt index: Int, of bytes: [UInt8], from first: Int) -> (CallTag, start: Int)? {
    let window = bytes[max(first, index + 1 - limit)...index]
    guard let start = window.lastIndex(of: UInt8(ascii: "<")),
      case .tag(let tag, end: index + 1) = match(bytes, at: start)
    else { return nil }
    return (tag, start)
  }
}

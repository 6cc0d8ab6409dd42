extension RPCID {
  /// The id of an answer whose JSON cannot be read whole, so that nobody waits for it any more; nil for what does not
  /// look like an answer, as a line of a log.
  init?(ofUnreadableAnswer line: [UInt8]) {
    let outline = line.withUnsafeBufferPointer { Outline($0) }
    guard let id = outline.id, outline.isAnswer else { return nil }
    self = id
  }
}

/// What can be told of a message by the keys at its top, however deep and broken it is below them.
private struct Outline {
  var id: RPCID?
  var isAnswer = false

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var depth = 0
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        let start = index + 1
        index = Outline.endOfString(bytes, from: start)
        if depth == 1, index < bytes.count { take(bytes, key: start..<index) }
      default: break
      }
      index += 1
    }
  }

  private static func endOfString(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index
  }

  /// Looks at a string at the top, which is a key when a colon follows.
  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, key range: Range<Int>) {
    var reader = JSONReader(bytes, at: range.upperBound + 1)
    reader.skipBlanks()
    guard reader.offset < bytes.count, bytes[reader.offset] == UInt8(ascii: ":") else { return }
    switch String(decoding: bytes[range], as: UTF8.self) {
    case "result", "error": isAnswer = true
    case "id": id = Outline.id(JSONReader(bytes, at: reader.offset + 1))
    default: break
    }
  }

  private static func id(_ reader: JSONReader) -> RPCID? {
    var reader = reader
    do throws(JSON.Failure) {
      switch try reader.kind() {
      case .string: return .string(try reader.string())
      case .number: return RPCID(try reader.number())
      case .object, .array, .bool, .null: return nil
      }
    } catch { return nil }
  }
}

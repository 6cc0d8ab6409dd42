/// An incremental reader of JSON-RPC messages, one a line (docs/mcp.md 6): bytes in, messages out, the same
/// however the bytes are cut. Lines end with LF or CRLF; a last line without its end is discarded.
package struct JSONLines {
  /// The most bytes of one line (docs/rules.md A7).
  package static let lineLimit = 8 << 20

  package enum Failure: Error, Sendable, Equatable { case lineTooLong }

  /// What a line holds.
  package enum Line: Sendable, Equatable {
    case message(JSONRPCMessage)
    /// JSON that is no message; its sender may be told.
    case malformed(JSONRPCMessage.Malformed)
    /// No JSON: something that printed where it should not. Its start, at most 400 bytes, as text that is not to be
    /// trusted.
    case junk(String)

    fileprivate static let junkLimit = 400
  }

  /// The start of a line whose end has not come.
  private var partialLine: [UInt8] = []
  private let limit: Int

  package init(limit: Int = JSONLines.lineLimit) { self.limit = limit }

  /// Takes the next bytes and hands out the lines that they complete, in order. Empty lines are passed over.
  package mutating func feed(_ bytes: [UInt8], _ receive: (Line) -> Void) throws(Failure) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      try add(rest[..<end])
      take(receive)
      rest = rest[(end + 1)...]
    }
    try add(rest)
  }

  private mutating func add(_ part: ArraySlice<UInt8>) throws(Failure) {
    guard partialLine.count + part.count <= limit else {
      partialLine = []
      throw .lineTooLong
    }
    partialLine.append(contentsOf: part)
  }

  private mutating func take(_ receive: (Line) -> Void) {
    defer { partialLine.removeAll(keepingCapacity: partialLine.capacity <= 1 << 16) }
    if partialLine.last == UInt8(ascii: "\r") { partialLine.removeLast() }
    guard !partialLine.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return }
    receive(JSONLines.read(partialLine))
  }

  /// Reads one message that came by itself, with whatever line ends in it.
  package static func read(_ line: [UInt8]) -> Line {
    switch line.withoutByteOrderMark.first(where: { $0 != 0x20 && $0 != 0x09 }) {
    case UInt8(ascii: "{"):
      do throws(JSON.Failure) {
        // The pieces of an agent's text come as notifications.
        return message(try JSON(parsing: line, keepsHalves: true))
      } catch { return RPCID(ofUnreadableAnswer: line).map { .malformed(.unreadable(id: $0)) } ?? junk(line) }
    // Looked through without building it, which takes memory for nothing; a log line may begin like that too.
    case UInt8(ascii: "["): return isJSON(line) ? .malformed(.batch) : junk(line)
    // A number or a word alone is what a program prints, not what a peer says.
    default: return junk(line)
    }
  }

  /// A message of JSON with halves of characters: notifications keep them.
  private static func message(_ json: JSON) -> Line {
    do throws(JSONRPCMessage.Malformed) {
      let message = try JSONRPCMessage(json)
      if case .notification = message { return .message(message) }
      return .message(try JSONRPCMessage(json.joiningHalves))
    } catch {
      return .malformed(error)
    }
  }

  private static func isJSON(_ line: [UInt8]) -> Bool {
    line.withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      do throws(JSON.Failure) {
        try reader.skip()
        try reader.end()
        return true
      } catch { return false }
    }
  }

  private static func junk(_ line: [UInt8]) -> Line {
    .junk(String(decoding: line.prefix(Line.junkLimit), as: UTF8.self))
  }

  /// A message as a line, with its end. `JSON.bytes` escapes every line break inside.
  package static func line(_ message: JSONRPCMessage) -> [UInt8] { message.json.bytes() + [UInt8(ascii: "\n")] }
}

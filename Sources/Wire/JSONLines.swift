/// An incremental reader of JSON-RPC messages, one a line (docs/mcp.md 6). The messages do not depend on how the bytes are
/// cut. Lines end with LF or CRLF; a last line without its end is discarded. A message that is printed over several lines
/// is read too.
package struct JSONLines {
  /// The most bytes of one line (docs/rules.md A7).
  package static let lineLimit = 8 << 20

  /// The most bytes and lines of a message that is printed over several lines: each line is parsed with those before it.
  private static let objectLimit = 1 << 20
  private static let objectLineLimit = 200

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
  /// The lines so far of an object that is printed over several lines.
  private var openObject: [UInt8] = []
  private var openLines = 0
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
    if !openObject.isEmpty {
      if case .message = JSONLines.read(partialLine) {} else if continueObject(with: partialLine, receive) { return }
      receive(JSONLines.read(openObject))
      openObject = []
    }
    let line = JSONLines.read(partialLine)
    if case .junk = line, JSONLines.isUnfinishedObject(partialLine) {
      (openObject, openLines) = (partialLine, 1)
    } else {
      receive(line)
    }
  }

  /// Appends a line to the open object, and hands the object out if that completes it. Returns false if the line is not a
  /// part of it.
  private mutating func continueObject(with line: [UInt8], _ receive: (Line) -> Void) -> Bool {
    let object = openObject + [UInt8(ascii: "\n")] + line
    guard openLines < JSONLines.objectLineLimit, object.count <= JSONLines.objectLimit else { return false }
    if JSONLines.isJSON(object) {
      openObject = []
      receive(JSONLines.read(object))
      return true
    }
    guard JSONLines.isUnfinishedObject(object) else { return false }
    openObject = object
    openLines += 1
    return true
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

  /// Whether the bytes are the start of an object that further lines may continue.
  private static func isUnfinishedObject(_ bytes: [UInt8]) -> Bool {
    guard bytes.withoutByteOrderMark.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") else {
      return false
    }
    do throws(JSON.Failure) {
      // A text cannot go over a line end.
      _ = try JSON(parsing: bytes + [UInt8(ascii: "\n")])
      return false
    } catch { return error.reason == .endOfInput }
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

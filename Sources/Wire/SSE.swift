#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An incremental parser of event streams (WHATWG HTML, section 9.2.6): bytes in, events out, the same events however
/// the bytes are cut. An unfinished event at the end is discarded unless it is a whole JSON object (see `end`).
///
/// It accepts deviations of servers in use. Lines of data that are each a whole JSON object are events of their own, also
/// without a blank line between them. A line that starts with `{`, or is `[DONE]`, is an event without the name of its
/// field. A field `error` is an event of that type. Blanks before the name of a field are ignored.
package struct SSE {
  /// The most bytes of one line, unless its reader takes more.
  package static let lineLimit = 1 << 20
  /// The most bytes of one event's data, unless its reader takes more.
  package static let eventLimit = 4 << 20
  /// The most `data` lines of one event.
  package static let dataLineLimit = 4096

  /// A limit that the stream went over.
  package enum Failure: Error, Sendable, Equatable { case lineTooLong, eventTooLong, tooManyLines }

  /// An event; its data may be used during the call that hands it out, and no longer.
  package struct Event {
    /// nil when the stream named none, which means `message`.
    package let type: String?
    package let data: UnsafeBufferPointer<UInt8>

    package var text: String { String(decoding: data, as: UTF8.self) }
  }

  /// Comments so far: signs of life that mean nothing else.
  package private(set) var comments = 0
  /// The last `id` field.
  package private(set) var lastEventID = ""
  /// The last `retry` field, in milliseconds.
  package private(set) var retry: Int?

  private let handsOutUnknownLines: Bool
  private let lineLimit: Int
  private let eventLimit: Int
  private var eventType: String?
  private var data: [UInt8] = []
  private var dataLines = 0
  /// The start of a line whose end has not come.
  private var partialLine: [UInt8] = []
  /// Set once the server has sent two events without a blank line between them.
  private var isByLine = false
  private var skipsLineFeed = false
  private var isAtStart = true

  /// - Parameter handsOutUnknownLines: whether a line without a known field is an event instead of being ignored, and an
  ///   unfinished last event is handed out if it is plain text.
  package init(
    lineLimit: Int = SSE.lineLimit, eventLimit: Int = SSE.eventLimit, handsOutUnknownLines: Bool = false
  ) {
    self.handsOutUnknownLines = handsOutUnknownLines
    self.lineLimit = lineLimit
    self.eventLimit = eventLimit
  }

  /// Takes the next bytes and hands out the events that they complete, in order.
  package mutating func feed(
    _ bytes: UnsafeBufferPointer<UInt8>, _ receive: (Event) -> Void
  ) throws(Failure) {
    var lines = LineEnds(bytes)
    // The one data line of an event that began in these bytes; it is copied only when the event outlives them.
    var whole: Range<Int>?
    var start = 0
    while start < bytes.count {
      if skipsLineFeed {
        skipsLineFeed = false
        if bytes[start] == UInt8(ascii: "\n") {
          start += 1
          continue
        }
      }
      guard let end = lines.next(from: start) else { break }
      guard partialLine.count + (end - start) <= lineLimit else { throw .lineTooLong }
      if partialLine.isEmpty && !isAtStart {
        try takeLine(start..<end, of: bytes, whole: &whole, receive)
      } else {
        try takePartialLine(bytes[start..<end], of: bytes, whole: &whole, receive)
      }
      skipsLineFeed = bytes[end] == UInt8(ascii: "\r")
      start = end + 1
    }
    if let whole { data.append(contentsOf: bytes[whole]) }
    guard partialLine.count + (bytes.count - start) <= lineLimit else { throw .lineTooLong }
    if start < bytes.count { partialLine.append(contentsOf: bytes[start...]) }
  }

  /// Ends the stream. Hands out a last event without its line ends if it is a whole JSON object, `[DONE]`, or plain text
  /// that is an error or an unknown line.
  package mutating func end(_ receive: (Event) -> Void) {
    let isWhole = partialLine.withUnsafeBufferPointer { line in
      let field = line.indices.trimmed(in: line)
      if let data = line.value(of: "data", in: field) { return line[data].isComplete(orText: takesText) }
      if let error = line.value(of: "error", in: field) { return line[error].isComplete(orText: true) }
      return line[field].isComplete(orText: takesText && !line[field].startsField)
    }
    // A line of that form goes over no limit.
    if isWhole { try? feed([UInt8(ascii: "\n")], receive) }
    if data.withUnsafeBufferPointer({ $0[...].isComplete(orText: takesText) }) { dispatch(nil, receive) }
  }

  /// The start of a line whose end never came, and that `end` did not hand out.
  package var unfinishedLine: [UInt8] { partialLine }

  private var takesText: Bool { handsOutUnknownLines || eventType == "error" }

  /// `feed` for an array.
  package mutating func feed(_ bytes: [UInt8], _ receive: (Event) -> Void) throws(Failure) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in try feed(buffer, receive) }
  }
}

extension SSE {
  /// Ends a line whose start came earlier, or the first line, which may open with a byte order mark.
  private mutating func takePartialLine(
    _ rest: Slice<UnsafeBufferPointer<UInt8>>, of bytes: UnsafeBufferPointer<UInt8>, whole: inout Range<Int>?,
    _ receive: (Event) -> Void
  ) throws(Failure) {
    partialLine.append(contentsOf: rest)
    if isAtStart {
      isAtStart = false
      if partialLine.starts(with: [0xEF, 0xBB, 0xBF]) { partialLine.removeFirst(3) }
    }
    var line: [UInt8] = []
    swap(&line, &partialLine)
    keep(&whole, of: bytes)
    try line.withUnsafeBufferPointer { (line) throws(Failure) in
      var part: Range<Int>?
      try takeLine(0..<line.count, of: line, whole: &part, receive)
      keep(&part, of: line)
    }
    line.removeAll(keepingCapacity: true)
    swap(&line, &partialLine)
  }

  private mutating func takeLine(
    _ line: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>, whole: inout Range<Int>?, _ receive: (Event) -> Void
  ) throws(Failure) {
    guard !line.isEmpty else {
      return dispatch(&whole, of: bytes, receive)
    }
    let line = line.trimmed(in: bytes)
    guard !line.isEmpty else { return }
    if let value = bytes.value(of: "data", in: line) {
      if dataLines == 1, bytes[value].startsMessage, pending(whole, of: bytes, \.isWholeMessage) {
        isByLine = true
        dispatch(&whole, of: bytes, receive)
      }
      keep(&whole, of: bytes)
      try addData(value, of: bytes, whole: &whole)
      if isByLine, dataLines == 1, bytes[value].isWholeMessage { dispatch(&whole, of: bytes, receive) }
    } else if bytes[line.lowerBound] == UInt8(ascii: ":") {
      comments += 1
    } else if let value = bytes.value(of: "event", in: line) {
      eventType = String(decoding: bytes[value], as: UTF8.self)
    } else if let value = bytes.value(of: "id", in: line) {
      if !bytes[value].contains(0) { lastEventID = String(decoding: bytes[value], as: UTF8.self) }
    } else if let value = bytes.value(of: "retry", in: line) {
      guard bytes[value].allSatisfy({ 0x30...0x39 ~= $0 }) else { return }
      retry = Int(String(decoding: bytes[value], as: UTF8.self)) ?? retry
    } else if let value = bytes.value(of: "error", in: line) {
      if !value.isEmpty { try takeAlone(value, type: "error", of: bytes, whole: &whole, receive) }
    } else if handsOutUnknownLines || bytes[line.lowerBound] == UInt8(ascii: "{") || bytes[line].isWholeMessage {
      try takeAlone(line, type: nil, of: bytes, whole: &whole, receive)
    }
  }

  /// Hands out a line as an event of its own, behind the one that was not finished.
  private mutating func takeAlone(
    _ value: Range<Int>, type: String?, of bytes: UnsafeBufferPointer<UInt8>, whole: inout Range<Int>?,
    _ receive: (Event) -> Void
  ) throws(Failure) {
    if dataLines > 0 { dispatch(&whole, of: bytes, receive) }
    eventType = type ?? eventType
    try addData(value, of: bytes, whole: &whole)
    dispatch(&whole, of: bytes, receive)
  }

  /// Whether the data of the event so far is of a form; `whole` is where it was left in place.
  private func pending(
    _ whole: Range<Int>?, of bytes: UnsafeBufferPointer<UInt8>, _ isOfForm: (Slice<UnsafeBufferPointer<UInt8>>) -> Bool
  ) -> Bool {
    whole.map { isOfForm(bytes[$0]) } ?? data.withUnsafeBufferPointer { isOfForm($0[...]) }
  }

  private mutating func addData(
    _ value: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>, whole: inout Range<Int>?
  ) throws(Failure) {
    dataLines += 1
    guard dataLines <= SSE.dataLineLimit else { throw .tooManyLines }
    guard data.count + value.count < eventLimit else { throw .eventTooLong }
    if dataLines == 1 {
      whole = value
    } else {
      data.append(UInt8(ascii: "\n"))
      data.append(contentsOf: bytes[value])
    }
  }

  /// Copies the data line that was left in place.
  private mutating func keep(_ whole: inout Range<Int>?, of bytes: UnsafeBufferPointer<UInt8>) {
    guard let range = whole else { return }
    data.append(contentsOf: bytes[range])
    whole = nil
  }

  private mutating func dispatch(
    _ whole: inout Range<Int>?, of bytes: UnsafeBufferPointer<UInt8>, _ receive: (Event) -> Void
  ) {
    dispatch(whole.map { UnsafeBufferPointer(rebasing: bytes[$0]) }, receive)
    whole = nil
  }

  private mutating func dispatch(_ whole: UnsafeBufferPointer<UInt8>?, _ receive: (Event) -> Void) {
    defer { eventType = nil }
    guard dataLines > 0 else { return }
    dataLines = 0
    let type = eventType.flatMap { $0.isEmpty ? nil : $0 }
    if let whole {
      receive(Event(type: type, data: whole))
    } else {
      data.withUnsafeBufferPointer { receive(Event(type: type, data: $0)) }
      data.removeAll(keepingCapacity: data.capacity <= 1 << 16)
    }
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// Whether it may be a JSON object or `[DONE]`.
  fileprivate var startsMessage: Bool { first == UInt8(ascii: "{") || first == UInt8(ascii: "[") }

  /// Whether it is complete although its event is not: a whole message or, if that is taken, plain text.
  fileprivate func isComplete(orText takesText: Bool) -> Bool { isWholeMessage || takesText && isText }

  /// Whether it is not empty, and neither JSON nor the start of `[DONE]`. `[ERROR] it broke` is text.
  private var isText: Bool {
    guard startsMessage else { return !isEmpty }
    let isWord = dropFirst().first.map { 0x41...0x5A ~= $0 & 0xDF } ?? false
    return isWord && !"[DONE]".utf8.starts(with: self)
  }

  /// Whether a line is a comment, or starts with a known field or a part of its name.
  fileprivate var startsField: Bool {
    ["data:", "event:", "id:", "retry:", "error:", ":"].contains { field in
      starts(with: field.utf8) || field.utf8.starts(with: self)
    }
  }

  /// Whether it is a JSON object and nothing else, or `[DONE]`.
  fileprivate var isWholeMessage: Bool {
    guard first == UInt8(ascii: "{"), last == UInt8(ascii: "}") else { return elementsEqual("[DONE]".utf8) }
    var reader = JSONReader(UnsafeBufferPointer(rebasing: self))
    do throws(JSON.Failure) {
      try reader.skip()
      try reader.end()
      return true
    } catch { return false }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The value of a line's field when it has that name: what follows the colon and one space, or nothing.
  @inline(__always)
  fileprivate func value(of field: StaticString, in line: Range<Int>) -> Range<Int>? {
    let count = field.utf8CodeUnitCount
    guard line.count >= count else { return nil }
    for index in 0..<count where self[line.lowerBound + index] != field.utf8Start[index] { return nil }
    var start = line.lowerBound + count
    guard start < line.upperBound else { return start..<start }
    guard self[start] == UInt8(ascii: ":") else { return nil }
    start += 1
    if start < line.upperBound, self[start] == UInt8(ascii: " ") { start += 1 }
    return start..<line.upperBound
  }
}

extension Range<Int> {
  /// The range without the blanks at its start.
  @inline(__always)
  fileprivate func trimmed(in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    var start = lowerBound
    while start < upperBound, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
    return start..<upperBound
  }
}

/// Finds line ends in bytes, looking at each byte once for each of the two characters that end a line.
private struct LineEnds {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var lineFeed = -1
  private var carriageReturn = -1

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The first line end at or after `start`.
  @inline(__always)
  mutating func next(from start: Int) -> Int? {
    if lineFeed < start { lineFeed = find(UInt8(ascii: "\n"), from: start) }
    if carriageReturn < start { carriageReturn = find(UInt8(ascii: "\r"), from: start) }
    let end = min(lineFeed, carriageReturn)
    return end < bytes.count ? end : nil
  }

  @inline(__always)
  private func find(_ byte: UInt8, from start: Int) -> Int {
    guard let base = bytes.baseAddress, start < bytes.count,
      let found = memchr(base + start, Int32(byte), bytes.count - start)
    else { return bytes.count }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}

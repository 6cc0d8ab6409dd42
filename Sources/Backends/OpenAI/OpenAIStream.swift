import Chat
import Wire

/// Turns the body of an answer into events: an event stream, one JSON object instead, or a page that is neither.
/// It makes the same of the bytes however they are cut.
struct OpenAIStream {
  private enum Form {
    /// Nothing but blanks has come.
    case unknown
    case events
    /// Lines of JSON, such as those of Ollama's own API.
    case lines
    /// JSON or something else that is read as a whole.
    case whole
  }

  /// The most bytes of a page that are kept for its title.
  private static let pageLimit = 64 << 10

  private let address: String
  private let mask: SecretMask?
  private var form = Form.unknown
  private var whole: [UInt8] = []
  /// The place of the first line end in `whole`.
  private var firstLineEnd: Int?
  private var hasReadFirstLine = false
  private var sse = SSE(handsOutUnknownLines: true)
  private var fold: OpenAIFold

  /// `calls` where tools were offered; `mask` takes the person's keys out of what is told of failures.
  init(address: String, calls: CallReader? = nil, mask: SecretMask? = nil) {
    self.address = address
    self.mask = mask
    fold = OpenAIFold(address: address, calls: calls, mask: mask)
  }

  var hasToken: Bool { fold.hasToken }
  /// The server has said why it stopped; only counts may follow.
  var hasFinishReason: Bool { fold.finishReason != nil }
  /// The error that the server reported instead of the first token.
  var refusal: ErrorBody? { fold.refusal }
  /// The end mark has come; what follows is ignored.
  var isDone: Bool { fold.isEnded }

  /// The events so far that were not taken yet.
  mutating func take() -> [ChatEvent] { fold.take() }

  /// Takes bytes as they come. The events before an error can still be taken.
  mutating func feed(_ bytes: [UInt8]) throws(BackendError) {
    guard !isDone else { return }
    if form == .unknown {
      form = OpenAIStream.form(of: bytes)
      if form == .events {
        let blanks = whole
        whole = []
        return try feedEvents(blanks + bytes)
      }
    }
    switch form {
    case .events, .lines: try feedEvents(bytes)
    case .unknown: whole += bytes
    case .whole:
      let count = whole.count
      whole += bytes
      if firstLineEnd == nil { firstLineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")).map { count + $0 } }
      if startsWithLine(newFrom: count) {
        form = .lines
        return try feedEvents(whole)
      }
      let isJSON = whole.firstVisible.map(OpenAIStream.startsJSON) ?? false
      if !isJSON && whole.count > OpenAIStream.pageLimit { throw unreadable() }
    }
  }

  /// The body has ended, as it should or, when `cut`, before its time.
  mutating func end(cut: Bool = false) throws(BackendError) {
    switch form {
    case .whole: if !cut { try readWhole() }
    case .events: sse.end { OpenAIStream.add($0, to: &fold) }
    case .lines:
      sse.end { OpenAIStream.add($0, to: &fold) }
      if !cut { try finishLines() }
    case .unknown: break
    }
    fold.end()
    if let failure = fold.failure { throw failure }
  }

  /// Whether the first line is a JSON object and the new bytes begin another line behind it.
  private mutating func startsWithLine(newFrom start: Int) -> Bool {
    guard !hasReadFirstLine, let end = firstLineEnd, whole[max(start, end)...].contains(where: { $0 > 0x20 }) else {
      return false
    }
    hasReadFirstLine = true
    return (try? JSON(parsing: Array(whole[..<end])))?.object != nil  // only whether it is one
  }

  private mutating func feedEvents(_ bytes: [UInt8]) throws(BackendError) {
    do throws(SSE.Failure) {
      try sse.feed(bytes) { OpenAIStream.add($0, to: &fold) }
    } catch {
      throw .malformed(address: address, detail: OpenAIStream.words(for: error))
    }
    if let failure = fold.failure { throw failure }
  }

  private static func add(_ event: SSE.Event, to fold: inout OpenAIFold) {
    if event.data.isDoneMark { return fold.finish() }
    if event.data.allSatisfy({ $0 <= 0x20 }) { return }
    fold.add(event.data, type: event.type)
  }

  private static func words(for failure: SSE.Failure) -> String {
    switch failure {
    case .lineTooLong: "a line of more than \(SSE.lineLimit >> 20) MiB"
    case .eventTooLong: "an event of more than \(SSE.eventLimit >> 20) MiB"
    case .tooManyLines: "an event of more than \(SSE.dataLineLimit) lines"
    }
  }
}

extension OpenAIStream {
  /// A field of an event stream starts with a letter of its name, a comment with a colon; JSON and pages do not.
  private static func form(of bytes: [UInt8]) -> Form {
    guard let first = bytes.firstVisible else { return .unknown }
    return "deir:".utf8.contains(first) ? .events : .whole
  }

  private static func startsJSON(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

  private func unreadable() -> BackendError {
    if whole.starts(with: [0x1F, 0x8B]) { return .malformed(address: address, detail: "compressed data") }
    let said = mask?(whole) ?? whole
    if let page = HTMLPage(said) { return .malformed(address: address, detail: page.description) }
    let start = ErrorBody(Array(said.prefix(200))).message.prefix(80)
    return .malformed(address: address, detail: "text \"\(start)\"")
  }

  /// One JSON value, or several in a row: each is a chunk or a complete answer.
  private mutating func readWhole() throws(BackendError) {
    guard let first = whole.firstVisible, OpenAIStream.startsJSON(first) else { throw unreadable() }
    do throws(JSON.Failure) {
      try whole.withUnsafeBufferPointer { (buffer) throws(JSON.Failure) in
        var reader = JSONReader(buffer)
        repeat {
          _ = try reader.kind()
          let start = reader.offset
          try reader.skip()
          let type = buffer[start] == UInt8(ascii: "{") ? nil : "error"
          fold.add(UnsafeBufferPointer(rebasing: buffer[start..<reader.offset]), type: type)
          reader.skipBlanks()
        } while !reader.isAtEnd
      }
    } catch {
      if let failure = fold.failure { throw failure }
      throw .malformed(address: address, detail: "broken JSON after byte \(error.offset)")
    }
    try finishWhole()
  }

  /// Ends an answer of lines. An unfinished last line is reported, and the answer then has no good end.
  private mutating func finishLines() throws(BackendError) {
    let rest = sse.unfinishedLine
    guard fold.hasChoices, rest.contains(where: { $0 > 0x20 }) else { return try finishWhole() }
    rest.withUnsafeBufferPointer { fold.add($0) }
  }

  private mutating func finishWhole() throws(BackendError) {
    if let failure = fold.failure { throw failure }
    guard fold.hasChoices else { throw .malformed(address: address, detail: "JSON without an answer") }
    fold.finish()
  }
}

extension Collection<UInt8> {
  /// Whether it is the end mark `[DONE]`, also in lower case or in quotes.
  var isDoneMark: Bool {
    guard count >= 6, count <= 32 else { return false }
    let word = drop { $0 <= 0x20 || $0 == UInt8(ascii: "\"") }.prefix { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
    return word.count == 6 && String(decoding: word, as: UTF8.self).uppercased() == "[DONE]"
  }
}

extension [UInt8] {
  /// The first byte that is neither blank nor part of a byte order mark.
  fileprivate var firstVisible: UInt8? { first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) } }
}

extension Collection<UInt8> {
  /// Whether it is meant as a JSON object, or as a list of them: keep-alives such as `ping` and `[PING]` are not.
  var startsObject: Bool { first { $0 > 0x20 && $0 != UInt8(ascii: "[") } == UInt8(ascii: "{") }
}

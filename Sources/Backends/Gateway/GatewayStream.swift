import Chat
import Wire

/// Turns the body of an answer into events: an event stream, or one JSON object in its place. The result does not depend
/// on how the bytes are cut.
struct GatewayStream {
  /// The most bytes of a page that are kept for its title.
  private static let pageLimit = 64 << 10
  /// So many unreadable frames in a row end an answer.
  private static let unreadableLimit = 10

  private(set) var fold: GatewayFold
  private let address: String
  private let mask: SecretMask
  /// nil while nothing but blanks has come.
  private var isEvents: Bool?
  private var whole: [UInt8] = []
  private var sse = SSE(handsOutUnknownLines: true)
  private var unreadable = 0
  /// Plain text behind the last frame. If the stream ends with it, it says why.
  private var lastWords: ErrorBody?

  init(_ fold: GatewayFold, address: String, mask: SecretMask) {
    self.fold = fold
    self.address = address
    self.mask = mask
  }

  /// The events so far that were not taken yet.
  mutating func take() -> [ChatEvent] { fold.take() }

  /// Nothing more is read.
  mutating func giveUp() { fold.giveUp() }

  /// What the server calls the conversation.
  mutating func name(_ session: String) { fold.name(session) }

  mutating func feed(_ bytes: [UInt8]) throws(BackendError) {
    guard !fold.isEnded else { return }
    if isEvents == nil, let first = bytes.first(where: { $0 > 0x20 }) { isEvents = "deir:".utf8.contains(first) }
    if isEvents == true {
      let blanks = whole
      whole = []
      try feedEvents(blanks + bytes)
    } else {
      whole += bytes
      let isJSON = whole.first { $0 > 0x20 } == UInt8(ascii: "{")
      if isEvents == false, !isJSON, whole.count > GatewayStream.pageLimit { throw notAnAnswer() }
    }
  }

  /// The body has ended, as it should or, when `cut`, before its time.
  mutating func end(cut: Bool = false) throws(BackendError) {
    if isEvents == false, !cut { try readWhole() }
    if isEvents == true {
      var frames: [Frame] = []
      sse.end { frames.append(Frame($0)) }
      try add(frames)
    }
    if fold.finishReason == nil, let lastWords { fold.fail(lastWords) }
    fold.end()
    if let failure = fold.failure { throw failure }
  }

  private mutating func feedEvents(_ bytes: [UInt8]) throws(BackendError) {
    var frames: [Frame] = []
    var hasNoEnd = false
    do throws(SSE.Failure) { try sse.feed(bytes) { frames.append(Frame($0)) } } catch { hasNoEnd = true }
    try add(frames)
    if hasNoEnd { throw .malformed(address: address, detail: "a stream with lines or events without end") }
  }

  private struct Frame {
    let data: [UInt8]
    let type: String?

    init(_ event: SSE.Event) {
      data = Array(event.data)
      type = event.type
    }
  }

  private mutating func add(_ frames: [Frame]) throws(BackendError) {
    for frame in frames where frame.data.contains(where: { $0 > 0x20 }) {
      if frame.data.isDoneMark { fold.finish() } else { add(frame) }
    }
    if let failure = fold.failure { throw failure }
    if unreadable >= GatewayStream.unreadableLimit {
      throw .malformed(address: address, detail: "\(unreadable) unreadable lines in a row")
    }
  }

  private mutating func add(_ frame: Frame) {
    let data = mask(frame.data)
    if frame.type == "error" { return fold.fail(ErrorBody(data)) }
    // A frame that cannot be parsed is reported. A keep-alive is only logged.
    guard let json = try? JSON(parsing: frame.data, keepsHalves: true), json.object != nil else {
      let words = String(decoding: data.prefix(200), as: UTF8.self)
      if !frame.data.startsObject {
        switch PlainData(data, type: frame.type) {
        case .keepAlive: return fold.log("skipped a keep-alive: \(words)")
        case .error(let body): return fold.fail(body)
        case .unknown: lastWords = lastWords ?? ErrorBody(data)
        }
      }
      unreadable += 1
      return fold.passOver(words)
    }
    (unreadable, lastWords) = (0, nil)
    fold.add(mask(json), type: frame.type)
  }

  private mutating func readWhole() throws(BackendError) {
    guard let json = try? JSON(parsing: whole) else { throw notAnAnswer() }  // described by `notAnAnswer`
    fold.add(mask(json))
    if let failure = fold.failure { throw failure }
    guard fold.hasChoices else { throw .malformed(address: address, detail: "JSON without an answer") }
    fold.finish()
  }

  private func notAnAnswer() -> BackendError {
    let said = mask(whole)
    if let page = HTMLPage(said) { return .malformed(address: address, detail: page.description) }
    if said.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      return .malformed(address: address, detail: "broken JSON")
    }
    return .malformed(address: address, detail: "text \"\(ErrorBody(Array(said.prefix(200))).message.prefix(80))\"")
  }
}

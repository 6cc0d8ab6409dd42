import Wire

/// Reads the body of an answer, JSON or an event stream as its server chose, however it is cut.
struct MCPAnswerReader {
  /// The most bytes of a message (docs/rules.md N2).
  static let messageLimit = 8 << 20

  enum Failure: Error, Equatable {
    case tooLong
    /// Neither JSON nor an event stream; says what it is.
    case notTheAPI(String)
    case notJSON
  }

  private enum Form { case json, stream, unknown }

  private let form: Form
  private var sse = SSE(lineLimit: messageLimit, eventLimit: messageLimit)
  /// Where the transport of 2024-11-05 wants messages sent: the data of an `endpoint` event.
  private(set) var endpoint: String?
  /// A body that is no stream, as far as it has come.
  private(set) var whole: [UInt8] = []

  init(contentType: String?) {
    form =
      switch contentType?.mediaType {
      case "text/event-stream": .stream
      case "application/json": .json
      default: .unknown
      }
  }

  /// Where a stream that broke can be taken up; empty when nowhere.
  var lastEventID: String { sse.lastEventID }
  /// Seconds that the server wants to be left alone before.
  var retry: Double? { sse.retry.map { Double($0) / 1000 } }

  /// Takes the next bytes, and gives the messages that they complete.
  mutating func feed(_ bytes: [UInt8]) throws(Failure) -> [JSONRPCMessage] {
    guard form == .stream else {
      guard whole.count + bytes.count <= MCPAnswerReader.messageLimit else { throw .tooLong }
      whole += bytes
      return []
    }
    return try read { (sse, receive) throws(SSE.Failure) in try sse.feed(bytes, receive) }
  }

  /// The end of the body.
  mutating func end() throws(Failure) -> [JSONRPCMessage] {
    if form == .stream { return try read { (sse, receive) throws(SSE.Failure) in sse.end(receive) } }
    guard !whole.isEmpty else { return [] }
    if form == .unknown, let page = HTMLPage(whole) { throw .notTheAPI(page.description) }
    return try MCPAnswerReader.messages(whole)
  }

  private mutating func read(
    _ events: (inout SSE, (SSE.Event) -> Void) throws(SSE.Failure) -> Void
  ) throws(Failure) -> [JSONRPCMessage] {
    var messages: [JSONRPCMessage] = []
    var failure: Failure?
    var endpoint = endpoint
    do throws(SSE.Failure) {
      try events(&sse) { event in
        if event.type == "endpoint" { endpoint = endpoint ?? event.text }
        // An event without data only names the place where the stream can be taken up.
        guard !event.data.isEmpty, event.type == nil || event.type == "message" else { return }
        do throws(Failure) { messages += try MCPAnswerReader.messages(Array(event.data)) } catch { failure = error }
      }
    } catch { throw .tooLong }
    self.endpoint = endpoint
    if let failure { throw failure }
    return messages
  }

  /// One message, or several where a server of 2025-03-26 answers so. What is no message is passed over.
  static func messages(_ bytes: [UInt8]) throws(Failure) -> [JSONRPCMessage] {
    let json: JSON
    do throws(JSON.Failure) {
      json = try JSON(parsing: bytes)
    } catch {
      if let page = HTMLPage(bytes) { throw .notTheAPI(page.description) }
      throw .notJSON
    }
    return (json.array ?? [json]).compactMap { json in
      do throws(JSONRPCMessage.Malformed) {
        return try JSONRPCMessage(json)
      } catch {
        // Who asked is told at once that there is nothing in the answer.
        if case .unreadable(let id) = error { return .response(id: id, result: .null) }
        return nil
      }
    }
  }
}

extension String {
  /// A content type without its parameters, in lower case.
  var mediaType: String { prefix { $0 != ";" }.trimmingBlanks.lowercased() }
}

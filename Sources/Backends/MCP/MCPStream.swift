import Chat
import Transport
import Wire

/// The messages of an answer as they come.
struct MCPStream {
  /// The most bytes of an error that are read.
  private static let errorLimit = 64 << 10

  let response: HTTPResponse
  private let door: MCPDoor
  private(set) var reader: MCPAnswerReader
  private var messages: [JSONRPCMessage] = []
  private var nextMessage = 0
  private var hasEnded = false

  init(_ response: HTTPResponse, door: MCPDoor) {
    self.response = response
    self.door = door
    reader = MCPAnswerReader(contentType: response[header: "content-type"])
  }

  var isEventStream: Bool { response[header: "content-type"]?.mediaType == "text/event-stream" }

  /// The next message; nil at the end. Waits at most so many seconds for bytes.
  mutating func next(timeout: Double? = nil) async throws(MCPFault) -> JSONRPCMessage? {
    while nextMessage == messages.count {
      guard !hasEnded else { return nil }
      nextMessage = 0
      messages = try await more(timeout)
    }
    defer { nextMessage += 1 }
    return messages[nextMessage]
  }

  private mutating func more(_ timeout: Double?) async throws(MCPFault) -> [JSONRPCMessage] {
    let bytes: [UInt8]?
    do throws(TransportError) { bytes = try await response.body.next(timeout: timeout) } catch {
      throw door.fault(error)
    }
    do throws(MCPAnswerReader.Failure) {
      hasEnded = bytes == nil
      let messages = if let bytes { try reader.feed(bytes) } else { try reader.end() }
      return messages.map { door.signer.masked($0) }
    } catch { throw .failed(door.failure(error)) }
  }

  /// Reads until the address for messages is known, or the time is over.
  mutating func endpoint(within seconds: Double) async throws(MCPFault) -> String? {
    let deadline = door.clock.now() + seconds
    while reader.endpoint == nil, !hasEnded, door.clock.now() < deadline {
      messages += try await more(deadline - door.clock.now())
    }
    return reader.endpoint
  }

  /// The body of an error, as far as it comes in time.
  func rest() async throws(MCPFault) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(TransportError) {
      while bytes.count < MCPStream.errorLimit,
        let more = try await response.body.next(timeout: door.timeouts.connect)
      { bytes += more }
    } catch {
      if error == .cancelled { throw .failed(.cancelled) }
    }
    return door.signer.masked(bytes)
  }

  func close() { response.body.cancel() }
}

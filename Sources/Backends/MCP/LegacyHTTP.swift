import Chat
import Transport
import Waiting
import Wire

/// The versions with `initialize` over streamable HTTP, after it: a POST for each message, and perhaps a session
/// (docs/mcp.md 1).
final class LegacyHTTP: MCPLine, Sendable {
  /// How often a stream that broke is taken up without anything new on it.
  private static let resumptionLimit = 5
  /// Seconds to wait before a stream is taken up, when the server does not say.
  static let usualRetry = 1.0
  /// Seconds that a farewell may take.
  private static let farewell = 3.0

  let door: MCPDoor
  let url: String
  let session: String?
  let hello: MCPHello?
  let board: CallBoard
  private let version: String
  private let listening = Locked<Task<Void, Never>?>(nil)

  var era: MCPVerdict.Era { .legacy }
  var transport: MCPVerdict.Transport { .streamable }

  init(_ door: MCPDoor, url: String, session: String?, hello: MCPHello, board: CallBoard) {
    self.door = door
    self.url = url
    self.session = session
    self.hello = hello
    self.board = board
    version = hello.version
  }

  deinit { listening.withLock { $0?.cancel() } }

  var headers: [(name: String, value: String)] { LegacyWire.headers(session: session, version: version) }

  func carry(_ request: MCPRequest, id: Int, into inbox: Inbox) async {
    do throws(MCPFault) {
      let (response, _) = try await door.send(door.post(LegacyWire.message(request, id: id), to: url, headers))
      var stream = MCPStream(response, door: door)
      defer { stream.close() }
      guard 200..<300 ~= response.status else { throw try await refusal(stream, id) }
      if try await pass(&stream, id, to: inbox) { return }
      // 202 to a request: the server is broken (docs/mcp.md 4).
      guard stream.isEventStream else {
        throw .failed(door.failure(response.status, stream.reader.whole))
      }
      try await resume(after: stream.reader, id, to: inbox)
    } catch {
      inbox.put(.ended(error))
    }
  }

  /// Takes up a stream that ended before its answer, as long as the server said where.
  private func resume(after reader: MCPAnswerReader, _ id: Int, to inbox: Inbox) async throws(MCPFault) {
    var place = reader.lastEventID
    var retry = reader.retry
    var attempts = 0
    while !place.isEmpty, attempts < LegacyHTTP.resumptionLimit {
      await door.clock.sleep(min(retry ?? LegacyHTTP.usualRetry, 30))
      if Task.isCancelled { throw .failed(.cancelled) }
      attempts += 1
      guard var stream = try await taken(up: place) else { continue }
      defer { stream.close() }
      guard stream.response.status == 200 else { break }
      if try await pass(&stream, id, to: inbox) { return }
      if !stream.reader.lastEventID.isEmpty, stream.reader.lastEventID != place {
        place = stream.reader.lastEventID
        attempts = 0
      }
      retry = stream.reader.retry ?? retry
    }
    throw .cut
  }

  /// nil when the server cannot be reached now.
  private func taken(up place: String) async throws(MCPFault) -> MCPStream? {
    do throws(MCPFault) {
      let (response, _) = try await door.send(door.stream(url, headers + [(name: "Last-Event-ID", value: place)]))
      return MCPStream(response, door: door)
    } catch {
      switch error {
      case .cut, .failed(.server(.unreachable)): return nil
      default: throw error
      }
    }
  }

  /// Passes on what comes, and says whether the answer was among it.
  private func pass(_ stream: inout MCPStream, _ id: Int, to inbox: Inbox) async throws(MCPFault) -> Bool {
    do throws(MCPFault) {
      while let message = try await stream.next() {
        switch message {
        case .response(let answered, let result) where answered.number == id:
          inbox.put(.result(result))
          return true
        case .error(let answered, let failure) where answered == nil || answered?.number == id:
          inbox.put(.refused(failure))
          return true
        case .notification(let method, let params): inbox.put(.notice(method: method, params: params ?? .null))
        case .request(let asked, let method, let params):
          inbox.put(.asked(method: method, params: params ?? .null, answer: door.answer(to: asked, at: url, headers)))
        default: break
        }
      }
    } catch {
      // Only a stream can be taken up again.
      guard case .cut = error, stream.isEventStream else { throw error }
    }
    return false
  }

  private func refusal(_ stream: MCPStream, _ id: Int) async throws(MCPFault) -> MCPFault {
    let status = stream.response.status
    let bytes = try await stream.rest()
    let failure = Collected.failure(in: bytes)
    if let failure, failure.id.number == id, failure.error.code != RPCFailure.invalidRequest {
      return .refused(failure.error)
    }
    let error =
      failure.map { door.refusal($0.error) }
      ?? door.failure(status, bytes, location: stream.response[header: "location"])
    // 400 where it is an older server, 404 where the session was known once (docs/kamiwaza.md 6.3).
    return [400, 404, 405].contains(status) ? .sessionGone(error) : .failed(error)
  }

  /// Begins to listen, where the server has a stream for what belongs to no request of ours.
  func listen() {
    let listener = LegacyListener(door: door, url: url, headers: headers, board: board)
    // This line's own: it ends with it, for it does not hold it.
    let task = Task { await listener.listen() }
    listening.withLock { $0 = task }
  }

  func cancel(_ id: Int) async { await tell(door.post(LegacyWire.cancelled(id), to: url, headers)) }

  func close() async {
    listening.withLock { $0?.cancel() }
    guard session != nil else { return }
    await tell(HTTPRequest("DELETE", url, headers: headers))
  }

  /// Sends what nobody waits for an answer to.
  private func tell(_ request: HTTPRequest) async {
    var request = request
    request.connectTimeout = min(door.timeouts.connect, LegacyHTTP.farewell)
    request.headersTimeout = LegacyHTTP.farewell
    // A server that cannot be told finds out by itself.
    if let (response, _) = try? await door.send(request) { response.body.cancel() }
  }
}

extension MCPDoor {
  /// What a server is told that asked something.
  func answer(
    to id: RPCID, at url: String, _ headers: [(name: String, value: String)]
  ) -> @Sendable (Result<JSON, RPCFailure>) async -> Void {
    { [self] outcome in
      let message =
        switch outcome {
        case .success(let result): JSONRPCMessage.response(id: id, result: result)
        case .failure(let failure): JSONRPCMessage.error(id: id, failure)
        }
      var request = post(message, to: url, headers)
      request.headersTimeout = timeouts.request
      // The server goes on waiting if it does not arrive, and the call's own time-out ends that.
      if let (response, _) = try? await send(request) { response.body.cancel() }
    }
  }
}

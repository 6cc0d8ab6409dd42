import Chat
import Foundation
import Transport
import Wire

/// The versions with `initialize` over streamable HTTP, after it: a POST for each message, and perhaps a session
/// (MCP contract, section 1).
// Sendable: the task that listens is set and read under the lock only.
final class LegacyHTTP: MCPLine, @unchecked Sendable {
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
  private let lock = NSLock()
  private var listening: Task<Void, Never>?

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

  deinit { listening?.cancel() }

  var headers: [(name: String, value: String)] { LegacyWire.headers(session: session, version: version) }

  func carry(_ request: MCPRequest, id: Int, into inbox: Inbox) async {
    do throws(MCPFault) {
      let (response, _) = try await door.send(door.post(LegacyWire.message(request, id: id), to: url, headers))
      var stream = MCPStream(response, door: door)
      defer { stream.close() }
      guard 200..<300 ~= response.status else { throw try await refusal(stream, id) }
      if try await pass(&stream, id, to: inbox) { return }
      // 202 to a request: the server is broken (MCP contract, section 4).
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
          inbox.put(.asked(method: method, params: params ?? .null, answer: answer(to: asked)))
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
    // 400 where it is an older server, 404 where the session was known once (Kamiwaza contract, 6.3).
    return [400, 404, 405].contains(status) ? .sessionGone(error) : .failed(error)
  }

  /// What a server is told that asked something.
  func answer(to id: RPCID) -> @Sendable (Result<JSON, RPCFailure>) async -> Void {
    { [door, url, headers] outcome in
      let message =
        switch outcome {
        case .success(let result): JSONRPCMessage.response(id: id, result: result)
        case .failure(let failure): JSONRPCMessage.error(id: id, failure)
        }
      var request = door.post(message, to: url, headers)
      request.headersTimeout = door.timeouts.request
      // The server goes on waiting if it does not arrive, and the call's own time-out ends that.
      if let (response, _) = try? await door.send(request) { response.body.cancel() }
    }
  }

  func cancel(_ id: Int) async { await tell(door.post(LegacyWire.cancelled(id), to: url, headers)) }

  func close() async {
    lock.withLock { listening }?.cancel()
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

// The stream for what belongs to no request of ours.
extension LegacyHTTP {
  /// Begins to listen, where the server has such a stream. The task is this line's and ends with it.
  func listen() {
    let task = Task { [weak self] in
      var place = ""
      var pause = LegacyHTTP.usualRetry
      while !Task.isCancelled, let clock = self?.door.clock, let next = await self?.listenOnce(from: &place, &pause) {
        guard next else { return }
        await clock.sleep(pause)
      }
    }
    lock.withLock { listening = task }
  }

  /// One stream to its end; false when the server has none, or no more.
  private func listenOnce(from place: inout String, _ pause: inout Double) async -> Bool {
    let resumption = place.isEmpty ? [] : [(name: "Last-Event-ID", value: place)]
    guard let (response, _) = try? await door.send(door.stream(url, headers + resumption)) else {
      // The next request finds out what is wrong.
      pause = min(pause * 2, 60)
      return true
    }
    var stream = MCPStream(response, door: door)
    defer { stream.close() }
    // 405: it has none; 409: it has one already (MCP contract, section 1).
    guard response.status == 200, stream.isEventStream else {
      return false
    }
    while let message = try? await stream.next() { await take(message) }
    if !stream.reader.lastEventID.isEmpty { place = stream.reader.lastEventID }
    pause = stream.reader.retry.map { min(max($0, 0.1), 60) } ?? min(pause * 2, 60)
    return true
  }

  private func take(_ message: JSONRPCMessage) async {
    switch message {
    case .notification(let method, let params): board.note(method, params ?? .null)
    case .request(let id, let method, let params):
      let answer = answer(to: id)
      if method == "ping" {
        await answer(.success([:]))
      } else if !board.ask(method, params ?? .null, answer: answer) {
        await answer(.failure(.unknownMethod))
      }
    // An answer that the server sends here and not on the stream of its request.
    case .response(let id, let result): id.number.flatMap { board[$0] }?.put(.result(result))
    case .error(let id, let failure): id?.number.flatMap { board[$0] }?.put(.refused(failure))
    }
  }
}

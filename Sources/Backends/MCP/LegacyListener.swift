import Chat
import Transport
import Wire

/// Listens on the stream for what belongs to no request of ours, until its task is cancelled.
struct LegacyListener: Sendable {
  let door: MCPDoor
  let url: String
  let headers: [(name: String, value: String)]
  let board: CallBoard

  func listen() async {
    var place = ""
    var pause = LegacyHTTP.usualRetry
    while !Task.isCancelled, await listenOnce(from: &place, &pause) { await door.clock.sleep(pause) }
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
    // 405: it has none; 409: it has one already (docs/mcp.md 1).
    guard response.status == 200, stream.isEventStream else { return false }
    while let message = try? await stream.next() { await take(message) }
    if !stream.reader.lastEventID.isEmpty { place = stream.reader.lastEventID }
    pause = stream.reader.retry.map { min(max($0, 0.1), 60) } ?? min(pause * 2, 60)
    return true
  }

  private func take(_ message: JSONRPCMessage) async {
    switch message {
    case .notification(let method, let params): board.note(method, params ?? .null)
    case .request(let id, let method, let params):
      let answer = door.answer(to: id, at: url, headers)
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

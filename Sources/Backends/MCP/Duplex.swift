import Transport
import Wire

/// A channel that is read for as long as it stands, and the conversation on it.
final class Duplex: Sendable {
  let peer: RPCPeer
  private let channel: any RPCChannel
  /// This object's own: it goes on between requests, until the channel ends or is closed.
  private let reading: Task<Void, Never>

  init(_ channel: any RPCChannel, board: CallBoard) {
    self.channel = channel
    peer = RPCPeer(
      send: { (message) async throws(RPCError) in try await channel.send(message) },
      handler: RPCHandler(
        request: { Duplex.take($0, board) }, notification: { method, params in board.note(method, params ?? .null) },
        note: { board.remark($0.words) }))
    reading = Task { [peer] in await peer.read(channel) }
  }

  private static func take(_ request: RPCRequest, _ board: CallBoard) -> Bool {
    let answer: @Sendable (Result<JSON, RPCFailure>) async -> Void = { await request.answer($0) }
    guard request.method != "ping" else {
      // The request's own; a handler must not wait.
      Task { await answer(.success([:])) }
      return true
    }
    return board.ask(request.method, request.params ?? .null, answer: answer)
  }

  func close() async {
    peer.close()
    await channel.close()
    reading.cancel()
  }
}

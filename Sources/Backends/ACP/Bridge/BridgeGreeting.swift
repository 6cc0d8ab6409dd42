import Transport
import Waiting
import Wire

/// Requests by a connection that nobody else reads yet.
actor BridgeGreeting {
  private let socket: any WebSocket
  private let mask: SecretMask
  /// What came and was no answer to them.
  private(set) var others: [JSONLines.Line] = []
  /// Whether the bridge has replayed all messages that the agent sent between two connections.
  private(set) var hasHeardPast = false

  init(_ socket: any WebSocket, _ mask: SecretMask) {
    self.socket = socket
    self.mask = mask
  }

  static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

  /// Sends the request and reads until its answer.
  /// - Parameter pastEnds: whether the end of the replayed messages means that no answer follows.
  /// - Returns: nil if the replay ended before the answer.
  func ask(
    _ method: String, _ params: JSON, pastEnds: Bool
  ) async throws(TransportError) -> Result<JSON, RPCFailure>? {
    let id = RPCID.string(BridgeGreeting.randomName())
    try await socket.send(JSONRPCMessage.request(id: id, method: method, params: params).json.bytes())
    while !(pastEnds && hasHeardPast) {
      switch try await next() {
      case .message(.response(id, let result)): return .success(result)
      case .message(.error(id, let failure)): return .failure(failure)
      case let line: keep(line)
      }
    }
    return nil
  }

  /// Reads on until all is told that was said between two connections.
  func hearPast(within seconds: Double, _ clock: TimeSource) async {
    guard !hasHeardPast else { return }
    do throws(TransportError) {
      _ = try await Waiting.within(seconds, pause: clock.sleep) { () async throws(TransportError) in
        try await self.readPast()
      }
    } catch {
      // The connection is lost: whoever reads it next finds the same.
    }
  }

  private func readPast() async throws(TransportError) {
    while !hasHeardPast { keep(try await next()) }
  }

  private func keep(_ line: JSONLines.Line) {
    others.append(line)
    if case .message(.notification("bridge/bufferReplayComplete", _)) = line { hasHeardPast = true }
  }

  private func next() async throws(TransportError) -> JSONLines.Line {
    guard let bytes = try await socket.receive() else { throw .closedEarly("the bridge closed the connection") }
    return mask(JSONLines.read(bytes))
  }
}

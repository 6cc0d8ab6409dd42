extension CurlHTTP: WebSockets {
  package func open(
    _ request: HTTPRequest, silence: Double, form: SocketForm
  ) async throws(TransportError) -> any WebSocket {
    try await open(request, silence: Silence.Limits(silence), form: form)
  }

  func open(
    _ request: HTTPRequest, silence: Silence.Limits, form: SocketForm = .text
  ) async throws(TransportError) -> any WebSocket {
    let upgrade = try Upgrade(request, userAgent: settings.userAgent)
    // Nothing leaves on behalf of somebody who has given up.
    if Task.isCancelled { throw .cancelled }
    let traffic = SocketTraffic()
    SocketThread.start(upgrade, settings: settings, silence: silence, form: form, for: traffic)
    try await traffic.waitUntilOpen()
    return CurlWebSocket(traffic)
  }
}

/// Closes the socket when it is dropped; its thread holds only the traffic.
private final class CurlWebSocket: WebSocket {
  private let traffic: SocketTraffic

  init(_ traffic: SocketTraffic) { self.traffic = traffic }

  deinit { traffic.close() }

  func send(_ message: [UInt8]) async throws(TransportError) { try await traffic.send(message) }

  func receive() async throws(TransportError) -> [UInt8]? { try await traffic.receive() }

  func close() { traffic.close() }

  var closeCode: Int? { traffic.closeCode }
}

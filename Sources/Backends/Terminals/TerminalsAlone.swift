import Chat
import Transport

/// A server that keeps terminals, and answers no messages.
protocol TerminalsAlone: Backend {}

extension TerminalsAlone {
  var abilities: Abilities { [] }

  func models() async throws(BackendError) -> [Model] { [] }

  func answer(_ question: ChatRequest) -> Answer {
    Answer(next: { () async throws(BackendError) in throw .notOffered("answers to messages") }, stop: {})
  }
}

extension Kind {
  /// One whose servers keep terminals, which a WebSocket leads to, and answer no messages.
  static func ofTerminals(
    _ name: String, summary: String, probe: @escaping Probe,
    _ make: @escaping @Sendable (Endpoint, any WebSockets) -> any TerminalsAlone
  ) -> Kind {
    Kind(
      name: name, summary: summary, make: { _, surroundings, endpoint in make(endpoint(), surroundings.sockets) },
      claim: nil, probe: probe)
  }
}

extension TerminalError {
  init(_ error: BackendError) { self = error == .cancelled ? .cancelled : .server(error) }
}

import Chat

/// A server that keeps terminals, and answers no messages.
protocol TerminalsAlone: Backend {}

extension TerminalsAlone {
  var abilities: Abilities { [] }

  func models() async throws(BackendError) -> [Model] { [] }

  func answer(_ question: ChatRequest) -> Answer {
    Answer(next: { () async throws(BackendError) in throw .notOffered("answers to messages") }, stop: {})
  }
}

extension TerminalError {
  init(_ error: BackendError) { self = error == .cancelled ? .cancelled : .server(error) }
}

import Chat
import Transport

extension Kind {
  static let acp = Kind(
    name: "acp", summary: "an agent on this machine that speaks the Agent Client Protocol",
    make: { server, surroundings, _ in ACPBackend(server, surroundings) },
    claim: { typed in
      ACPAddress(typed.trimmingBlanks).map { FoundServer(kind: "acp", url: $0.url, models: []) }
    }, probe: nil)
}

/// An agent that is started as a program. It keeps the conversation: what it is sent is the last message alone.
struct ACPBackend: Backend {
  let server: Server
  let acp: ACPAgent

  /// What is wrong with its address is said when it is first needed.
  init(_ server: Server, _ surroundings: Surroundings) {
    self.server = server
    acp = ACPAgent(server: server, surroundings)
  }

  /// Its models are among its own settings.
  let abilities: Abilities = [.keepsConversations]
  var agent: (any Agent)? { acp }

  func models() async throws(BackendError) -> [Model] { [] }

  func answer(_ question: ChatRequest) -> Answer { acp.answer(question) }
}

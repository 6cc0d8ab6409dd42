import Chat
import Transport

extension Kind {
  static let acp = Kind(
    name: "acp", summary: "an agent that speaks the Agent Client Protocol, here or behind a bridge",
    make: { server, surroundings, endpoint in
      let place: ACPAgent.Place =
        if let bridge = BridgeAddress(server.url) {
          .away(bridge, endpoint())
        } else {
          .here(ACPAddress(server.url))
        }
      return ACPBackend(server, at: place, surroundings)
    },
    claim: { typed in
      let typed = typed.trimmingBlanks
      let url = ACPAddress(typed)?.url ?? BridgeAddress(typed)?.url
      return url.map { FoundServer(kind: "acp", url: $0, models: []) }
    }, probe: nil)
}

/// An agent keeps the conversation: what it is sent is the last message alone.
struct ACPBackend: Backend {
  let server: Server
  let acp: ACPAgent

  /// What is wrong with its address is said when it is first needed.
  /// - Parameter place: nil for a program of this machine.
  init(_ server: Server, at place: ACPAgent.Place? = nil, _ surroundings: Surroundings) {
    self.server = server
    acp = ACPAgent(server: server, at: place ?? .here(ACPAddress(server.url)), surroundings)
  }

  /// Its models are among its own settings.
  let abilities: Abilities = [.keepsConversations, .takesFiles]
  var agent: (any Agent)? { acp }

  func models() async throws(BackendError) -> [Model] { [] }

  func answer(_ question: ChatRequest) -> Answer {
    let answer = acp.answer(question)
    return acp.mask.map { answer.masked(by: $0) } ?? answer
  }
}

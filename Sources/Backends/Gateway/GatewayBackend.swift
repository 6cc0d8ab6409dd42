import Chat
import Transport
import Wire

extension Kind {
  static let gateway = Kind(
    name: "gateway", summary: "Claude gateways: claude-code-api, claude-code-openai-wrapper and their like",
    make: { _, _, endpoint in GatewayBackend(endpoint()) }, claim: nil, probe: GatewayProbe.find)
}

/// A server that puts a web API before Claude, and runs its tools itself (docs/gateway.md).
struct GatewayBackend: Backend {
  let api: GatewayAPI

  init(_ endpoint: Endpoint) { self.init(api: GatewayAPI(endpoint)) }
  private init(api: GatewayAPI) { self.api = api }

  var server: Server { api.endpoint.server }
  let abilities: Abilities = [.models, .systemPrompt, .sampling, .continues]

  var account: (any Account)? { KeyAccount(api.endpoint) }
  var sessions: (any RemoteSessions)? { GatewaySessions(api: api) }
  var projects: (any Projects)? { GatewayProjects(api: api) }
  var usage: (any UsageReporting)? { GatewayUsage(api: api) }
  var remoteTools: (any RemoteTools)? { GatewayTools(api: api) }
  var health: (any HealthReporting)? { GatewayHealth(api: api) }

  func choosing(_ choice: GatewayChoice?) -> any Backend {
    GatewayBackend(api: GatewayAPI(api.endpoint.choosing(choice), memory: api.memory))
  }

  func models() async throws(BackendError) -> [Model] { try await api.models() }

  func answer(_ question: ChatRequest) -> Answer {
    let answer = GatewayAnswer(question, api)
    return Answer(next: { () async throws(BackendError) in try await answer.next() }, stop: { answer.stop() })
      .masked(by: api.endpoint.bearer.mask)
  }
}

import Chat
import Transport
import Wire

extension Kind {
  static let chatUI = Kind(
    name: "chat-ui", summary: "chat-ui and its forks, such as HuggingChat and VibeCaaSChat",
    make: { _, surroundings, endpoint in
      let port = surroundings.environment[ChatUIAPI.callbackPortVariable]
      return ChatUIBackend(endpoint(), callbackPort: port.flatMap { $0.isEmpty ? nil : $0 })
    }, claim: nil, probe: ChatUIProbe.find)
}

/// A server that keeps its conversations itself (docs/chatui.md).
struct ChatUIBackend: Backend {
  let api: ChatUIAPI

  init(_ endpoint: Endpoint, callbackPort: String? = nil) {
    self.init(api: ChatUIAPI(endpoint, callbackPort: callbackPort))
  }
  private init(api: ChatUIAPI) { self.api = api }

  var server: Server { api.endpoint.server }
  let abilities: Abilities = [.models, .systemPrompt, .keepsConversations, .takesFiles, .hasSystemPrompts]

  var account: (any Account)? { ChatUIAccount(api) }
  var sessions: (any RemoteSessions)? { ChatUISessions(api) }
  var remoteTools: (any RemoteTools)? { ChatUITools(api: api) }
  var settings: (any RemoteSettings)? { ChatUISettings(api: api) }

  func choosing(_ choice: GatewayChoice?) -> any Backend { ChatUIBackend(api: api.choosing(choice)) }

  func models() async throws(BackendError) -> [Model] { try await api.models() }

  func answer(_ question: ChatRequest) -> Answer {
    let answer = ChatUIAnswer(question, api)
    return Answer(next: { () async throws(BackendError) in try await answer.next() }, stop: { answer.stop() })
      .masked(by: api.endpoint.bearer.mask)
  }
}

/// Finds a server by what only such servers publish (docs/chatui.md 3).
enum ChatUIProbe {
  @Sendable static func find(_ place: inout ProbedOrigin) async throws(TransportError) -> FoundServer? {
    for base in place.bases where place.isOnlyKind || !base.hasSuffix("/v1") {
      let document = try await place.get(base + "/api/v2/public-config", authorized: false)
      if document.status == 200, let json = document.json, json["json"]?.object != nil {
        return await found(at: base, place)
      }
      // Of the older interface alone, which answers in JSON that there is no such page.
      guard place.isOnlyKind || document.status == 404 && document.json != nil else {
        place.note(base + "/api/v2/public-config", document, else: "JSON of another program")
        continue
      }
      let models = try await place.get(base + "/api/models", authorized: false)
      if models.status == 200, let list = models.json?.array, !list.isEmpty,
        list.allSatisfy({ $0["id"]?.word != nil && $0["displayName"]?.word != nil })
      {
        return await found(at: base, place)
      }
      place.note(base + "/api/v2/public-config", document, else: "JSON of another program")
    }
    return nil
  }

  private static func found(at base: String, _ place: ProbedOrigin) async -> FoundServer {
    // It was found, whether or not it lists its models now.
    let models = try? await ChatUIAPI(place.endpoint(at: base, of: .chatUI)).models()
    return FoundServer(kind: Kind.chatUI.name, url: base, models: models)
  }
}

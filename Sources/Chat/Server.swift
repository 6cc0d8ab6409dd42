/// A server the person talks to: data, not code.
package struct Server: Sendable, Equatable {
  /// The person's name for it, unique among the servers kept.
  package var name: String
  /// Which backend speaks to it, such as `openai`; a key of the table in Backends.
  package var kind: String
  /// The base address that worked when it was probed, such as `http://127.0.0.1:8080/v1`, without a trailing slash.
  package var url: String
  /// Other origins that the person lets the sign-in of this server go to, such as `http://10.0.0.7:61105`
  /// (docs/rules.md T9, T10).
  package var allowedOrigins: [String]
  /// What is known of an agent behind a bridge (docs/acp.md 10).
  package var bridge: BridgedAgent?
  /// What the person chose on a gateway (docs/gateway.md 5, 7).
  package var gateway: GatewayChoice?

  package init(
    name: String, kind: String, url: String, allowedOrigins: [String] = [], bridge: BridgedAgent? = nil,
    gateway: GatewayChoice? = nil
  ) {
    self.bridge = bridge
    self.gateway = gateway
    self.name = name
    self.kind = kind
    self.url = url
    self.allowedOrigins = allowedOrigins
  }
}

/// What goes along with each message to a gateway.
package struct GatewayChoice: Sendable, Equatable {
  /// The project that messages belong to: the server's own name for it.
  package var project: String?
  /// The tools that its model may use; nil leaves that to the server.
  package var tools: RemoteToolChoice?

  package init(project: String? = nil, tools: RemoteToolChoice? = nil) {
    self.project = project
    self.tools = tools
  }

  /// Whether nothing was chosen.
  package var isEmpty: Bool { project == nil && tools == nil }
}

/// An agent on another machine, as the bridge there told it when it was paired with.
package struct BridgedAgent: Sendable, Equatable {
  /// The bridge's own id, the same by every way to it.
  package var id: String
  /// Where the agent works, on its own machine.
  package var folder: String?

  package init(id: String, folder: String? = nil) {
    self.id = id
    self.folder = folder
  }
}

/// A model as a server lists it.
package struct Model: Sendable, Equatable {
  /// The name it is shown and chosen by; unique on its server.
  package var id: String
  /// In tokens, when the server says so.
  package var contextWindow: Int?
  /// Such as `loaded`, when the server says so.
  package var state: String?
  /// Whether it can be asked now. Those that can come first in a list, the one to begin with before the others.
  package var isReady: Bool
  /// Whether one can chat with it. One that is for something else is asked only when it is chosen.
  package var isForChat: Bool
  /// Why it cannot, or what else there is to know, in the server's words.
  package var note: String?
  /// What the server calls the running instance, where that is not the model's name.
  package var deployment: String?
  /// What else the server tells of it.
  package var details: ModelDetails?

  package init(
    id: String, contextWindow: Int? = nil, state: String? = nil, isReady: Bool = true, isForChat: Bool = true,
    note: String? = nil, deployment: String? = nil, details: ModelDetails? = nil
  ) {
    self.details = details
    self.id = id
    self.contextWindow = contextWindow
    self.state = state
    self.isReady = isReady
    self.isForChat = isForChat
    self.note = note
    self.deployment = deployment
  }
}

/// What a model can do and what it costs, in the words of its server.
package struct ModelDetails: Sendable, Equatable {
  package var title: String?
  package var about: String?
  /// Such as `streaming` and `tools`.
  package var features: [String]
  /// For 1000 tokens of a prompt and of an answer.
  package var promptPrice: Double?
  package var completionPrice: Double?
  /// Such as `USD`; nil where the server does not say.
  package var currency: String?

  package init(
    title: String? = nil, about: String? = nil, features: [String] = [], promptPrice: Double? = nil,
    completionPrice: Double? = nil, currency: String? = nil
  ) {
    self.title = title
    self.about = about
    self.features = features
    self.promptPrice = promptPrice
    self.completionPrice = completionPrice
    self.currency = currency
  }
}

/// What was found at an address.
package struct FoundServer: Sendable, Equatable {
  /// A key of the table in Backends.
  package var kind: String
  /// The base address that answered, for `Server.url`.
  package var url: String
  /// nil when the server wants to know who asks before it tells.
  package var models: [Model]?

  package init(kind: String, url: String, models: [Model]?) {
    self.kind = kind
    self.url = url
    self.models = models
  }
}

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

  package init(
    name: String, kind: String, url: String, allowedOrigins: [String] = [], bridge: BridgedAgent? = nil
  ) {
    self.bridge = bridge
    self.name = name
    self.kind = kind
    self.url = url
    self.allowedOrigins = allowedOrigins
  }
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
  /// Why it cannot, or what else there is to know, in the server's words.
  package var note: String?
  /// What the server calls the running instance, where that is not the model's name.
  package var deployment: String?

  package init(
    id: String, contextWindow: Int? = nil, state: String? = nil, isReady: Bool = true, note: String? = nil,
    deployment: String? = nil
  ) {
    self.id = id
    self.contextWindow = contextWindow
    self.state = state
    self.isReady = isReady
    self.note = note
    self.deployment = deployment
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

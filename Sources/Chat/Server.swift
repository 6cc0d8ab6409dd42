/// A server the person talks to: data, not code.
package struct Server: Sendable, Equatable {
  /// The person's name for it, unique among the servers kept.
  package var name: String
  /// Which backend speaks to it, such as `openai`; a key of the table in Backends.
  package var kind: String
  /// The base address that worked when it was probed, such as `http://127.0.0.1:8080/v1`, without a trailing slash.
  package var url: String

  package init(name: String, kind: String, url: String) {
    self.name = name
    self.kind = kind
    self.url = url
  }
}

/// A model as a server lists it.
package struct Model: Sendable, Equatable {
  package var id: String
  /// In tokens, when the server says so.
  package var contextWindow: Int?
  /// Such as `loaded`, when the server says so.
  package var state: String?

  package init(id: String, contextWindow: Int? = nil, state: String? = nil) {
    self.id = id
    self.contextWindow = contextWindow
    self.state = state
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

package import Wire

/// The servers of tools that a server runs for its own model: it calls them itself, and what it does with them is only
/// reported (docs/gateway.md 7).
package protocol RemoteTools: Sendable {
  /// What the person can say of them; nothing where the server decides; throws `notOffered` where there are none at all.
  func choices() async throws(BackendError) -> RemoteToolChoices

  /// In the server's order, each with its tools as far as they are told.
  /// - Parameter isWhole: whether a server whose tools cannot be read now is an error, since a choice is made of them.
  func servers(isWhole: Bool) async throws(BackendError) -> [RemoteToolServer]

  /// Makes a choice hold for a conversation that the server keeps. - Parameter conversation: the server's own name for it.
  func choose(_ choice: RemoteToolChoice, for conversation: String) async throws(BackendError)
}

/// What can be chosen of the tools of a server.
package struct RemoteToolChoices: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Which servers of tools, each whole.
  package static let servers = RemoteToolChoices(rawValue: 1 << 0)
  /// Which of their tools.
  package static let tools = RemoteToolChoices(rawValue: 1 << 1)
  /// Which tools to prefer.
  package static let order = RemoteToolChoices(rawValue: 1 << 2)
  /// Whether what is called is logged.
  package static let audit = RemoteToolChoices(rawValue: 1 << 3)
}

/// A server of tools on a server, in its words: not to be trusted.
package struct RemoteToolServer: Sendable, Equatable {
  /// What it is chosen by.
  package var id: String
  package var name: String
  /// Such as `available` or `stopped`, and why.
  package var state: String?
  package var about: String?
  /// Such as `user` or `project`.
  package var scope: String?
  package var version: String?
  /// Whether the server itself says that it is used; nil where it does not say.
  package var isEnabled: Bool?
  /// How many tools it has, where they are not listed.
  package var toolCount: Int?
  package var tools: [RemoteTool]

  package init(
    id: String, name: String, state: String? = nil, about: String? = nil, scope: String? = nil, version: String? = nil,
    isEnabled: Bool? = nil, toolCount: Int? = nil, tools: [RemoteTool] = []
  ) {
    self.id = id
    self.name = name
    self.state = state
    self.about = about
    self.scope = scope
    self.version = version
    self.isEnabled = isEnabled
    self.toolCount = toolCount
    self.tools = tools
  }
}

/// One of their tools.
package struct RemoteTool: Sendable, Equatable {
  package var name: String
  package var title: String?
  package var about: String?
  /// The JSON Schema of its arguments.
  package var parameters: JSON?
  /// Whether the server calls it dangerous.
  package var isDangerous: Bool

  package init(
    name: String, title: String? = nil, about: String? = nil, parameters: JSON? = nil, isDangerous: Bool = false
  ) {
    self.name = name
    self.title = title
    self.about = about
    self.parameters = parameters
    self.isDangerous = isDangerous
  }
}

/// What of them the model may use.
package struct RemoteToolChoice: Sendable, Equatable {
  /// By their ids.
  package var servers: [String]
  /// By their names.
  package var tools: [String]
  /// Names of tools, the one to prefer first.
  package var priority: [String]
  /// Whether the server is to keep a log of what it calls.
  package var isAudited: Bool

  package init(servers: [String] = [], tools: [String] = [], priority: [String] = [], isAudited: Bool = false) {
    self.servers = servers
    self.tools = tools
    self.priority = priority
    self.isAudited = isAudited
  }
}

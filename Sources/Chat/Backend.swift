package import Wire

/// Speaks with one server. A protocol because the process ends here.
package protocol Backend: Sendable {
  var server: Server { get }
  var abilities: Abilities { get }

  /// The models the server has now, in its order.
  func models() async throws(BackendError) -> [Model]

  /// Whether a model takes images; nil where the server does not say. Asked when one is about to be sent.
  func takesImages(_ model: String?) async -> Bool?

  /// The tokens of a request, as the server counts them; nil where it does not count.
  func countTokens(of question: ChatRequest) async -> Int?

  /// Asks, and returns at once: the request leaves when the answer is first read.
  func answer(_ question: ChatRequest) -> Answer

  /// Signing in; nil for a kind that has no servers to sign in to.
  var account: (any Account)? { get }

  /// What there is to browse; nil when there is nothing.
  var browsing: (any Browsing)? { get }

  /// The tool servers that it has around it; nil for a kind that has none.
  var tooling: (any Tooling)? { get }

  /// What keeps its conversations itself and acts by itself; nil for a server that is sent the whole conversation each
  /// time.
  var agent: (any Agent)? { get }

  /// The conversations that it keeps and shows; nil for a server that shows none.
  var sessions: (any RemoteSessions)? { get }

  /// What the person has set there; nil for a server that keeps no settings of theirs.
  var settings: (any RemoteSettings)? { get }

  /// The projects that its conversations belong to; nil for a server that knows none.
  var projects: (any Projects)? { get }

  /// What it has counted; nil for a server that counts nothing.
  var usage: (any UsageReporting)? { get }

  /// The servers of tools that it runs for its own model; nil for a server that shows none.
  var remoteTools: (any RemoteTools)? { get }

  /// How it says that it is; nil for a server that says nothing of that.
  var health: (any HealthReporting)? { get }

  /// The terminals that it keeps; nil for a server that keeps none.
  var terminals: (any Terminals)? { get }

  /// Asks for its lists, for Tab and the next message, and tells each when it has come; nil for a server whose lists are
  /// asked for when they are needed.
  var overview: Overview.Look? { get }

  /// The same server once the person has chosen what goes along with each message: what was learnt of it stays known.
  func choosing(_ choice: GatewayChoice?) -> any Backend
}

extension Backend {
  package var account: (any Account)? { nil }
  package var browsing: (any Browsing)? { nil }
  package var tooling: (any Tooling)? { nil }
  package var agent: (any Agent)? { nil }
  package var sessions: (any RemoteSessions)? { nil }
  package var settings: (any RemoteSettings)? { nil }
  package var projects: (any Projects)? { nil }
  package var usage: (any UsageReporting)? { nil }
  package var remoteTools: (any RemoteTools)? { nil }
  package var health: (any HealthReporting)? { nil }
  package var terminals: (any Terminals)? { nil }
  package func takesImages(_ model: String?) async -> Bool? { nil }
  package func countTokens(of question: ChatRequest) async -> Int? { nil }
  package var overview: Overview.Look? { nil }
  package func choosing(_ choice: GatewayChoice?) -> any Backend { self }
}

extension Backend {
  /// Whether nobody there answers a message.
  package var keepsTerminalsAlone: Bool { terminals != nil && abilities.isEmpty }

  /// Whether its conversations are read from it, so that each message has its place among those that are there.
  package var showsConversations: Bool { sessions?.abilities.contains(.read) == true }
}

/// What a kind of server can do; the shell offers only that.
package struct Abilities: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let models = Abilities(rawValue: 1 << 0)
  package static let systemPrompt = Abilities(rawValue: 1 << 1)
  package static let sampling = Abilities(rawValue: 1 << 2)
  /// An unfinished answer can be sent back to be gone on with.
  package static let continues = Abilities(rawValue: 1 << 3)
  /// Its models can be offered tools.
  package static let tools = Abilities(rawValue: 1 << 4)
  /// It is sent the last message alone, and remembers the others.
  package static let keepsConversations = Abilities(rawValue: 1 << 5)
  /// What is attached to a message goes along as files of their own.
  package static let takesFiles = Abilities(rawValue: 1 << 6)
  /// It has system prompts of its own, which hold where the person asked for no other.
  package static let hasSystemPrompts = Abilities(rawValue: 1 << 7)
  /// Messages can have images, which its models may take.
  package static let images = Abilities(rawValue: 1 << 8)
}

/// What is asked: the whole conversation so far and how to answer it.
package struct ChatRequest: Sendable, Equatable {
  /// nil lets the server choose.
  package var model: String?
  /// Oldest first. An assistant message at the end is an answer to go on with.
  package var messages: [Message]
  /// What the model may ask to have done; their names are those that calls have.
  package var tools: [Tool]
  package var toolFormat: ToolFormat
  package var sampling: Sampling
  /// Whether the temperature is our default, so that it may be left out for a model that refuses it.
  package var hasDefaultTemperature: Bool
  package var timeouts: Timeouts
  /// The JSON Schema that the answer is to fit; nil is any text.
  package var schema: JSON?
  /// Which conversation of ours it is of, and the server's own name for it where one is known.
  package var conversation: String
  package var remoteConversation: String?
  /// Where in that the message goes; nil for a server that keeps one line of messages, or none.
  package var place: RemotePlace?
  /// What goes along with the last message, for a server that takes files.
  package var files: [AttachedFile]
  /// Where it is told how far the request has come.
  package var watch: TransferWatch?

  package init(
    model: String?, messages: [Message], tools: [Tool] = [], toolFormat: ToolFormat = .auto,
    sampling: Sampling = Sampling(), hasDefaultTemperature: Bool = false, timeouts: Timeouts = Timeouts(),
    schema: JSON? = nil,
    conversation: String = "", remoteConversation: String? = nil, place: RemotePlace? = nil,
    files: [AttachedFile] = [], watch: TransferWatch? = nil
  ) {
    self.watch = watch
    self.place = place
    self.files = files
    self.conversation = conversation
    self.remoteConversation = remoteConversation
    self.schema = schema
    self.model = model
    self.messages = messages
    self.tools = tools
    self.toolFormat = toolFormat
    self.sampling = sampling
    self.hasDefaultTemperature = hasDefaultTemperature
    self.timeouts = timeouts
  }
}

/// Sent only when set.
package struct Sampling: Sendable, Equatable {
  package var temperature: Double?
  package var topP: Double?
  package var maxTokens: Int?
  package var seed: Int?
  package var stop: [String]

  package init(
    temperature: Double? = nil, topP: Double? = nil, maxTokens: Int? = nil, seed: Int? = nil, stop: [String] = []
  ) {
    self.temperature = temperature
    self.topP = topP
    self.maxTokens = maxTokens
    self.seed = seed
    self.stop = stop
  }
}

/// In seconds; nil waits for ever (docs/shell.md 5).
package struct Timeouts: Sendable, Equatable {
  package var connect: Double
  /// A request that is not an answer, as a whole.
  package var request: Double
  package var firstToken: Double?
  /// Between two signs of life of an answer that has begun.
  package var idle: Double?
  /// Between two signs of progress of a tool.
  package var tool: Double
  /// Until a server of tools has started and said what it has.
  package var toolStart: Double

  package init(
    connect: Double = 10, request: Double = 30, firstToken: Double? = nil, idle: Double? = 300, tool: Double = 30,
    toolStart: Double = 60
  ) {
    self.connect = connect
    self.request = request
    self.firstToken = firstToken
    self.idle = idle
    self.tool = tool
    self.toolStart = toolStart
  }
}

/// A server that keeps conversations itself and acts by itself (docs/acp.md).
package protocol Agent: Sendable {
  /// What is known of it now; nothing is waited for.
  var state: AgentState { get }

  /// Connects, where that has not been done.
  func connect() async throws(BackendError)

  /// Goes into the conversation of ours, as a message of it would: the one that the agent knows, or a new one.
  /// - Parameter known: the agent's own name for it, where one is kept.
  func enter(_ conversation: String, known: String?) async throws(BackendError)

  /// Begins a new conversation with the agent for one of ours, whatever it was in before.
  func begin(_ conversation: String) async throws(BackendError)

  /// Goes on with a copy of the conversation it is in, for another one of ours.
  func fork(for conversation: String) async throws(BackendError)

  /// Has it forget a conversation, by its own name for it.
  func forget(_ name: String) async throws(BackendError)

  /// Changes one of the settings that the agent has for the conversation it is in, such as its mode or its model.
  func set(_ option: AgentOption.ID, to value: String) async throws(BackendError)

  /// The conversations that it keeps; nil when it does not say.
  func conversations() async throws(BackendError) -> [AgentConversation]?

  /// Signs in by one of its ways, or out.
  func signIn(by method: String) async throws(BackendError)
  func signOut() async throws(BackendError)

  /// What came while nobody read an answer; each piece is given once.
  func takeNews() -> [AgentNews]

  /// Rings when there is news; of several callers the last hears it.
  func newsBell() -> AsyncStream<Void>

  /// Ends the connection, and the program behind it.
  func close() async
}

/// What is known of an agent.
package struct AgentState: Sendable, Equatable {
  package var connection: Connection = .none
  /// In its own words: not to be trusted.
  package var name: String?
  package var title: String?
  package var version: String?
  package var protocolVersion: Int?
  /// In the words of its protocol, such as `load` and `image`.
  package var capabilities: [String] = []
  /// The conversation it is in, by the agent's own name for it.
  package var conversation: String?
  /// Of the conversation it is in, in its words.
  package var conversationTitle: String?
  package var options: [AgentOption] = []
  package var commands: [AgentSlashCommand] = []
  package var signIns: [AgentSignIn] = []
  /// How full its context is, in tokens.
  package var used: Int?
  package var size: Int?
  /// Where it works.
  package var folder: String?
  /// The last of what its program wrote to its standard error.
  package var log: String = ""

  /// `reconnecting` is one that was lost and is being made again.
  package enum Connection: String, Sendable { case none, connected, reconnecting, ended }

  package init() {}
}

/// A setting that an agent has: its mode, its model, or another.
package struct AgentOption: Sendable, Equatable {
  package enum ID: Sendable, Equatable {
    case config(String)
    /// The older ways (docs/acp.md 7).
    case mode
    case model
  }

  package var id: ID
  package var name: String
  package var summary: String?
  /// `mode`, `model`, or another word of the agent's.
  package var category: String?
  package var value: String
  package var choices: [Choice]
  /// Whether it is on or off: its choices are `true` and `false`.
  package var isFlag: Bool

  package struct Choice: Sendable, Equatable {
    package var value: String
    package var name: String
    package var summary: String?

    package init(value: String, name: String, summary: String? = nil) {
      self.value = value
      self.name = name
      self.summary = summary
    }
  }

  package init(
    id: ID, name: String, summary: String? = nil, category: String? = nil, value: String, choices: [Choice] = [],
    isFlag: Bool = false
  ) {
    self.id = id
    self.name = name
    self.summary = summary
    self.category = category
    self.value = value
    self.choices = choices
    self.isFlag = isFlag
  }
}

/// A command of the agent's own, sent to it as text that begins with a slash.
package struct AgentSlashCommand: Sendable, Equatable {
  /// Without the slash.
  package var name: String
  package var summary: String
  package var hint: String?

  package init(name: String, summary: String = "", hint: String? = nil) {
    self.name = name
    self.summary = summary
    self.hint = hint
  }
}

/// A way to sign in to an agent.
package struct AgentSignIn: Sendable, Equatable {
  package var id: String
  package var name: String
  package var summary: String?
  /// The agent's own program, called in a way of its own: it asks on the person's terminal. nil for a way that the agent
  /// sees to by itself.
  package var command: [String]?
  /// What of the command the person should see: the variables that the agent adds, its program and its arguments.
  package var shownCommand: [String]

  package init(
    id: String, name: String, summary: String? = nil, command: [String]? = nil, shownCommand: [String] = []
  ) {
    self.shownCommand = shownCommand
    self.id = id
    self.name = name
    self.summary = summary
    self.command = command
  }
}

/// A conversation that an agent keeps.
package struct AgentConversation: Sendable, Equatable {
  package var id: String
  package var folder: String?
  package var title: String?
  /// As the agent wrote it.
  package var updatedAt: String?

  package init(id: String, folder: String? = nil, title: String? = nil, updatedAt: String? = nil) {
    self.id = id
    self.folder = folder
    self.title = title
    self.updatedAt = updatedAt
  }
}

/// What an agent says while it was not asked anything.
package enum AgentNews: Sendable, Equatable {
  /// More of the answer that had ended, or words of its own accord; of which conversation of ours.
  case text(String, conversation: String)
  case activity(Activity)
  /// It asks something, and waits.
  case question(AgentQuestion)
  /// What somebody else asked it, from another device.
  case askedElsewhere(String)
  /// What it says to them: no answer to us.
  case saidElsewhere(String)
  /// Its program ended, or the connection.
  case ended
}

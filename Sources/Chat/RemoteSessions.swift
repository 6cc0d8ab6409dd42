package import Wire

/// The conversations that a server keeps and shows (docs/chatui.md 3).
package protocol RemoteSessions: Sendable {
  /// What of all this the server offers.
  var abilities: RemoteAbilities { get }

  /// Newest first, this many at most.
  func list(_ limit: Int) async throws(BackendError) -> RemoteList

  /// A conversation with all that was said in it. - Parameter id: the server's own name for it.
  func read(_ id: String) async throws(BackendError) -> RemoteSession

  /// A conversation with what the server has counted in it, and without what was said, where that is told apart.
  func describe(_ id: String) async throws(BackendError) -> RemoteSession

  /// What the server has counted in all that it knows now.
  func totals() async throws(BackendError) -> RemoteTotals

  func rename(_ id: String, to title: String) async throws(BackendError)

  /// Takes it away on the server.
  func delete(_ id: String) async throws(BackendError)

  /// Takes all of them away; how many there were, where the server says so.
  func deleteAll() async throws(BackendError) -> Int?

  /// Takes a message and all below it away.
  /// - Parameter message: the server's own name for it.
  func prune(_ id: String, at message: String) async throws(BackendError)

  /// A file that an answer made, whole. - Parameter name: as the conversation has it, or the server's own name for it.
  func file(_ name: String, of id: String) async throws(BackendError) -> AttachedFile

  /// A link by which everybody can read the conversation as it is now.
  func share(_ id: String) async throws(BackendError) -> String

  /// Makes a conversation of ours of a shared one; the server's name for it. - Parameter link: or the end of it.
  func take(_ link: String) async throws(BackendError) -> String
}

/// What a server does not offer refuses whoever asks for it without a look at its abilities.
extension RemoteSessions {
  package func read(_ id: String) async throws(BackendError) -> RemoteSession {
    throw .notOffered("what was said in a session")
  }
  package func describe(_ id: String) async throws(BackendError) -> RemoteSession { try await read(id) }
  package func totals() async throws(BackendError) -> RemoteTotals { throw .notOffered("counts of its sessions") }
  package func rename(_ id: String, to title: String) async throws(BackendError) {
    throw .notOffered("titles to change")
  }
  package func deleteAll() async throws(BackendError) -> Int? { throw .notOffered("all sessions to delete at once") }
  package func prune(_ id: String, at message: String) async throws(BackendError) {
    throw .notOffered("messages to delete")
  }
  package func file(_ name: String, of id: String) async throws(BackendError) -> AttachedFile {
    throw .notOffered("files of its sessions")
  }
  package func share(_ id: String) async throws(BackendError) -> String { throw .notOffered("links to its sessions") }
  package func take(_ link: String) async throws(BackendError) -> String { throw .notOffered("shared sessions") }
}

/// What the person has set on the server itself, as its own pages do.
package protocol RemoteSettings: Sendable {
  /// An object: texts, switches, and maps of these by model.
  func all() async throws(BackendError) -> JSON

  /// Changes one, and leaves all others as they are.
  /// - Parameters:
  ///   - entry: which of a map's; nil for a setting that is none.
  ///   - value: nil takes an entry out of its map.
  func set(_ key: String, entry: String?, to value: JSON?) async throws(BackendError)
}

package struct RemoteAbilities: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let rename = RemoteAbilities(rawValue: 1 << 0)
  package static let delete = RemoteAbilities(rawValue: 1 << 1)
  package static let deleteAll = RemoteAbilities(rawValue: 1 << 2)
  package static let prune = RemoteAbilities(rawValue: 1 << 3)
  package static let share = RemoteAbilities(rawValue: 1 << 4)
  package static let take = RemoteAbilities(rawValue: 1 << 5)
  /// Files of theirs can be fetched.
  package static let files = RemoteAbilities(rawValue: 1 << 7)
  /// What was said in them can be read.
  package static let read = RemoteAbilities(rawValue: 1 << 6)
  /// What was counted in one of them can be read, and what was counted in all.
  package static let describe = RemoteAbilities(rawValue: 1 << 8)
  package static let totals = RemoteAbilities(rawValue: 1 << 9)
}

/// Some of the conversations that a server keeps.
package struct RemoteList: Sendable, Equatable {
  /// Without their turns.
  package var sessions: [RemoteSession]
  /// Whether there are others.
  package var hasMore: Bool

  package init(sessions: [RemoteSession], hasMore: Bool = false) {
    self.sessions = sessions
    self.hasMore = hasMore
  }
}

/// A conversation that a server keeps.
package struct RemoteSession: Sendable, Equatable {
  /// The server's own name for it.
  package var id: String
  /// In the server's words: not to be trusted.
  package var title: String?
  package var model: String?
  package var systemPrompt: String?
  /// Milliseconds since 1970.
  package var createdAt: Int?
  package var updatedAt: Int?
  /// How many messages it has, and what they took, where the server counts that.
  package var messages: Int?
  package var tokens: Int?
  /// In the server's currency.
  package var cost: Double?
  package var isShared: Bool
  /// Whether an answer in it is being written.
  package var isRunning: Bool
  /// Each behind what it goes on from.
  package var turns: [RemoteTurn]
  /// The answer that it goes on from, by its name; nil before the first message.
  package var head: String?

  package init(
    id: String, title: String? = nil, model: String? = nil, systemPrompt: String? = nil, createdAt: Int? = nil,
    updatedAt: Int? = nil, messages: Int? = nil, tokens: Int? = nil, cost: Double? = nil, isShared: Bool = false,
    isRunning: Bool = false, turns: [RemoteTurn] = [], head: String? = nil
  ) {
    self.createdAt = createdAt
    self.messages = messages
    self.tokens = tokens
    self.cost = cost
    self.id = id
    self.title = title
    self.model = model
    self.systemPrompt = systemPrompt
    self.updatedAt = updatedAt
    self.isShared = isShared
    self.isRunning = isRunning
    self.turns = turns
    self.head = head
  }
}

/// What a server has counted in all conversations that it knows now; nil for what it does not count.
package struct RemoteTotals: Sendable, Equatable {
  package var sessions: Int?
  /// In how many an answer is being written.
  package var running: Int?
  package var messages: Int?
  package var tokens: Int?
  /// In the server's currency.
  package var cost: Double?
  package var models: [String]

  package init(
    sessions: Int? = nil, running: Int? = nil, messages: Int? = nil, tokens: Int? = nil, cost: Double? = nil,
    models: [String] = []
  ) {
    self.sessions = sessions
    self.running = running
    self.messages = messages
    self.tokens = tokens
    self.cost = cost
    self.models = models
  }
}

/// What a server calls the two messages of a turn.
package struct RemoteName: Sendable, Hashable {
  package var question: String?
  /// nil when there is no answer.
  package var answer: String?

  package init(question: String?, answer: String?) {
    self.question = question
    self.answer = answer
  }
}

/// A message and its answer as a server keeps them. A message with several answers is several turns.
package struct RemoteTurn: Sendable, Equatable {
  package var name: RemoteName
  /// The answer that it goes on from, by its name; nil at the beginning.
  package var parent: String?
  package var question: String
  package var text: String
  package var reasoning: String
  package var status: Status
  package var model: String?
  /// Milliseconds since 1970.
  package var createdAt: Int?
  /// What was done before the answer was written.
  package var activities: [Activity]

  package enum Status: Sendable, Equatable {
    case complete, interrupted, failed
    /// It is being written.
    case running
  }

  package init(
    name: RemoteName, parent: String? = nil, question: String, text: String = "", reasoning: String = "",
    status: Status = .complete, model: String? = nil, createdAt: Int? = nil, activities: [Activity] = []
  ) {
    self.name = name
    self.parent = parent
    self.question = question
    self.text = text
    self.reasoning = reasoning
    self.status = status
    self.model = model
    self.createdAt = createdAt
    self.activities = activities
  }
}

/// Where in a conversation that the server keeps a message goes. The names are the server's own.
package enum RemotePlace: Sendable, Equatable {
  /// Before everything else in it.
  case atStart
  /// Behind that answer.
  case after(String)
  /// Behind its last answer, whatever that is.
  case atEnd
  /// Another answer in the place of that one, to the same message.
  case again(answer: String)
  /// Another message in the place of that one.
  case instead(question: String)
  /// No message: what is being written there is gone on with.
  case running(RemoteName)
}

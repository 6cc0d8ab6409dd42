import Chat
import Confined
import Wire

/// What is known of an agent at the moment: changed under one lock, by the reader of its line and by who asks it.
struct ACPKnown: Sendable {
  var line: ACPLine?
  var lastLine = 0
  /// The last line that has ended: it may do so before anybody has taken it up.
  var endedLine = 0
  var facts: ACPFacts?
  /// What is true of the agent, whatever the conversation.
  var shown = AgentState()
  /// Where it works, an absolute path.
  var folder = "/"
  /// The same as it was when the line began.
  var files: ConfinedFolder?
  var start: StartFolder?
  /// The agent's name for each conversation of ours.
  var names: [String: String] = [:]
  /// Those of the agent's conversations that it has on this line, by its names for them.
  var conversations: [String: ACPConversation] = [:]
  /// The one that was asked last.
  var current: String?
  /// A request for a conversation is under way: the agent may speak of it before it has answered.
  var isOpening = false
  var early: [ACPUpdate] = []
  /// The conversation whose past is being told again.
  var replayed: String?
  /// Whom the connection to a bridge has met, until the line begins.
  var standing: BridgeDial.Arrival?
  /// Conversations in which the agent was to stop while there was no connection to tell it by.
  var stopsToTell: Set<String> = []
  /// A session that was begun for nobody yet.
  var unclaimed: String?
  /// Somebody else asks the agent something by the same bridge: what it says is no answer to us.
  var isAskedElsewhere = false
  /// The turn that has no answer yet.
  var turn: ACPTurn?
  var news = ACPNews()
  var lastQuestion = 0
  /// What was asked and is not answered.
  var questions: [Int: ACPOpenQuestion] = [:]
  /// What the person allowed in this turn.
  var allowed = ACPAllowed()
  var terminals = ACPTerminals()

  /// The state of the agent in the conversation that was asked last.
  var state: AgentState {
    var state = shown
    state.conversation = current
    guard let conversation = current.flatMap({ conversations[$0] }) else { return state }
    state.options = conversation.shown.options
    state.commands = conversation.shown.commands
    state.conversationTitle = conversation.shown.conversationTitle
    state.used = conversation.shown.used
    state.size = conversation.shown.size
    return state
  }

  /// Takes what the agent said of itself when the line began.
  mutating func meet(_ new: ACPFacts, signIns: [AgentSignIn]) {
    facts = new
    shown = AgentState()
    shown.connection = .connected
    shown.name = new.name
    shown.title = new.title
    shown.version = new.version
    shown.protocolVersion = new.protocolVersion
    shown.capabilities = new.capabilities
    shown.signIns = signIns
  }

  /// Takes the session that the agent has begun with as one that is open.
  mutating func open(_ arrival: BridgeDial.Arrival) {
    unclaimed = nil
    guard let session = arrival.session, let name = arrival.sessionName, conversations[name] == nil else { return }
    var begun = ACPConversation(
      fold: ACPFold(isNew: arrival.isFresh), opening: arrival.isFresh ? .new : .resumed)
    begun.shown.options = [AgentOption](settings: session)
    conversations[name] = begun
    if arrival.isFresh { unclaimed = name }
  }

  /// What is told of the past in those of ours that are not open yet is heard, all the same.
  mutating func expectPast() {
    for name in names.values where conversations[name] == nil {
      conversations[name] = ACPConversation(fold: ACPFold(isNew: false), opening: nil, isOpen: false)
    }
  }

  /// Ours for one of the agent's.
  func ours(_ name: String) -> String { names.first { $0.value == name }?.key ?? "" }
}

/// One of the agent's conversations.
struct ACPConversation: Sendable {
  var fold: ACPFold
  /// What updates have said of it: its settings, commands, title and counts.
  var shown = AgentState()
  /// How it was opened, until an answer has told the person.
  var opening: Opening?
  /// Whether the agent can be asked in it by this line.
  var isOpen = true

  /// How a conversation was found.
  enum Opening: Sendable { case new, resumed }
}

struct ACPUpdate: Sendable {
  var session: String
  var update: JSON

  /// What may come before a conversation has its name: how things stand with it, and no part of an answer.
  var isOfState: Bool {
    let kinds = [
      "usage_update", "available_commands_update", "current_mode_update", "config_option_update", "session_info_update",
    ]
    return kinds.contains(update["sessionUpdate"]?.string ?? "")
  }
}

struct ACPOpenQuestion: Sendable {
  var session: String
  /// The call that it is about.
  var call: String?
  /// The agent's request, where it is the question itself.
  var request: RPCID?
  var answer: @Sendable (AgentQuestion.Reply) -> Void
}

/// What came while nobody read an answer (docs/rules.md A7).
struct ACPNews: Sendable {
  /// Bytes of text, and things besides.
  private static let textLimit = 64 << 10
  private static let countLimit = 200

  private var pieces: [AgentNews] = []
  private var textBytes = 0
  private var bell: AsyncStream<Void>.Continuation?

  /// Has another bell ring, from now on and for what waits already.
  mutating func ring(_ bell: AsyncStream<Void>.Continuation) {
    self.bell?.finish()
    self.bell = bell
    if !pieces.isEmpty { bell.yield() }
  }

  /// What is over the bound is passed over.
  mutating func add(_ piece: AgentNews) {
    let text: String
    switch piece {
    case .text(let more, _), .saidElsewhere(let more), .askedElsewhere(let more): text = more
    case .activity, .question, .ended: text = ""
    }
    textBytes += text.utf8.count
    // What is asked is asked, however much was said.
    guard text.isEmpty || textBytes <= ACPNews.textLimit else { return }
    bell?.yield()
    if let joined = pieces.last?.joined(with: piece) {
      pieces[pieces.count - 1] = joined
    } else if pieces.count < ACPNews.countLimit {
      pieces.append(piece)
    }
  }

  mutating func take() -> [AgentNews] {
    defer { (pieces, textBytes) = ([], 0) }
    return pieces
  }
}

extension AgentNews {
  /// The same and more of it, where both are pieces of one text.
  fileprivate func joined(with next: AgentNews) -> AgentNews? {
    switch (self, next) {
    case (.text(let text, let conversation), .text(let more, let other)) where other == conversation:
      .text(text + more, conversation: conversation)
    case (.saidElsewhere(let text), .saidElsewhere(let more)): .saidElsewhere(text + more)
    default: nil
    }
  }
}

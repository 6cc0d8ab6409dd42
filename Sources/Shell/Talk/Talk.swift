import Chat
import Store

/// What is talked about: the session that messages go to, its history, and what waits for the next message.
struct Talk {
  var conversation: Conversation
  /// Opened when first needed.
  var opened: History?
  /// Output of `!!` commands that goes with the next message.
  var attachment = ""
  /// What the message that was typed names as `@PATH`.
  var mentioned: [Mention] = []
  /// Files that go with the next message, whatever session it is of.
  var waiting: [Mention] = []
  /// What the next prompt begins with.
  var draft = ""
  /// What the history did not take, and is offered again.
  var unkept = Unkept()
  /// The turn that the next message takes the place of.
  var replaced: Turn?
  /// Whether the person asked for a new session, which a command about the last answer must not leave.
  var startedAnew = false
  /// What is asked of a model behind the prompt.
  var titling = Titling()
  /// The turns that the last search found, by their sessions; nil before the first.
  var hits: [(session: SessionID, turn: TurnID)]?

  /// What the last answer was read for, as far as its server told.
  var counted: CountedPrompt?
  /// The last request that was too long; nil once another was answered.
  var refused: RefusedPrompt?

  /// The moves that were allowed, or reported, in this run.
  var moves: Set<Move> = []

  /// Sessions with agents that another server stands in front of, by the agent's address.
  var parked: [String: Conversation] = [:]

  mutating func begin(systemPrompt: String?, title: String? = nil) {
    unkept.note(conversation)
    conversation = Conversation(systemPrompt: systemPrompt, title: title)
    startedAnew = true
    attachment = ""
    replaced = nil
  }

  /// Stands in a session that a server keeps by that name; it is kept here with its first message.
  mutating func takeRemote(_ name: String, title: String?, of server: Server) {
    conversation.session.server = server
    conversation.session.remote = name
    if conversation.session.title == nil { conversation.session.title = title }
  }

  init(systemPrompt: String?) { conversation = Conversation(systemPrompt: systemPrompt) }
}

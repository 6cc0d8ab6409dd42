/// What the person asked of this run on the command line, resolved.
package struct RunOptions: Sendable, Equatable {
  /// A name or an address; nil is the current server.
  package var server: String?
  package var model: String?
  package var system: String?
  /// The only tools of the run, by the names of servers or tools; empty leaves what is chosen.
  package var tools: [String]
  package var noTools: Bool
  /// Files that go with the first message.
  package var attached: [String]
  /// The file of the JSON Schema that answers are to fit.
  package var schema: String?
  package var resume: Resume
  package var output: Output
  package var isQuiet: Bool
  package var isVerbose: Bool
  package var isLenient: Bool
  package var answersYes: Bool
  /// Nothing of the run is written to disk.
  package var isPrivate: Bool
  /// A person sits at a terminal: prompts, hints and questions make sense.
  package var isInteractive: Bool
  package var presence: Presence

  /// Whether a question that has few answers can be asked.
  package var canAsk: Bool { presence >= .atChoices }
  /// Whether anything can be asked, a secret too: what is typed is seen by nobody else.
  package var canType: Bool { presence == .atTerminal }

  /// Who is there to be asked.
  package enum Presence: Sendable, Comparable {
    case nobody
    /// A person behind a program that shows them a question and its answers.
    case atChoices
    case atTerminal
  }

  package enum Resume: Sendable, Equatable { case none, last, session(String) }
  package enum Output: Sendable, Equatable { case text, json, jsonLines }

  package init(
    server: String? = nil, model: String? = nil, system: String? = nil, tools: [String] = [],
    noTools: Bool = false, attached: [String] = [], schema: String? = nil, resume: Resume = .none,
    output: Output = .text, isQuiet: Bool = false,
    isVerbose: Bool = false, isLenient: Bool = false,
    answersYes: Bool = false, isPrivate: Bool = false, isInteractive: Bool = false, canAsk: Bool = false
  ) {
    self.server = server
    self.model = model
    self.system = system
    self.tools = tools
    self.noTools = noTools
    self.attached = attached
    self.schema = schema
    self.resume = resume
    self.output = output
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
    self.isLenient = isLenient
    self.answersYes = answersYes
    self.isPrivate = isPrivate
    self.isInteractive = isInteractive
    presence = canAsk || isInteractive ? .atTerminal : .nobody
  }
}

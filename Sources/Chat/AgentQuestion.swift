/// What an agent asks of the person, or what it wants this program to do that the person must allow
/// (docs/acp.md 5 and 6). The agent waits until it is answered.
package struct AgentQuestion: Sendable, Equatable {
  /// Tells the questions of one agent apart.
  package var number: Int
  package var subject: Subject
  /// Whether the agent still waits: a stop answers what is asked, and so does the end of the agent.
  package var isOpen: @Sendable () -> Bool
  /// Called once; later calls do nothing.
  package var reply: @Sendable (Reply) -> Void

  package enum Subject: Sendable, Equatable {
    /// Whether the agent may do something by itself.
    case permission(Activity, [PermissionOption])
    /// Whether this program may do something for the agent.
    case act(AgentAct)
    /// The agent's own question, by the form or the page of it.
    case words(message: String, ToolQuestion.Subject)
  }

  package enum Reply: Sendable, Equatable {
    /// One of the options.
    case option(PermissionOption)
    case allow
    case refuse
    case words(ToolQuestion.Reply)
    /// The person left without saying yes or no.
    case cancel
  }

  package init(
    number: Int, subject: Subject, isOpen: @escaping @Sendable () -> Bool = { true },
    reply: @escaping @Sendable (Reply) -> Void
  ) {
    self.isOpen = isOpen
    self.number = number
    self.subject = subject
    self.reply = reply
  }

  package static func == (one: AgentQuestion, other: AgentQuestion) -> Bool {
    one.number == other.number && one.subject == other.subject
  }
}

/// A way to answer a question for permission.
package struct PermissionOption: Sendable, Equatable {
  /// What is sent back; it says nothing of what the option does.
  package var id: String
  /// In the agent's words: not to be trusted.
  package var name: String
  /// nil for a kind that this program does not know.
  package var kind: Kind?

  package enum Kind: String, Sendable {
    case allowOnce = "allow_once"
    case allowAlways = "allow_always"
    case rejectOnce = "reject_once"
    case rejectAlways = "reject_always"
  }

  package init(id: String, name: String, kind: Kind?) {
    self.id = id
    self.name = name
    self.kind = kind
  }
}

/// What this program is to do for an agent.
package enum AgentAct: Sendable, Equatable {
  /// `why` says what is unusual about the file: that it is outside, or holds secrets.
  /// `path` is where the file really is.
  case read(path: String, why: Unusual)
  case write(FileChange, why: Unusual?)
  case run(AgentCommand)

  package enum Unusual: String, Sendable {
    case outside, protected, hardLinked
  }
}

/// A command that an agent wants run.
package struct AgentCommand: Sendable, Equatable {
  /// The program and its arguments.
  package var words: [String]
  /// Whether `words` is a line that a shell reads, behind `sh -c`.
  package var isShellLine: Bool
  package var folder: String
  package var variables: [Variable]

  package struct Variable: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(words: [String], isShellLine: Bool, folder: String, variables: [Variable] = []) {
    self.words = words
    self.isShellLine = isShellLine
    self.folder = folder
    self.variables = variables
  }
}

import Text

/// A slash command: its name, help, parameters, completion and behaviour in one value.
///
/// The dispatcher, what is said of a word too few or too many, `/help`, Tab, the man page and the completion scripts are
/// derived from it.
package struct Command: Sendable {
  package var name: String
  package var aliases: [String]
  package var topic: Topic
  /// One line, under 50 characters, without a full stop.
  package var summary: String
  /// Each way to call it, with what it then does; the first is the plainest. There is one at least.
  package var forms: [Form]
  /// Ways that help does not list: what a listed one would set is shown by a part of it.
  var unlisted: [Form]
  /// Words that may stand anywhere among the arguments, as help lists them. Each form says which of them it takes.
  package var flags: [Flag]
  /// Lines to type, shown first in its help.
  package var examples: [String]
  /// What the forms and the summary cannot say.
  package var details: String
  /// Whether it is of use only to a person at a prompt: it goes to another session, reads a secret, or needs the terminal.
  package var needsPrompt: Bool

  /// - Parameter run: what the listed forms do that do nothing of their own.
  package init(
    _ name: String, aliases: [String] = [], _ topic: Topic, summary: String, forms: [Form] = [Form()],
    unlisted: [Form] = [], flags: [Flag] = [], examples: [String] = [], details: String = "", needsPrompt: Bool = false,
    run: Form.Run? = nil
  ) {
    self.name = name
    self.aliases = aliases
    self.topic = topic
    self.summary = summary
    self.forms = forms.map { form in
      var form = form
      form.run = form.run ?? run
      return form
    }
    self.unlisted = unlisted
    precondition((self.forms + unlisted).allSatisfy { $0.run != nil }, "a form of /\(name) does nothing")
    self.flags = flags
    let taken = Set((self.forms + unlisted).flatMap { $0.flags.map(\.name) })
    precondition(taken == Set(flags.map(\.name)), "the flags of /\(name) are not those that its forms take")
    self.examples = examples
    self.details = details
    self.needsPrompt = needsPrompt
  }

  /// The groups of `/help`, in its order.
  package enum Topic: String, Sendable, CaseIterable {
    case chat = "Chat"
    case models = "Models and tools"
    case history = "History"
    case browse = "Browse"
    case servers = "Servers"
    case shell = "Shell"
  }
}

/// A word that begins with `--`, and stands anywhere among a command's arguments.
package struct Flag: Sendable {
  package var name: String
  /// What follows it; nil when nothing does.
  package var value: Parameter?
  package var summary: String
  /// Whether it may be given several times.
  package var repeats: Bool

  package init(_ name: String, _ value: Parameter? = nil, repeats: Bool = false, summary: String) {
    self.name = name
    self.value = value
    self.repeats = repeats
    self.summary = summary
  }

  /// Such as `--kind KIND`.
  package var usage: String { value.map { "\(name) \($0.rawValue)" } ?? name }
}

/// One way to call a command.
package struct Form: Sendable {
  package var parts: [Part]
  /// Those of the command's flags that it takes; it is refused with another.
  package var flags: [Flag]
  /// What this way does, when it differs from the command's summary.
  package var summary: String
  package var run: Run?
  /// Whether it changes who receives the next message: the server, agent, model, project, session or branch.
  var isSwitch = false
  /// Whether it only shows the current choice if it is given no words.
  var showsChoice = false

  package typealias Run = @Sendable (_ shell: inout Shell, _ match: Match) async throws(ShellError) -> Next

  /// One that does what the command does for all its forms.
  package init(_ parts: Part..., flags: [Flag] = [], summary: String = "") {
    self.parts = parts
    self.flags = flags
    self.summary = summary
  }

  /// - Parameter next: does it, and says what the loop does then.
  package init(_ parts: Part..., flags: [Flag] = [], next: @escaping Run, summary: String) {
    self.parts = parts
    self.flags = flags
    self.summary = summary
    run = next
  }

  /// - Parameter run: does it; then comes the prompt.
  package init(
    _ parts: Part..., flags: [Flag] = [], summary: String = "",
    run: @escaping @Sendable (_ shell: inout Shell, _ match: Match) async throws(ShellError) -> Void
  ) {
    self.parts = parts
    self.flags = flags
    self.summary = summary
    self.run = { shell, match throws(ShellError) in
      try await run(&shell, match)
      return .prompt
    }
  }

  /// Returns the same form, marked as a switch.
  func switching(orShowing showsChoice: Bool = false) -> Form {
    var form = self
    (form.isSwitch, form.showsChoice) = (true, showsChoice)
    return form
  }

  package enum Part: Sendable, Equatable {
    /// A word typed as it is, such as `show`.
    case word(String)
    /// One of these words.
    case choice([String])
    case required(Parameter)
    case optional(Parameter)
  }

  /// Such as `show SESSION` or `[N]`.
  package var usage: String {
    parts.map { part in
      switch part {
      case .word(let word): word
      case .choice(let words): words.joined(separator: "|")
      case .required(let parameter): parameter.rawValue
      case .optional(let parameter): "[\(parameter.rawValue)]"
      }
    }.joined(separator: " ")
  }
}

/// What an argument is; Tab completes it by this. The raw value stands in help.
package enum Parameter: String, Sendable {
  case text = "TEXT"
  case title = "TITLE"
  case words = "WORDS"
  /// Words, or a regular expression between slashes.
  case pattern = "PATTERN"
  /// How an answer ended.
  case status = "STATUS"
  case number = "N"
  case handle = "#N"
  /// An answer, or a block of code in it (`AnswerPart`).
  case part = "#N[.codeK]"
  case url = "URL"
  case origin = "ORIGIN"
  case name = "NAME"
  case newName = "NEW-NAME"
  case model = "MODEL"
  /// Servers that are asked, each behind an `@`.
  case servers = "@SERVER[:MODEL]…"
  case session = "SESSION"
  /// One of the settings on the server itself, such as `customPrompts.org/model`.
  case remoteSetting = "SERVER-SETTING"
  /// Words that are put to a session, or behind a `-` taken away; and how long ago something is.
  case tags = "[-]TAG…"
  case age = "AGE"
  /// One that the server in use keeps.
  case remoteSession = "CONVERSATION"
  case server = "SERVER"
  case settingKey = "KEY"
  case settingValue = "VALUE"
  /// A server that is an agent.
  case agent = "AGENT"
  /// A setting of the agent in use, one of its values, and a way to sign in to it.
  case agentSetting = "SETTING"
  case agentValue = "CHOICE"
  /// A session that the agent keeps: its name there, or the beginning of it.
  case agentSession = "SESSION-ID"
  case signInWay = "WAY"
  /// A pairing link, or a picture or file that holds one; and what a bridge shows beside it.
  case pairingCode = "LINK|FILE"
  case bridge = "HOST:PORT"
  case code = "CODE"
  case helpTopic = "TOPIC"
  case file = "FILE"
  /// Files to go with a message, as many as there are words; and those that wait for one.
  case files = "FILE…"
  case attached = "ATTACHED…"
  /// A file that went along with a turn.
  case sentFile = "ATTACHED"
  case kind = "KIND"
  case provider = "PROVIDER"
  case userName = "USER"
  case fingerprintOrFile = "PROOF"
  case tool = "TOOL"
  /// Tools and servers of tools, as many as there are words.
  case tools = "TOOL…"
  case toolServer = "TOOL-SERVER"
  /// A program and its arguments: all that follows.
  case program = "COMMAND…"
  /// A line for the person's shell, as it was typed.
  case commandLine = "COMMAND"
  /// A variable of the environment.
  case variable = "VARIABLE"
  case clientID = "ID"
  /// A prompt, or something to read, of a server of tools: the server's name, a colon, and its own.
  case prompt = "SERVER:PROMPT"
  case promptValues = "ARGUMENT=VALUE…"
  case resource = "SERVER:URI"
  /// A project of the server in use: its name, or the beginning of its id.
  case project = "PROJECT"
  /// A folder on the server's machine.
  case path = "PATH"
  /// MCP servers of the server in use, and their tools.
  case remoteTools = "NAME…"
  /// A terminal, by its name.
  case terminal = "TERMINAL"
  /// A folder on this machine.
  case folder = "DIR"
  /// A snippet of the person's, a new one's group, colour and sign, and how a file writes dates.
  case snippet = "SNIPPET"
  case snippetKind = "message|shell"
  case category = "CATEGORY"
  case color = "COLOUR"
  case icon = "ICON"
  case dates = "FORM"
  /// Where a snippet runs, and values for the places in it.
  case place = "WHERE"
  case placeValues = "NAME=VALUE…"
  /// A thing to browse: its name, its number in the list, or words that are in it.
  case item = "ITEM"
}

/// What the loop should do after a command. Commands never send or leave by themselves.
package enum Next: Sendable, Equatable {
  case prompt
  case send(Question)
  /// Run these lines as if typed; `name` is for error messages.
  case run(lines: [String], name: String)
  case quit
}

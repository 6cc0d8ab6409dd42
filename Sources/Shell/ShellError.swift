package import Chat
package import Store
package import Wire

/// Why a line did not do what was asked. Cases carry facts; `Complaint` has the sentences.
package enum ShellError: Error, Sendable {
  /// `kind` is the server's, when it is known: some kinds have words of their own.
  case backend(BackendError, server: String, kind: String? = nil)
  /// `server` is the tool server's name.
  case tool(ToolError, server: String)
  case toolServers(ToolServers.Failure)
  case badToolServer(ToolServerSlip)
  case history(HistoryError)
  /// What was found when the history was looked over, and how much more.
  case damagedHistory(String, others: Int)
  case preferences(PreferenceError)
  case servers(Servers.Failure)
  case file(FileProblem)
  /// A file that sessions were to be taken in from; so many of them were.
  case importing(String, ImportProblem, added: Int)
  /// The file of this name cannot go along with a message.
  case attachment(String, AttachmentProblem, AttachmentProblem.Naming)
  /// No file of this name waits for the next message; `attached` do.
  case notAttached(String, attached: [String])
  /// It did not go along with that turn.
  case notSent(String, turn: Int, files: [String])
  case child(ChildError)
  /// The file of `--schema`.
  case schema(String, SchemaProblem)
  case context(ContextProblem)
  /// A word that says no length of time.
  case badAge(String)
  case noServer
  /// Nothing was found on the usual ports of this machine.
  case noUsualPort(host: String, ports: [Int])
  case noSessions
  case noModels(server: String, kind: String)
  /// No model in the list has this text in its name.
  case noModelMatches(String)
  /// The server answers, and does not list its models.
  case noModelList(server: String)
  /// A message is to be sent to such a server, and the user has chosen no model.
  case noModelChosen(server: String)
  /// A word that names nothing of its kind.
  case unknown(Noun, String, nearest: [String])
  /// A word that could mean several.
  /// `more` is how many there are besides `matches`.
  case ambiguous(Noun, String, matches: [String], more: Int = 0)
  /// `command` is its name, and the word behind it where that is one of its own; `forms` are the ways to call it.
  case missing(Parameter, command: String, forms: [Form] = [])
  case unexpected(String, command: String, forms: [Form] = [])
  /// A flag that can be followed once only, and was given again.
  case repeated(String, command: String)
  /// Two flags or words of which only one can be followed.
  case exclusive(String, String, command: String)
  case badNumber(String, command: String)
  /// It names neither an answer nor code in one.
  case badHandle(String)
  /// The answer of a turn has so many blocks of code, and not that one.
  case noCode(turn: Int, Int, of: Int)
  /// A program that was given a text ended with another status than 0.
  case programFailed(String, status: Int32)
  /// The regular expression cannot be read.
  case badPattern(String)
  /// Looking for the regular expression takes too long.
  case slowPattern(String)
  /// It is no status of an answer.
  case badStatus(String)
  /// The last answer is not what a script wants.
  case notAsExpected(Misfit, wanted: String, turn: Int, said: String)
  /// Neither a program nor the terminal puts text on a clipboard.
  case noClipboard
  case searchFilter(SearchSlip)
  /// The last search found no hit of that number, but so many; nil when there was none.
  case noHit(String, of: Int?)
  case badPage(String)
  case noAnswer(Missing)
  case browsing(BrowseError)
  case cannot(server: String, Abilities)
  case beingWritten
  /// The history has not taken this turn yet.
  case notKeptYet(turn: Int)
  case unknownKind(server: String, kind: String)
  /// Nobody can be asked, and `--yes` was not given.
  case needsYes(String)
  case scriptsTooDeep(String)
  case secretOnLine
  /// A message or system prompt that looks like a secret, which nobody can be asked about; masked.
  case secretInMessage(String, place: SecretPlace = .message)
  case credentials(CredentialError)
  case knownServers(FileError)
  case permissions(FileError)
  case drafts(FileError)
  case snippets(Snippets.Failure)
  case badSnippet(SnippetSlip)
  /// The model that the person chose is gone; `others` can be asked, the nearest first.
  case chosenModelGone(model: String, server: Server, others: [String])
  /// A model that the server has and that cannot be asked now.
  case notReady(model: String, state: String?, note: String?, others: [String])
  /// A sign-in that only a person at a terminal can finish, or the flags of `/login`.
  case signInNeeded(server: String)
  case noSignIn(server: String)
  /// The certificate is another than the one that was said to be trusted.
  case wrongFingerprint(Distrust, given: Fingerprint)
  case notPinnable(Distrust)
  case noCertificate(address: String)
  /// There is no certificate to trust; `server` is the kept one that was meant.
  case notEncrypted(origin: String, server: String?)
  case notAFingerprint(String)
  case notAgreed(server: String)
  /// Nothing came where a password or token was to be read.
  case noSecret
  /// Nobody can be asked something that no flag may answer.
  case needsTerminal(String, hint: String)
  /// What a command would do ends with the run that it is all of.
  case doesNothingAlone(command: String, hint: String)
  /// A tool that the person has not allowed, and nobody to ask.
  case notAllowed(tool: String, server: String)
  /// The model asked for tools so many times, and there is nobody to ask whether it may go on.
  case manyRounds(Int)
  /// What is asked for needs a server that is an agent.
  case noAgent(server: String)
  /// The server keeps nothing of that kind: `what` is such as `conversations`.
  case notKeptThere(server: String, what: String)
  /// The server has nothing of that kind: `what` is such as `projects`.
  case hasNone(server: String, what: String)
  /// The session is none that the server in use keeps.
  case noRemoteSession
  case terminal(TerminalError)
  /// `watched` are those that are.
  case notWatched(String, watched: [String])
  /// A command in a terminal ended with a status that is not 0.
  case commandFailed(status: Int)
  /// Nothing came of it any more.
  case commandSilent(seconds: Double, terminal: String, runsOn: Bool)
  /// A program that was to be one.
  case agentNotKept(BackendError, server: String)
  /// What was given is nothing to be paired by.
  case pairing(PairingProblem)
  /// The bridge does not show the certificate that its code names.
  case wrongBridge(Distrust, named: Fingerprint)
  case noSuchOption(String, known: [String])
  case noSuchChoice(String, of: String, known: [String])
  /// The program that signs in to an agent failed.
  case signInEnded(server: String, status: Int)
  case interrupted
  /// The person was asked, and wants nothing done.
  case leftAsItIs

  package enum SchemaProblem: Sendable, Equatable { case notJSON(JSON.Failure), flaw(JSONSchema.Flaw) }

  package enum Noun: String, Sendable {
    case agentSession = "session of the agent's", remoteSession = "conversation on the server",
      remoteSetting = "setting on the server", argument, command, kind, model, prompt, thing =
      "kind of thing to browse", provider, server, session, setting, terminal,
      project, place = "place to fill in", remoteTool = "MCP server or tool",
      snippet, tool,
      toolServer = "tool server", topic, turn

    /// Such as `conversations on the server`.
    var plural: String {
      guard let end = rawValue.firstRange(of: " on ") ?? rawValue.firstRange(of: " of ") else { return rawValue + "s" }
      return rawValue[..<end.lowerBound] + "s" + rawValue[end.lowerBound...]
    }
  }

  /// How an answer is not as a script wants it: it has what it should not, has not what it should, or ended otherwise.
  package enum Misfit: Sendable, Equatable {
    case with, without
    case status(String)
    /// It ended as it should not.
    case notStatus
  }

  /// What a command about an answer did not find.
  package enum Missing: Sendable {
    case nothingToRetry, nothingToUndo, nothingToFork, nothingToShow, nothingIn(turn: Int)
    case nothingToContinue(status: AnswerStatus?)
  }
}

extension ShellError {
  /// Whether a command does not take the words that it was given.
  var isAboutWords: Bool {
    switch self {
    case .missing, .unexpected, .repeated, .exclusive: true
    default: false
    }
  }

  /// Whether a server could not be reached at all.
  var isAway: Bool {
    switch self {
    case .backend(.unreachable, _, _), .backend(.timedOut, _, _): true
    default: false
    }
  }
}

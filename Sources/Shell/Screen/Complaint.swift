import Chat
import Glibc
import Store
package import Text

/// What went wrong in words, what to type next, and the exit status: the only place with such sentences.
package struct Complaint: Sendable, Equatable {
  package var text: SafeText
  package var hint: SafeText?
  package var status: ExitStatus
  /// Whether `/retry` asks the question that failed again.
  package var mayRetry = false

  /// As a terminal shows it, where nothing is wrapped.
  package var lines: String {
    (["error: " + text.string] + hints.map { "hint: " + $0.string }).joined(separator: "\n") + "\n"
  }

  /// What to type next, a line each.
  package var hints: [SafeText] {
    let hint = hint.map { [$0] } ?? []
    guard mayRetry else { return hint }
    return hint + [failsAgain && !hint.isEmpty ? "then /retry asks again" : "/retry asks again"]
  }

  /// Whether the same request fails again until the user has followed the hint.
  private var failsAgain: Bool { status == .usage || status == .signIn || isAboutModel }
  /// Set if the server does not have the model.
  var isAboutModel = false

  func offeringRetry(_ mayRetry: Bool) -> Complaint {
    var complaint = self
    complaint.mayRetry = mayRetry
    // Nor is there an answer to go on with where nothing is kept.
    if !mayRetry, hint?.string.hasPrefix("/continue") == true { complaint.hint = nil }
    return complaint
  }

  /// The error for output that could not be written to standard output.
  package static func unwritten(_ reason: String) -> Complaint {
    Complaint("standard output could not be written (\(reason))", .failure)
  }

  init(_ text: SafeText, hint: SafeText? = nil, _ status: ExitStatus) {
    self.text = text
    self.hint = hint
    self.status = status
  }

  package init(_ error: ShellError) {
    switch error {
    case .backend(let error, let server, let kind): self.init(error, server: server, kind: kind)
    case .tool(let error, let server): self.init(error, server: server)
    case .toolServers(let failure): self.init(failure)
    case .badToolServer(let slip): self.init(slip)
    case .snippets(let failure): self.init(failure)
    case .badSnippet(let slip): self.init(slip)
    case .credentials(let error): self.init(error)
    case .knownServers(let error), .permissions(let error), .drafts(let error): self.init(error)
    case .notReady(let model, let state, let note, let others):
      let why = [state, note].compactMap { $0 }.joined(separator: ", ")
      self.init(
        "model '\(model)' cannot be asked now\(why.isEmpty ? "" : " (\(why))" as SafeText)",
        hint: others.isEmpty
          ? "/models shows which models are ready"
          : "/model \(Words.quoted(others[0])) chooses another\(Complaint.besides(others.dropFirst()))",
        .usage)
    case .chosenModelGone(let model, let server, let others):
      self.init(
        server.kind == "kamiwaza"
          ? "The model is no longer available. Please select a different model. ('\(model)', which you chose)"
          : "model '\(model)', which you chose, is not running on \(server.name) any more",
        hint: others.isEmpty
          ? "/models lists what it has"
          : "/model \(Words.quoted(others[0])) chooses another\(Complaint.besides(others.dropFirst()))",
        .usage)
    case .signInNeeded(let server):
      self.init(
        "server '\(server)' wants you to sign in",
        hint: "/login USER --password-stdin, or /login --token-stdin; at a terminal /login asks", .signIn)
    case .noSignIn(let server): self.init("server '\(server)' knows no sign-in", .usage)
    case .wrongFingerprint(let distrust, let given):
      self.init(
        """
        the certificate of \(distrust.address) is \(distrust.certificate.fingerprint.word), not \(given.word): it is \
        not trusted
        """, .untrusted)
    case .notPinnable(let distrust): self.init(distrust)
    case .notEncrypted(let origin, let server):
      let whose: SafeText = server.map { " \(Words.quoted($0))" } ?? ""
      self.init(
        "\(origin) is not encrypted: there is no certificate to trust",
        hint: "/server allow \(origin)" + whose + " lets a sign-in go there", .usage)
    case .noCertificate(let address): self.init("\(address) shows no certificate", .usage)
    case .notAFingerprint(let word):
      self.init(
        "'\(word)' is neither a SHA-256 fingerprint nor a file of certificates", hint: "/help server shows how", .usage)
    case .notAgreed(let server): self.init("server '\(server)' wants its terms agreed to", hint: "/login", .signIn)
    case .noSecret: self.init("no password or token came", hint: "/help sign-in", .usage)
    case .doesNothingAlone(let command, let hint):
      self.init("/\(command) alone does nothing: its session would end with this run", hint: "\(hint)", .usage)
    case .needsTerminal(let what, let hint):
      self.init("there is no terminal to ask on: \(what)", hint: "\(hint)", .signIn)
    case .notAllowed(let tool, let server):
      self.init(
        "tool '\(tool)' of server '\(server)' was not run: you have not allowed it, and there is no terminal to ask on",
        hint: "parley -T \(Words.quoted(tool)) --yes allows it for a run, /settings tools.approval always for good",
        .failure)
    case .manyRounds(let rounds):
      self.init(
        "the model asked for tools \(rounds == 1 ? "once" : "\(rounds) times" as SafeText), and there is no terminal to ask whether it may go on",
        hint: "/continue goes on; /settings tools.rounds \(rounds * 2) allows more", .failure)
    case .agentNotKept(let error, let server):
      self.init(error, server: server, kind: "acp")
      hint = "it is not kept; /agent run tries it again"
    case .notKeptThere(let server, let what):
      self.init("server '\(server)' has no \(what)", hint: "/history lists the sessions that are kept here", .usage)
    case .hasNone(let server, let what):
      self.init("server '\(server)' has no \(what)", hint: "/server use NAME goes to another", .usage)
    case .notWatched(let name, let watched):
      self.init(
        "terminal '\(name)' is not watched",
        hint: watched.isEmpty ? "/terminal watch NAME begins that" : "watched: \(watched.joined(separator: ", "))",
        .usage)
    case .noRemoteSession:
      self.init(
        "this session is none that the server keeps", hint: "/sessions lists those; /sessions open NAME goes to one",
        .usage)
    case .terminal(let error): self.init(error)
    case .commandFailed(let status): self.init("exit status \(status)", .failure)
    case .commandSilent(let seconds, let name, runsOn: false):
      self.init(
        "nothing came of it for \(Complaint.seconds(seconds)): it was left, and \(name) ends with that",
        hint: "/settings timeout.terminal waits longer", .cutOff)
    case .commandSilent(let seconds, let name, _):
      self.init(
        "nothing came of it for \(Complaint.seconds(seconds)): it may run on in \(name)",
        hint: "/terminal show \(name) prints what there is; /settings timeout.terminal waits longer", .cutOff)
    case .noAgent(let server):
      self.init("server '\(server)' is no agent", hint: "/agent run COMMAND starts one", .usage)
    case .noSuchOption(let name, let known):
      self.init(
        "the agent has no setting '\(name)'",
        hint: known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))", .usage)
    case .noSuchChoice(let value, let option, let known):
      self.init(
        "'\(value)' is no choice of '\(option)'",
        hint: known.isEmpty ? "it has none" : "it has \(Complaint.either(known, most: 12, besides: 0))", .usage)
    case .signInEnded(let server, let status):
      self.init(
        "signing in to '\(server)' ended with exit status \(status)", hint: "/agent login tries again", .signIn)
    case .history(let error): self.init(error)
    case .preferences(let error): self.init(error)
    case .servers(let error): self.init(error)
    case .file(let problem) where problem.isWritten:
      let isFull = [ENOSPC, EDQUOT].map(FileError.reason).contains(problem.reason)
      self.init(
        "cannot write \(problem.path) (\(problem.reason))",
        hint: isFull ? "make room, then try again" : "give another name", isFull ? .failure : .usage)
    case .file(let problem):
      self.init("cannot read \(problem.path) (\(problem.reason))", .usage)
    case .importing(let path, let problem, let added): self.init(problem, of: path, added)
    case .attachment(let name, let problem, let naming): self.init(problem, of: name, naming)
    case .notAttached(let name, let attached):
      self.init(
        "'\(name)' is not attached",
        hint: attached.isEmpty ? "nothing is; /attach FILE does that" : "attached: \(attached.joined(separator: ", "))",
        .usage)
    case .notSent(let name, let turn, let files):
      self.init(
        "'\(name)' did not go along with #\(turn)",
        hint: files.isEmpty ? "nothing did" : "what did: \(files.joined(separator: ", "))", .usage)
    case .child(.notStarted(let program, let reason)):
      self.init("cannot start \(program) (\(reason))", .failure)
    case .schema(let path, let problem): self.init(ofSchema: problem, in: path)
    case .noServer:
      self.init("no server yet", hint: "/connect ADDRESS, such as /connect localhost:8080", .usage)
    case .noUsualPort(let host, let ports):
      let listed = ports.map(String.init).joined(separator: ", ")
      self.init(
        "no server at \(host) on the usual ports (\(listed))",
        hint: "/connect \(host):PORT, if the server uses another port", .unreachable)
    case .noSessions:
      self.init("no session yet", hint: "a message begins one", .usage)
    case .noModels(_, "kamiwaza"):
      self.init(
        """
        No models are currently deployed on your Kamiwaza server. Please deploy a model from the Kamiwaza web interface \
        to start chatting.
        """, hint: "/models asks it again", .refused)
    case .noModels(let server, "jupyter"), .noModels(let server, "ttyd"),
      .noModels(let server, "code-server"):
      self.init(
        "'\(server)' keeps terminals, and nobody there answers messages",
        hint: "/terminals lists them; /connect ADDRESS keeps a server that answers, /server use goes to one", .usage)
    case .noModels(let server, _):
      self.init("server '\(server)' has no models", hint: "/models asks it again", .refused)
    case .noModelMatches(let part):
      self.init("no model has '\(part)' in its name", hint: "/models lists all", .usage)
    case .noModelList(let server):
      self.init(
        "server '\(server)' does not list its models",
        hint: "/model NAME chooses the one to ask; -m NAME does so for one run", .refused)
      isAboutModel = true
    case .noModelChosen(let server):
      self.init(
        "no model chosen: \(server) does not list its models",
        hint: "/model NAME chooses the one to ask; -m NAME does so for one run", .refused)
      isAboutModel = true
    case .unknown(.model, let word, let nearest):
      let again: SafeText =
        nearest.isEmpty ? Complaint.listing(.model) + ";" : "did you mean \(Complaint.either(nearest))?"
      self.init("no model '\(word)'", hint: again + " '\(word)!' asks for it all the same", .usage)
    case .unknown(.session, let word, _) where word.utf8.count < 4 && word.allSatisfy(\.isHexDigit):
      self.init("no session '\(word)'", hint: "type at least 4 characters of the id; /history lists sessions", .usage)
    case .unknown(let noun, let word, let nearest):
      let again: SafeText = nearest.isEmpty ? Complaint.listing(noun) : "did you mean \(Complaint.either(nearest))?"
      self.init("no \(noun.rawValue) '\(word)'", hint: again, .usage)
    case .ambiguous(let noun, let word, let matches, let more):
      self.init(
        "'\(word)' could be several \(noun.plural)", hint: Complaint.either(matches, most: 8, besides: more), .usage)
    case .missing(let parameter, let command, let forms):
      self.init(
        "/\(command) needs \(Complaint.need(of: command, parameter, forms))",
        hint: Complaint.formHint(of: command, forms) ?? Complaint.helpHint(of: command), .usage)
    case .unexpected(let word, let command, let forms):
      self.init(
        "/\(command) does not take '\(word)'", hint: Complaint.usageHint(of: command, forms, besides: word), .usage)
    case .repeated(let flag, let command):
      self.init("/\(command) takes \(flag) once", hint: Complaint.helpHint(of: command), .usage)
    case .exclusive(let one, let other, let command):
      self.init("/\(command) takes \(one) or \(other), not both", hint: Complaint.helpHint(of: command), .usage)
    case .badNumber(let word, let command):
      self.init("'\(word)' is not a number", hint: Complaint.helpHint(of: command), .usage)
    case .badHandle(let word):
      self.init(
        "'\(word)' names no answer and no code", hint: "#3, #-1 for the last, #3.code1 for its first block of code",
        .usage)
    case .noCode(let turn, let number, let count):
      let blocks: SafeText = count == 1 ? "1 block of code" : "\(count) blocks of code"
      self.init(
        count == 0 ? "there is no code in #\(turn)" : "#\(turn) has \(blocks), and no \(number)",
        hint: count == 0 ? "/raw #\(turn) prints the answer" : "#\(turn).code\(count) is the last", .usage)
    case .programFailed(let command, let status):
      self.init("\(Filter.inline(command, width: 40)) ended with exit status \(status)", .failure)
    case .badPattern(let text):
      self.init("\(text) is no regular expression", hint: Complaint.helpHint(of: "expect"), .usage)
    case .slowPattern(let text):
      self.init("looking for \(text) takes too long", hint: "(a+)+ and the like have too many ways to match", .failure)
    case .badStatus(let word):
      self.init(
        "no answer is '\(word)'", hint: Complaint.either(AnswerStatus.allCases.map(\.rawValue), most: 8, besides: 0),
        .usage)
    case .notAsExpected(let misfit, let wanted, let turn, let said): self.init(misfit, wanted, turn, said)
    case .noClipboard:
      self.init(
        "there is no clipboard to copy to: this is no terminal that has one, and no program for it was found",
        hint: "/save FILE writes it to a file; /settings clipboard COMMAND names a program", .failure)
    case .damagedHistory(let problem, let others):
      self.init(
        "the history is damaged: \(problem)" + (others > 0 ? ", and \(others) more" : ""),
        hint: "/db recover mends it, or saves what can be read", .storeUnusable)
    case .searchFilter(let slip): self.init(slip)
    case .noHit(let number, let count):
      let last: SafeText = count == 1 ? "1 hit" : "\(count ?? 0) hits"
      self.init(
        count == nil ? "nothing was searched for yet" : "the last search has \(last), and no hit \(number)",
        hint: "/history search WORDS", .usage)
    case .badPage(let word): self.init("there is no page '\(word)'", hint: "pages are counted from 1", .usage)
    case .context(let problem): self.init(problem)
    case .badAge(let word):
      self.init("'\(word)' is no age", hint: "30d, with m, h, d, w, mo or y for minutes to years", .usage)
    case .noAnswer(.nothingToRetry):
      self.init("there is no message to send again in this session", .usage)
    case .noAnswer(.nothingToUndo): self.init("there is no message to go back from", .usage)
    case .noAnswer(.nothingToFork): self.init("there is no turn yet to begin a session with", .usage)
    case .noAnswer(.nothingToShow): self.init("there is no answer yet", .usage)
    case .noAnswer(.nothingIn(let turn)): self.init("#\(turn) has no answer", .usage)
    case .noAnswer(.nothingToContinue(let status)):
      if let status {
        self.init(
          "the last answer is \(status.rawValue): there is nothing to go on with", hint: "/retry asks again", .usage)
      } else {
        self.init("there is no answer to go on with in this session", .usage)
      }
    case .browsing(let error): self.init(error)
    case .cannot(let server, let ability):
      self.init("server '\(server)' \(Complaint.inability(ability))", .usage)
    case .beingWritten:
      self.init("another shell is writing this answer", hint: "/history show shows how far it is", .usage)
    case .notKeptYet(let turn):
      self.init(
        "#\(turn) is not in the history yet", hint: "each message tries again; /export writes it to a file", .usage)
    case .unknownKind(let server, let kind):
      self.init(
        "server '\(server)' is of kind '\(kind)', which this version does not know", hint: "/connect its address again",
        .usage)
    case .needsYes(let what):
      self.init("there is no terminal to ask on: \(what)", hint: "add --yes", .usage)
    case .scriptsTooDeep(let name):
      self.init("\(name) runs itself, or scripts run each other too deep", .usage)
    case .pairing(let problem): self.init(problem)
    case .wrongBridge(let distrust, let named):
      self.init(
        """
        \(distrust.address) shows another certificate than its code names (it is \(distrust.certificate.fingerprint.word), \
        the code names \(named.word)): nothing was sent
        """, hint: "somebody may sit between you and the bridge, or the code is of another bridge", .untrusted)
    case .secretOnLine:
      self.init("that looks like a key, and a line is no place for one", hint: "/help environment", .usage)
    case .secretInMessage(let masked, let place):
      self.init(
        "the \(place.rawValue) looks like a key or a password, and was not sent: \(Filter.inline(masked, width: 60))",
        hint: "/login --token-stdin signs in with a key; --yes sends it all the same", .usage)
    case .interrupted:
      self.init("interrupted", .interrupted)
    case .leftAsItIs: self.init("left as it is", .interrupted)
    }
  }

  private static func inability(_ ability: Abilities) -> SafeText {
    ability == .models ? "has no models to choose from" : "cannot go on with an answer; /retry asks again"
  }

  private static func listing(_ noun: ShellError.Noun) -> SafeText {
    switch noun {
    case .agentSession: "/agent sessions lists them"
    case .remoteSession: "/sessions lists them"
    case .remoteSetting: "/server settings lists them"
    case .project: "/projects lists them"
    case .terminal: "/terminals lists them"
    case .place: "/snippets show shows them"
    case .snippet: "/snippets lists them"
    case .remoteTool: "/mcp lists them"
    case .tool: "/tools lists them"
    case .prompt: "/tools prompts lists them"
    case .argument: "/tools prompts shows them"
    case .toolServer: "/tools lists them"
    case .command, .topic: "/help lists them"
    case .model: "/models lists them"
    case .server: "/server lists them"
    case .session: "/history lists them"
    case .setting: "/settings lists them"
    case .kind: "/help connect shows them"
    case .thing: "/browse lists them"
    case .provider: "/login shows them"
    case .turn: "/history show lists them"
    }
  }

  /// `; also there: b, c`, of what may be named besides; at most three.
  private static func besides(_ others: ArraySlice<String>) -> SafeText {
    guard !others.isEmpty else { return "" }
    let shown = others.prefix(3)
    let more: SafeText = others.count > 3 ? " and \(others.count - 3) more" : ""
    return "; also there: \(shown.joined(separator: ", "))\(more)"
  }

  /// Of many the first, and how many more there are: `a, b, c or 4 more`.
  private static func either(_ words: [String], most: Int, besides others: Int) -> SafeText {
    let more = max(0, words.count - most) + others
    return either(words.prefix(most) + (more > 0 ? ["\(more) more"] : []))
  }

  /// `a`, `a or b`, `a, b or c`.
  static func either(_ words: [String]) -> SafeText {
    guard let last = words.last else { return "" }
    if words.count == 1 { return "\(last)" }
    return "\(words.dropLast().joined(separator: ", ")) or \(last)"
  }
}

import Chat
import Store
import Text
import Wire

/// The loop: read a line, decide what it means, run it, show what came of it.
extension Shell {
  /// Runs lines until they end, `/quit`, a signal, or a failure that stops a script.
  ///
  /// - Parameter script: what the lines came from, for error messages; nil for a person or `-c`.
  package mutating func run(_ source: any LineSource, script: String? = nil) async {
    // At a prompt each script has failures of its own; without one the first failure is the run's.
    let isOutermost = desk.options.isInteractive && desk.scriptDepth == 1
    let earlierFailure = desk.failure
    if isOutermost { (desk.failure, desk.endsScripts) = (nil, false) }
    let outerPlace = desk.place
    defer {
      if isOutermost { (desk.failure, desk.endsScripts) = (earlierFailure, false) }
      desk.place = outerPlace
    }
    var assembly = LineAssembly()
    var number = 0
    var hasWarned = false
    // Whether the white space at the start of the line belongs to the message.
    var isIndented = false
    while true {
      let line: String
      await tellNews()
      await tellNewsOfTerminals()
      tellOfNotifying()
      links.takeOverview(&desk)
      await talk.takeTitle(links)
      let next = await nextLine(of: source, continuing: assembly.isOpen)
      switch next {
      case .line(let text), .pastedLine(let text), .repairedLine(let text):
        number += 1
        if typed.isEmpty { isIndented = if case .pastedLine = next { true } else { false } }
        if case .repairedLine = next, !hasWarned {
          hasWarned = true
          desk.warn(Wording.repaired("\(script ?? "")"))
        }
        // A script may have remarks; a space before the # sends the line.
        if script != nil, !assembly.isOpen, text.hasPrefix("#") { continue }
        typed += typed.isEmpty ? text : "\n" + text
        guard let whole = assembly.take(text) else { continue }
        line = whole
      case .notText: return fail(Complaint(.file(FileProblem(path: script ?? "", reason: "it is not text"))))
      case .interrupted(let hadText):
        let hadMore = assembly.isOpen || hadText
        talk.replaced = nil
        assembly.clear()
        typed = ""
        if desk.options.isInteractive, !hadMore { desk.say(Wording.leaving) }
        continue
      case .end:
        guard let rest = assembly.flush() else { return }
        line = rest
      case .signal(_, let draft):
        if script == nil { keepDraft([typed, draft].filter { !$0.isEmpty }.joined(separator: "\n")) }
        return
      }
      desk.place = script.map { "\($0):\(number): " } ?? ""
      desk.isAnswering = false
      let goesOn = await handle(line, isIndented: isIndented)
      if desk.world.terminal.endingSignal != nil {
        if script == nil, desk.isAnswering, desk.options.isInteractive { await keepTypedAhead(of: source) }
        return
      }
      if !goesOn || stopsScript(script) { return }
    }
  }

  /// Runs one line; whether the loop goes on.
  /// - Parameter isIndented: whether white space at its start belongs to the message. A space that is typed there means
  ///   that the line is a message, and is not to be recalled.
  package mutating func handle(_ line: String, isIndented: Bool = false) async -> Bool {
    await remember(typed.isEmpty ? line : typed, isIndented: isIndented)
    await talk.settleTitle()
    typed = ""
    var input = Input(line, isIndented: isIndented, names: Commands.names, isPath: desk.world.fileExists)
    if isAgentCommand(line) { input = .message(line) }
    if desk.options.isInteractive, isHabit(line) { input = .habit(line) }
    return await handle(input)
  }

  /// What leaves or helps elsewhere, and would be a strange message.
  private func isHabit(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    return ["exit", "quit", "help"].contains(line)
      || words.count == 2 && words[0] == "help" && Help(Commands.all).knows(String(words[1]))
  }

  /// A command of the agent's own, which it reads; ours come before those of the same name.
  func isAgentCommand(_ line: String) -> Bool {
    guard line.hasPrefix("/"), let commands = links.front?.backend.agent?.state.commands else { return false }
    let word = line.dropFirst().prefix { !$0.isWhitespace }
    return Commands.names[String(word)] == nil && commands.contains { $0.name == word }
  }

  /// Runs words that were a command line's; whether the loop goes on.
  package mutating func handle(words: [String]) async -> Bool {
    desk.purpose = .oneCommand
    return await handle(Input(words: words, names: Commands.names, isPath: desk.world.fileExists))
  }

  /// Sends text as it is: all that the run is for.
  package mutating func ask(_ text: String) async {
    desk.purpose = .oneMessage
    do throws(ShellError) {
      try await confirmSecret(in: text)
      try await send(.new(text))
    } catch { fail(Complaint(error)) }
  }

  /// Sends what was typed, with what it names and something else behind it: all that the run is for.
  package mutating func ask(typed text: String, with other: String? = nil) async {
    desk.purpose = .oneMessage
    do throws(ShellError) {
      try await confirmSecret(in: text)
      try noteMentioned(in: text)
      let whole = try await toolbox.attachingResources(text, &links, &desk)
      try await send(.new(whole + (other.map { "\n\n" + $0 } ?? "")))
    } catch {
      fail(Complaint(error))
    }
  }

  private mutating func handle(_ input: Input) async -> Bool {
    var isSwitch = false
    var canSwitch = false
    do throws(ShellError) {
      switch input {
      case .nothing:
        if desk.isAtPrompt { talk.replaced = nil }
        return true
      case .message(let text):
        return try await say(text)
      case .shell(let command, let attaches):
        try await confirmRunning()
        try await runInUsersShell(command, attaches: attaches)
        return true
      // The mistyped command may have been meant to change the server or session.
      case .suggestion(let word, let nearest):
        isSwitch = true
        try refuseSecretAsCommand()
        // The whole line comes back, so that only the word needs mending.
        if desk.isAtPrompt { talk.draft = lastLine }
        throw .unknown(.command, word, nearest: Commands.meant(by: word).map { [$0] } ?? nearest.map { "/" + $0 })
      case .ambiguous(let word, let names):
        isSwitch = true
        if desk.isAtPrompt { talk.draft = lastLine }
        throw .ambiguous(.command, word, matches: names.map { "/" + $0 })
      case .habit(let word):
        let isHelp = word.hasPrefix("help")
        desk.say("/\(isHelp ? word : "quit") does that; a space before \(isHelp ? "help" : word) sends it")
        return true
      case .command(let name, let arguments):
        guard let command = Commands.named(name) else { throw .unknown(.command, "/" + name, nearest: []) }
        isSwitch = command.isSwitch(arguments)
        canSwitch = command.canSwitch
        let next = try await command.run(&self, arguments)
        try await confirmSecret(in: next)
        return try await act(on: next)
      }
    } catch {
      if case .leftAsItIs = error {
        desk.say("left as it is")
        return true
      }
      let complaint = Complaint(error)
      fail(complaint)
      if isSwitch || canSwitch && error.isAboutWords { noteFailedSwitch(complaint.status) }
      return true
    }
  }

  /// After a failed switch the next line of a script would go to the server, model or session that was in use before.
  private mutating func noteFailedSwitch(_ status: ExitStatus) {
    guard !desk.isOneCommand, !desk.isAtPrompt, desk.preferences.errorPolicy == .switch else { return }
    desk.say("script stopped: the next line could reach the wrong server, model or session (/help on-error)")
    (desk.failure, desk.endsScripts) = (status, true)
  }

  /// Sends a message with what it names joined to it, perhaps in the place of an earlier one. One that names what cannot
  /// be read comes back to be mended, and takes the same place then.
  private mutating func say(_ text: String) async throws(ShellError) -> Bool {
    let replaced = talk.replaced.flatMap { $0.session == talk.conversation.session.id ? $0 : nil }
    talk.replaced = nil
    try await confirmSecret(in: text)
    do throws(ShellError) {
      try noteMentioned(in: text, replacing: replaced)
      let whole = try await toolbox.attachingResources(text, &links, &desk)
      guard let replaced else { return try await act(on: .send(.new(whole))) }
      try await talk.standBeside(replaced, desk)
      return try await act(on: .send(.edited(replaced, text: whole, files: replaced.files(stillNamedIn: text))))
    } catch {
      if desk.isAtPrompt { (talk.draft, talk.replaced) = (lastLine, replaced) }
      throw error
    }
  }

  /// Remembers the files that a message names, to send them along. Names that were in the replaced message are ignored:
  /// their files are attached already, and some of the text may come from a file. Throws `attachment` if a message that
  /// was typed at the prompt names a missing file.
  mutating func noteMentioned(in text: String, replacing replaced: Turn? = nil) throws(ShellError) {
    let isThere = desk.world.fileExists
    let before = replaced.map { Mention.all(in: $0.question, isThere: isThere) } ?? []
    talk.mentioned = Mention.all(in: text, isThere: isThere).filter { !before.contains($0) }
    // What went along before may be gone from the folder.
    let kept = Set((replaced?.files ?? []).map(\.name))
    let missing = Mention.missing(in: text) { isThere($0) || kept.contains($0) }
    if desk.isAtPrompt, desk.preferences.returnsMissingFiles { try talk.requireNoMistypedFile(among: missing, desk) }
    if let notice = talk.notice(ofMissing: missing, desk) { desk.say(notice) }
  }

  private mutating func act(on next: Next) async throws(ShellError) -> Bool {
    switch next {
    case .prompt: return true
    case .send(let question):
      try await send(question)
      talk.seekTitle(links, desk)
      return true
    case .run(let lines, let name):
      guard desk.scriptDepth < 8 else {
        fail(Complaint(.scriptsTooDeep(name)))
        return true
      }
      desk.scriptDepth += 1
      await run(ScriptLines(lines), script: name)
      desk.scriptDepth -= 1
      return !hasQuit
    case .quit:
      hasQuit = true
      return false
    }
  }

  /// Says what failed; in JSON too, when that is what the reader reads.
  /// - Parameter turn: the number of the turn that failed, where it is stored.
  package mutating func fail(_ complaint: Complaint, turn: Int? = nil) {
    desk.complain(complaint)
    guard desk.options.output != .text else { return }
    let status: AnswerStatus = complaint.status == .interrupted ? .interrupted : .failed
    var object = AnswerJSON.failure(
      complaint, status, server: links.front?.server.name, model: links.front?.model,
      session: talk.conversation.isStored ? talk.conversation.session.id.text : nil, turn: turn)
    if desk.options.output == .jsonLines { object = AnswerJSON.finish(object) }
    desk.show(object)
  }

  /// Whether the line that was just run ends its script: always after Ctrl-C, otherwise as the setting on-error says.
  private mutating func stopsScript(_ script: String?) -> Bool {
    if hasQuit { return true }
    guard !desk.options.isInteractive || script != nil, let failure = desk.failure else { return false }
    if failure == .interrupted { return true }
    if desk.endsScripts { return true }
    guard desk.preferences.errorPolicy == .stop else { return false }
    desk.failure = .scriptStopped
    return true
  }

  /// Keeps what was being typed when the terminal went away, for the next start.
  private func keepDraft(_ text: String) {
    guard mayKeep(text), !desk.options.isPrivate else { return }
    desk.world.drafts.keep(text)
  }

  /// Keeps what was typed while an answer was written: at any other time it may be a password that nothing asks for any
  /// more (docs/rules.md C8). Each line is looked at for itself.
  private mutating func keepTypedAhead(of source: any LineSource) async {
    guard case .signal(_, let draft) = await source.next(request(continuing: false)) else { return }
    let lines = draft.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    keepDraft(lines.filter { mayKeep($0) }.joined(separator: "\n"))
  }

  /// Puts a line on the recall list; one that begins with a space stays out.
  private mutating func remember(_ line: String, isIndented: Bool) async {
    lastLine = line
    guard mayKeep(line, isIndented: isIndented) else {
      talk.opened?.recall.leaveOut()
      return
    }
    // A line that cannot be kept is no reason to stop a person who is about to send it.
    try? await talk.history(desk).recall.add(line)
  }

  /// Whether a line that was typed may be kept on disk. A space that is typed at its start means that it may not.
  private func mayKeep(_ line: String, isIndented: Bool = false) -> Bool {
    desk.isAtPrompt && !line.trimmed.isEmpty && (isIndented || line.first?.isWhitespace == false)
      && !LikelySecret.isLikely(in: line) && !LikelySecret.isValue(in: line) && !desk.mayBeSecret(line)
      && !holdsSecretArgument(line)
      && line.split(whereSeparator: \.isWhitespace).first != "/pair"
  }

  mutating func request(continuing: Bool) -> LineRequest {
    guard desk.options.isInteractive else { return LineRequest(prompt: []) }
    snippets.refresh()  // for Tab: another shell may have added to them
    // A script's lines are not typed: what is put back waits for the person.
    defer { if desk.scriptDepth == 0 { (talk.draft, desk.discardsTypedAhead) = ("", false) } }
    return LineRequest(
      prompt: continuing ? .text("... ", .dim) : prompt,
      promptNow: continuing || links.watched.isEmpty ? nil : promptNow,
      initial: continuing || desk.scriptDepth > 0 ? "" : talk.draft,
      recall: talk.opened?.recall ?? NoRecall(), suggests: desk.preferences.suggests,
      complete: { [completer = completer(), pending = links.pending] line, cursor in
        completer.knowing(pending?.overview).complete(line, cursor)
      },
      editor: desk.editor, editing: desk.preferences.editing,
      typedAhead: desk.scriptDepth == 0 && desk.discardsTypedAhead ? .discarded : .accepted)
  }
}

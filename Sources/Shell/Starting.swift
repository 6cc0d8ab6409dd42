import Chat
import Store
import Text
import Wire

/// How a run begins and ends.
extension Shell {
  /// Everything that has to be known before the first line: the session to go on with, and for a person a greeting.
  package mutating func begin() async {
    do throws(ShellError) {
      if let system = desk.options.system {
        isRefused = true
        try await confirmSecret(in: system, as: .systemPrompt)
        isRefused = false
      }
      if let path = desk.options.schema {
        isRefused = true
        schema = try await readSchema(path)
        isRefused = false
      }
      if !desk.options.attached.isEmpty {
        isRefused = true
        try talk.attach(desk.options.attached, says: desk.options.isInteractive, links, desk)
        isRefused = false
      }
      // What is kept on disk is not there for a private run, whose own history is empty.
      if desk.options.isPrivate, desk.options.resume != .none { throw .history(.noFile) }
      if desk.options.isPrivate, desk.options.isInteractive { desk.say(Wording.privately) }
      switch desk.options.resume {
      case .none: if desk.options.isInteractive { try await greet() }
      case .last: try await talk.resume(nil, &links, &desk)
      case .session(let words): try await talk.resume(words, &links, &desk)
      }
    } catch {
      fail(Complaint(error))
    }
    await takeUpDraft()
  }

  /// What was being typed when a terminal went away is on the line again, and what others had is on the recall list.
  private mutating func takeUpDraft() async {
    guard desk.options.isInteractive, !desk.options.isPrivate else { return }
    // A line that cannot be saved there is still put back, now and at the next start.
    let history = try? await talk.history(desk)
    let recall = history?.path == nil ? nil : history?.recall
    let lines = await desk.world.drafts.take { line in await recall?.save(line) ?? false }
    guard let last = lines.last else { return }
    talk.draft = last
    desk.say("the line that was not sent when the terminal went away is back; /, typed first, begins a command instead")
  }

  /// A file that is no schema is found wrong before anything is asked.
  private func readSchema(_ path: String) async throws(ShellError) -> JSONSchema {
    let text = try await desk.readText(path)
    let json: JSON
    do throws(JSON.Failure) { json = try JSON(parsing: text) } catch {
      throw .schema(path, .notJSON(error))
    }
    do throws(JSONSchema.Flaw) { return try JSONSchema(json) } catch { throw .schema(path, .flaw(error)) }
  }

  /// Saves what is left to save.
  package mutating func end() async {
    links.endOverview()
    await talk.leaveTitle()
    await toolbox.closeTools()
    if desk.purpose != .oneMessage { await talk.keepUnkept(desk) }
    if !talk.waiting.isEmpty, !desk.options.isInteractive, desk.failure == nil {
      desk.say("no message was sent that \(talk.waiting[0].name) could have gone with", .warning)
    }
    await talk.opened?.close()
    await desk.world.finish()
    if let reason = desk.world.terminal.outputFailure {
      desk.complain(.unwritten(reason))
    }
    // A person at a prompt has seen each failure; only scripts read it afterwards.
    if desk.options.isInteractive, !isRefused { desk.failure = nil }
  }

  private mutating func greet() async throws(ShellError) {
    let history = try await talk.history(desk)
    if desk.options.server == nil, desk.world.environment.serverAddress == nil, links.kept.current == nil {
      desk.say(Wording.welcome(desk.world.paths, home: desk.world.environment["HOME"]), .plain)
    } else {
      await greetServer()
      if let entry = links.kept.current, desk.options.server == nil, entry.server.kind == "kamiwaza",
        entry.models.isEmpty,
        let account = desk.world.backend(entry.server, desk.preferences.timeouts)?.account, await !account.hasSignIn()
      {
        desk.say("you are not signed in to \(entry.server.name): /login, or just ask")
      }
    }
    try await takeUpCutOff(history)
  }

  /// What parley was at when it was killed: the last session is gone on with, others are named.
  private mutating func takeUpCutOff(_ history: History) async throws(ShellError) {
    guard history.path != nil else { return }
    let last = try await talk.fromHistory(desk) { history throws(HistoryError) in try await history.unfinished() }
    if let last, history.cutOff.contains(last.session.id) { try await talk.resume(last.session.id.text, &links, &desk) }
    for id in history.cutOff.filter({ $0 != last?.session.id }).prefix(3) {
      let (session, path) = try await talk.session(called: id.text, desk)
      desk.say(
        "\"\(SessionPage.name(session, path))\" was cut off: /resume \(id.text.prefix(8)) goes on with it", .warning)
    }
    try await talk.fromHistory(desk) { history throws(HistoryError) in try await history.forgetCutOff() }
  }

  /// The server of the option or the environment is asked what it is, so that the prompt can name it; a kept one is
  /// not, because a start waits for no network.
  private mutating func greetServer() async {
    do throws(ShellError) {
      try await links.connected(&desk)
    } catch {
      desk.complain(Complaint(error))
    }
  }

  /// Runs the user's start-up commands.
  package mutating func runStartUpCommands() async {
    let path = desk.world.paths.startUpCommands
    let lines: [String]
    do throws(FileError) {
      guard let bytes = try desk.world.readOwnFile(path) else { return }
      do throws(FileProblem) { lines = try desk.scriptLines(bytes, of: path) } catch {
        return desk.complain(Complaint(.file(error)))
      }
    } catch {
      return desk.complain(Complaint(error))
    }
    desk.scriptDepth += 1
    await run(ScriptLines(lines), script: path)
    desk.scriptDepth -= 1
  }

  /// Reads the settings again when another shell has changed them.
  mutating func refreshPreferences() {
    guard desk.preferences.refresh() else { return }
    desk.world.terminal.follow(desk.preferences)
    sayWarnings()
  }

  /// What is wrong with the preference file, once.
  package mutating func sayWarnings() {
    for warning in desk.preferences.warnings { desk.say(Wording.preferences(warning), .warning) }
    sayProblemWithServers()
    if let problem = toolbox.toolServers.problem { desk.sayOnce(Wording.toolServers(problem), .warning) }
    if let problem = toolbox.permissions.problem { desk.sayOnce(Wording.permissions(problem), .warning) }
  }

  /// Warns once of what is wrong with the list of servers.
  mutating func sayProblemWithServers() {
    if let problem = links.kept.problem { desk.sayOnce(Wording.servers(problem), .warning) }
  }
}

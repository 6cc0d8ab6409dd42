package import Chat
package import Store

/// What a program asks of the shell that stands between it and the person, such as an editor (docs/acp.md 11).
extension Shell {
  /// The commands that are of use there.
  package static let servedCommands = Commands.all.filter { !$0.needsPrompt }

  /// What a message is.
  package enum Meaning: Sendable {
    case message(String)
    /// A command, as it was typed.
    case command(String)
    /// A slip, or a command that needs a person at a prompt: it is not sent.
    case refused(Complaint)
  }

  /// What a message means: no slip of the finger is sent to a model, and what an agent has for commands is.
  package func meaning(of text: String) -> Meaning {
    guard text.hasPrefix("/"), !isAgentCommand(text) else { return .message(text) }
    switch Input(text, names: Commands.names, isPath: desk.world.fileExists) {
    case .command(let name, _):
      guard let command = Commands.named(name), command.needsPrompt else { return .command(text) }
      return .refused(
        Complaint("/\(name) is of no use in an editor", hint: "on a terminal: parley /\(name)", .usage))
    case .suggestion(let word, let nearest):
      return .refused(
        Complaint(.unknown(.command, word, nearest: Commands.meant(by: word).map { [$0] } ?? nearest.map { "/" + $0 })))
    case .ambiguous(let word, let names):
      return .refused(Complaint(.ambiguous(.command, word, matches: names.map { "/" + $0 })))
    case .message(let message): return .message(message)
    case .nothing, .habit, .shell: return .message(text)
    }
  }

  /// Begins a session of this name, which is kept with its first message, with more servers of tools.
  package mutating func begin(as id: SessionID, lent servers: [ToolServer]) {
    leaveSession()
    talk.conversation.session.id = id
    toolbox.lent = servers
  }

  /// Sends a message as it is.
  package mutating func send(message text: String) async {
    do throws(ShellError) {
      try await confirmSecret(in: text)
      try await send(.new(text))
    } catch { fail(Complaint(error)) }
  }

  /// What lists call the session; nil for one without a message.
  package var sessionName: String? {
    talk.conversation.path.isEmpty
      ? nil : SessionPage.name(talk.conversation.session, talk.conversation.path).string
  }

  /// Takes a stored session up; its turns.
  package mutating func takeUp(_ id: SessionID) async throws(ShellError) -> [Turn] {
    guard let (session, path) = try await talk.stored(id, desk) else {
      throw .unknown(.session, id.text, nearest: [])
    }
    try await talk.stand(in: session, path, &links, &desk)
    return path
  }

  /// So many stored sessions, newest first.
  package mutating func sessions(_ limit: Int, offset: Int) async throws(ShellError) -> [SessionSummary] {
    try await talk.fromHistory(desk) { history throws(HistoryError) in try await history.recent(limit, offset: offset) }
  }

  /// Removes a stored session for good; harmless where there is none.
  package mutating func forget(_ id: SessionID) async throws(ShellError) {
    do throws(ShellError) {
      let forgotten = try await talk.forget(id, desk)
      if let error = forgotten.logError { throw .history(error) }
    } catch {
      if case .history(.noSession) = error { return }
      throw error
    }
  }

  /// Takes the server that messages go to into use.
  /// - Parameter onlyKept: whether one that would have to be asked what it is is left for later.
  package mutating func takeServer(onlyKept: Bool) async {
    guard !onlyKept || links.nameInUse(desk).flatMap({ links.kept.named($0) }) != nil else { return }
    // A message says why it cannot be asked.
    _ = try? await links.connected(&desk)
  }

  /// Ends the agents of the session, and its programs.
  package mutating func endPrograms() async {
    await links.closeAgents()
    await links.unwatchAll()
    await toolbox.closeTools()
  }
}

/// What can be chosen for a session.
extension Shell {
  /// What there is to choose of, by these names: the model, the server, and whether tools run unasked.
  package enum Option: String, Sendable, CaseIterable { case model, server, tools }

  package func offer(_ option: Option) -> AgentOption {
    switch option {
    case .model:
      let value = links.modelInView(of: talk.conversation.session, desk)
      return offer(option, "Model", category: "model", value, (links.front?.models ?? []).filter(\.isReady).map(\.id))
    case .server:
      // The run's own is one of them, by what it was called there, and stays so when another is in use.
      let ofRun = links.nameOfRun(desk)
      let names = links.kept.entries.map(\.server.name)
      let isOfRun = links.front.map { !names.contains($0.server.name) } ?? true
      return offer(
        option, "Server", isOfRun ? ofRun ?? links.nameInUse(desk) : links.nameInUse(desk),
        names + (ofRun.map { names.contains($0) ? [] : [$0] } ?? []))
    case .tools:
      let value = desk.preferences.toolApproval
      return AgentOption(
        id: .config(option.rawValue), name: "Tools", category: "mode", value: value.rawValue,
        choices: ToolApproval.allCases.map { .init(value: $0.rawValue, name: $0.title) })
    }
  }

  /// - Parameter value: is a choice, whether it is listed or not.
  private func offer(
    _ option: Option, _ name: String, category: String? = nil, _ value: String?, _ names: [String]
  ) -> AgentOption {
    let all = names + (value.map { names.contains($0) ? [] : [$0] } ?? [])
    return AgentOption(
      id: .config(option.rawValue), name: name, category: category, value: value ?? "",
      choices: all.map { .init(value: $0, name: $0) })
  }

  /// Chooses for this session.
  package mutating func choose(_ value: String, of option: Option) async throws(ShellError) {
    switch option {
    case .model:
      try await links.connected(&desk)
      links.chooseForNow(value)
    case .server:
      try await links.use(server: value, &desk)
      toolbox.beginAnew()
    case .tools:
      do throws(SettingError) { try desk.preferences.overlay("tools.approval", value, from: .run) } catch {
        throw .preferences(.setting(error))
      }
    }
  }
}

extension ToolApproval {
  fileprivate var title: String {
    switch self {
    case .ask: "Ask before each call"
    case .session: "Ask once for each tool"
    case .always: "Run every tool unasked"
    case .never: "Run no tool"
    }
  }
}

package import Chat
package import Store

/// What a program asks of the shell that stands between it and the person, such as an editor (docs/acp.md 11).
extension Shell {
  /// The commands that are of use there: none that goes over to another session, reads a secret or needs the terminal.
  package static let servedCommands: [Command] = [
    "model", "models", "connect", "server", "tools", "browse", "system", "title", "retry", "continue", "history",
    "settings", "permissions", "whoami", "doctor", "timing", "about", "help",
  ].compactMap(Commands.named)

  /// Whether a message is one of those commands.
  package static func isServedCommand(_ text: String) -> Bool {
    guard text.hasPrefix("/"), let name = Commands.names[String(text.dropFirst().prefix { !$0.isWhitespace })] else {
      return false
    }
    return servedCommands.contains { $0.name == name }
  }

  /// Begins a session of this name, which is kept with its first message.
  package mutating func begin(as id: SessionID) {
    leaveSession()
    talk.conversation.session.id = id
  }

  /// Offers the tools of more servers, for this session.
  package mutating func lend(_ servers: [ToolServer]) {
    toolbox.lent = servers
    toolbox.choice = nil
  }

  /// Sends a message.
  package mutating func say(_ text: String) async { await send(.new(text)) }

  /// What lists call the session; nil for one without a message.
  package var sessionName: String? {
    talk.conversation.path.isEmpty
      ? nil : SessionPage.name(talk.conversation.session, talk.conversation.path).string
  }

  /// Takes a stored session up; its turns.
  package mutating func takeUp(_ id: SessionID) async throws(ShellError) -> [Turn] {
    let found = try await talk.fromHistory(desk) { history throws(HistoryError) in
      let (session, path) = (try await history.session(id), try await history.path(of: id))
      return session.map { ($0, path) }
    }
    guard let (session, path) = found else { throw .unknown(.session, id.text, nearest: []) }
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
      try await talk.fromHistory(desk) { history throws(HistoryError) in try await history.forget(id) }
    } catch {
      if case .history(.noSession) = error { return }
      throw error
    }
  }

  /// Takes the server that messages go to into use.
  /// - Parameter onlyKept: whether one that would have to be asked what it is is left for later.
  package mutating func meet(onlyKept: Bool) async {
    let name = desk.options.server ?? desk.world.environment.serverAddress ?? links.kept.current?.server.name
    guard !onlyKept || name.flatMap({ links.kept.named($0) }) != nil else { return }
    // A message says why it cannot be asked.
    _ = try? await links.connected(&desk)
  }
}

/// What can be chosen for a session.
extension Shell {
  package struct Offer: Sendable, Equatable {
    /// nil where none is chosen.
    package var value: String?
    package var choices: [String]
  }

  /// The models of the server in use, as far as they are known without asking it.
  package var models: Offer {
    let value = links.modelInView(of: talk.conversation.session, desk)
    let names = (links.front?.models ?? []).filter(\.isReady).map(\.id)
    return Offer(value: value, choices: names + (value.map { names.contains($0) ? [] : [$0] } ?? []))
  }

  /// The servers that the person keeps, and the one in use.
  package var servers: Offer {
    let value = links.front?.server.name ?? desk.options.server ?? links.kept.current?.server.name
    let names = links.kept.entries.map(\.server.name)
    return Offer(value: value, choices: names + (value.map { names.contains($0) ? [] : [$0] } ?? []))
  }

  /// Whether tools run unasked (`tools.approval`).
  package var approval: Offer {
    Offer(value: desk.preferences.toolApproval.rawValue, choices: ToolApproval.allCases.map(\.rawValue))
  }

  /// For this session.
  package mutating func choose(model name: String) async throws(ShellError) {
    try await links.connected(&desk)
    links.link.model = name
    links.link.isModelChosen = true
    links.link.missedModel = nil
  }

  /// For this session.
  package mutating func choose(server name: String) async throws(ShellError) {
    try await links.use(server: name, &desk)
    toolbox.choice = nil
    toolbox.isStale = true
  }

  /// For this session.
  package mutating func choose(approval word: String) throws(ShellError) {
    do throws(SettingError) { try desk.preferences.overlay("tools.approval", word, from: .commandLine) } catch {
      throw .preferences(.setting(error))
    }
  }
}

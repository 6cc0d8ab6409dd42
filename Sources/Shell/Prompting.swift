import Chat
import Store
import Text

/// What a prompt needs: its text, Tab, the editor.
extension Shell {
  /// Server and model, and where a turn would go.
  var prompt: StyledText { promptNow() }

  /// The same as it stands whenever it is drawn: connections to terminals come and go while a line is typed.
  var promptNow: @Sendable () -> StyledText {
    if let custom = desk.preferences.word("prompt") {
      let text: StyledText = .text("\(custom)", .strong)
      return { text }
    }
    let name = links.front?.server.name ?? desk.options.server ?? links.kept.current?.server.name ?? "no server"
    let model = links.modelInView(of: talk.conversation.session, desk) ?? ""
    // Half of a narrow screen is left for what is typed.
    let columns = desk.world.terminal.traits.columns
    let server = Filter.inline(name, width: max(8, columns / 3))
    var text: StyledText = .text(server, .accent)
    if !model.isEmpty {
      let width = min(32, max(6, columns / 2 - server.cells - 3))
      text += .text(" \(Filter.inline(model, width: width))", .dim)
    }
    if desk.options.isPrivate { text += .text(" private", .warning) }
    if let percent = contextUse?.percent, percent >= Shell.shownFrom {
      text += .text(" \(percent)%", percent >= Shell.saidFrom ? .warning : .dim)
    }
    return { [text, watched = links.watched] in
      text + TerminalPage.watched(watched.map { ($0.word, $0.connection) }) + .text("> ", .strong)
    }
  }

  func completer() -> Completer {
    let history = desk.options.isPrivate ? nil : desk.world.paths.history
    let keeping = desk.world.browseKeeping
    let server = links.front?.server.url ?? links.kept.current?.server.url
    var completer = Completer(
      commands: Commands.all, models: links.front?.models ?? links.kept.current?.models ?? [],
      currentModel: links.modelInView(of: talk.conversation.session, desk), servers: links.kept.entries.map(\.server),
      currentServer: links.front?.server.name,
      sessions: { typed in history.map { History.names(at: $0, containing: typed) } ?? SessionNames() },
      settings: Setting.all.map { OfferedSetting($0, desk.preferences) },
      listFolder: desk.world.listFolder, kinds: desk.world.kinds,
      browsed: { topic in server.map { BrowseRecord.names(keeping, $0, topic) } ?? [] },
      keptTerminals: { [keeping = desk.world.terminalKeeping, servers = links.kept.entries.map(\.server)] in
        keeping.names(of: servers)
      },
      snippets: { [entries = snippets.entries] in entries }, tools: knownTools(),
      agent: links.front?.backend.agent?.state,
      turns: { [path = talk.conversation.path] in path.map { ($0.number, $0.question) } },
      now: desk.world.now)
    completer.mostModels = 500
    if talk.conversation.isStored, let history {
      completer.allTurns = { [id = talk.conversation.session.id] in
        History.places(at: history, of: id).map { ($0.number, $0.opening) }
      }
    }
    completer.answers = { [path = talk.conversation.path] in path.map { ($0.number, $0.answer?.text ?? "") } }
    completer.knownTags = { history.map { History.tags(at: $0) } ?? [] }
    completer.remote = links.known
    completer.attached = talk.waiting.map(\.name)
    if let name = remoteConversation, links.front?.backend.showsConversations == true {
      completer.remote.take([RemoteSession(id: name, title: talk.conversation.session.title)])
    }
    return completer
  }
}

extension Shell {
  /// The person's own servers of tools, and those that were seen in this run.
  private func knownTools() -> KnownTools {
    let own = toolbox.own(links, desk)
    let servers = own + toolbox.servers.filter { $0.platform != nil }
    return KnownTools(
      ToolNames(shelves: servers.map { ToolShelf(server: $0, tools: toolbox.knownTools(of: $0)) }),
      resources: toolbox.resources, prompts: toolbox.prompts)
  }
}

extension RecallLines: Recall {}

import Chat
import Store
import Text

/// What a prompt needs: its text, Tab, the editor.
extension Shell {
  /// Server and model, and where a turn would go.
  var prompt: StyledText {
    if let custom = desk.preferences.word("prompt") { return .text("\(custom)", .strong) }
    let name = connection?.server.name ?? desk.options.server ?? servers.current?.server.name ?? "no server"
    let model = connection.flatMap(modelInView) ?? ""
    var text: StyledText = .text("\(name)", .accent)
    if !model.isEmpty { text += .text(" \(Filter.inline(model, width: 32))", .dim) }
    return text + .text("> ", .strong)
  }

  func completer() -> Completer {
    let history = desk.options.isPrivate ? nil : desk.world.paths.history
    let keeping = desk.world.browseKeeping
    let server = connection?.server.url ?? servers.current?.server.url
    return Completer(
      commands: Commands.all, models: connection?.models ?? servers.current?.models ?? [],
      currentModel: connection?.model, servers: servers.entries.map(\.server), currentServer: connection?.server.name,
      sessions: { typed in history.map { History.names(at: $0, containing: typed) } ?? SessionNames() },
      settings: Setting.all.map { setting in
        (setting.key, setting.summary, setting.choices, desk.preferences[setting.key].text)
      },
      listFolder: desk.world.listFolder, kinds: desk.world.kinds,
      browsed: { topic in server.map { BrowseRecord.names(keeping, $0, topic) } ?? [] }, tools: knownTools())
  }
}

extension Shell {
  /// The person's own servers of tools, and those that were seen in this run.
  private func knownTools() -> KnownTools {
    let own = toolServers.entries.map(\.server)
    let servers = own + toolbox.servers.filter { $0.platform != nil }
    return KnownTools(
      ToolNames(shelves: servers.map { ToolShelf(server: $0, tools: knownTools(of: $0)) }),
      resources: toolbox.resources, prompts: toolbox.prompts)
  }
}

extension RecallLines: Recall {}

import Chat
import Store
import Text

/// What a prompt needs: its text, Tab, the editor.
extension Shell {
  /// Server and model, and where a turn would go.
  var prompt: StyledText {
    if let custom = preferences.word("prompt") { return .text("\(custom)", .strong) }
    let name = connection?.server.name ?? options.server ?? servers.current?.server.name ?? "no server"
    let model = connection.flatMap(modelInView) ?? ""
    var text: StyledText = .text("\(name)", .accent)
    if !model.isEmpty { text += .text(" \(Filter.inline(model, width: 32))", .dim) }
    return text + .text("> ", .strong)
  }

  var editor: String {
    for name in ["VISUAL", "EDITOR"] {
      if let editor = world.environment[name], !editor.isEmpty { return editor }
    }
    return preferences.editor ?? "vi"
  }

  /// How what the model thinks is shown; nil when it is not.
  var reasoningStyle: Style? {
    if options.isQuiet { return nil }
    return switch preferences.reasoning {
    case "hide", "fold": nil
    case "show": .plain
    default: .dim
    }
  }

  func completer() -> Completer {
    let history = options.isPrivate ? nil : world.paths.history
    let keeping = world.browseKeeping
    let server = connection?.server.url ?? servers.current?.server.url
    return Completer(
      commands: Commands.all, models: connection?.models ?? servers.current?.models ?? [],
      currentModel: connection?.model, servers: servers.entries.map(\.server), currentServer: connection?.server.name,
      sessions: { typed in history.map { History.names(at: $0, containing: typed) } ?? SessionNames() },
      settings: Setting.all.map { setting in
        (setting.key, setting.summary, setting.choices, preferences[setting.key].text)
      },
      listFolder: world.listFolder, kinds: world.kinds,
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

import Chat
import Store
import Text

/// What a prompt needs: its text, Tab, the editor.
extension Shell {
  /// Server and model, and where a turn would go.
  var prompt: StyledText {
    if let custom = preferences.word("prompt") { return .text("\(custom)", .strong) }
    let name = connection?.server.name ?? options.server ?? servers.current?.server.name ?? "no server"
    let model = connection?.model ?? ""
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

  /// Reads the names of the last sessions for Tab; a history that cannot be read completes nothing.
  mutating func refreshSessionNames() async {
    guard options.isInteractive, scriptDepth == 0, let history = openedHistory else { return }
    sessionNames = ((try? await history.recent(100)) ?? []).map { ($0.id.text, $0.name) }
  }

  func completer() -> Completer {
    let sessions = sessionNames
    return Completer(
      commands: Commands.all, models: connection?.models ?? servers.current?.models ?? [],
      currentModel: connection?.model, servers: servers.entries.map(\.server), currentServer: connection?.server.name,
      sessions: { sessions },
      settings: Setting.all.map { setting in
        (setting.key, setting.summary, setting.choices, preferences[setting.key].text)
      },
      listFolder: world.listFolder)
  }
}

extension RecallLines: Recall {}

import Chat
import Wire

extension AgentState {
  /// Takes an update that changes what is known of the agent and is no part of an answer (docs/acp.md 4); nil for
  /// other kinds.
  mutating func take(_ update: JSON, kind: String) -> [ChatEvent]? {
    switch kind {
    case "current_mode_update":
      if let mode = update.text("currentModeId") ?? update.text("modeId") {
        options.take(mode: mode)
      }
    case "config_option_update":
      options.take(settings: update)
    case "available_commands_update":
      if let list = update["availableCommands"]?.array { commands = list.compactMap { AgentSlashCommand($0) } }
    case "session_info_update":
      return takeTitle(update["title"])
    case "notice":
      let words = ["title", "description"].compactMap { update.text($0) }.joined(separator: ": ")
      return [.notice(words.isEmpty ? .log("a notice without words") : .said(words))]
    default:
      return nil
    }
    return []
  }

  /// A title may come again and again; it is news once.
  private mutating func takeTitle(_ title: JSON?) -> [ChatEvent] {
    let new: String?
    switch title {
    case .null?: new = nil
    case .string(let text)?: new = text.isEmpty ? nil : text
    default: return []
    }
    guard new != conversationTitle else { return [] }
    conversationTitle = new
    return [.title(new)]
  }
}

extension AgentSlashCommand {
  /// nil without a name.
  init?(_ json: JSON) {
    guard let name = json.text("name").map({ $0.drop { $0 == "/" } }), !name.isEmpty else { return nil }
    self.init(name: String(name), summary: json.text("description") ?? "", hint: json["input"]?.text("hint"))
  }
}

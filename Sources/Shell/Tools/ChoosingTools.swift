import Chat
import Store

/// Which tools a message offers: what was remembered, what the command line says, what was chosen since (Kamiwaza
/// document, 5.2 and 5.3).
extension Shell {
  /// Whether the command line says which tools there are; nothing of it is remembered.
  var hasToolsOfLine: Bool { desk.options.noTools || !desk.options.tools.isEmpty }

  var remembersTools: Bool { desk.preferences.flag("tools.remember") }

  private var rememberedTools: ToolChoice { ToolChoice(words: desk.preferences.list("tools.selected")) }

  /// What is chosen now.
  mutating func chosenTools() async throws(ShellError) -> ToolChoice {
    if let choice = toolbox.choice { return choice }
    let choice =
      desk.options.noTools
      ? ToolChoice()
      : !desk.options.tools.isEmpty
        ? try await toolsOfLine() : remembersTools ? rememberedTools : ToolChoice()
    toolbox.choice = choice
    return choice
  }

  private mutating func toolsOfLine() async throws(ShellError) -> ToolChoice {
    let names = try await toolNames(for: desk.options.tools)
    var choice = ToolChoice()
    for word in desk.options.tools {
      let item = try names.item(called: word)
      if let shelf = names.shelves.first(where: { $0.server.id == item.server }), let failure = shelf.failure {
        throw .tool(failure, server: shelf.server.name)
      }
      choice.choose(item)
    }
    toolbox.named = choice
    return choice
  }

  /// What words may name. Servers are asked for their tools only where what is known of them does not say it all, and
  /// no program is started anew just to find a name.
  mutating func toolNames(for words: [String]) async throws(ShellError) -> ToolNames {
    let servers = try await findToolServers(isFresh: toolbox.platform == nil)
    let known = ToolNames(shelves: servers.map { ToolShelf(server: $0, tools: knownTools(of: $0)) })
    let wanted = Set(words.flatMap { known.serversToAsk(for: $0) })
    guard !wanted.isEmpty else { return known }
    let asked = try await shelves(of: servers.filter { wanted.contains($0.id) })
    return ToolNames(shelves: known.shelves.map { shelf in asked.first { $0.server.id == shelf.server.id } ?? shelf })
  }

  /// Takes a choice, and keeps it where the person wants it remembered.
  mutating func choose(_ choice: ToolChoice) throws(ShellError) {
    toolbox.choice = choice
    guard remembersTools, !hasToolsOfLine else { return }
    try keep(choice)
  }

  private mutating func keep(_ choice: ToolChoice) throws(ShellError) {
    let change: PreferenceChange
    do throws(PreferenceError) {
      change = try desk.preferences.set("tools.selected", list: choice.words)
    } catch { throw .preferences(error) }
    if let aside = change.setAside { desk.say("the broken desk.preferences are kept as \(aside)", .warning) }
  }

  /// Begins or ends remembering. What was stored is chosen again; what is stored stays when remembering ends.
  mutating func remember(tools isOn: Bool) async throws(ShellError) {
    let current = try await chosenTools()
    do throws(PreferenceError) {
      _ = try desk.preferences.set("tools.remember", isOn ? "on" : "off")
    } catch { throw .preferences(error) }
    guard isOn, !hasToolsOfLine else { return }
    let stored = rememberedTools
    if stored.isEmpty { try keep(current) } else { toolbox.choice = stored }
  }
}

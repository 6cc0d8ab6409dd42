import Chat
import Store

/// Which tools a message offers: what was remembered, what the command line says, what was chosen since
/// (docs/kamiwaza.md 6.6).
extension Toolbox {
  /// What is chosen now.
  mutating func chosenTools(_ links: inout Links, _ desk: inout Desk) async throws(ShellError) -> ToolChoice {
    if let choice = self.choice { return choice }
    var choice =
      desk.options.noTools
      ? ToolChoice()
      : !desk.options.tools.isEmpty
        ? try await toolsOfLine(&links, &desk) : desk.remembersTools ? desk.rememberedTools : ToolChoice()
    // What is lent is wanted.
    if !desk.hasToolsOfLine { for server in lent { choice.choose(ToolChoice.Item(server: server.id)) } }
    self.choice = choice
    return choice
  }

  private mutating func toolsOfLine(_ links: inout Links, _ desk: inout Desk) async throws(ShellError) -> ToolChoice {
    let names = try await toolNames(for: desk.options.tools, &links, &desk)
    var choice = ToolChoice()
    for word in desk.options.tools {
      let item = try names.item(called: word)
      if let shelf = names.shelves.first(where: { $0.server.id == item.server }), let failure = shelf.failure {
        throw .tool(failure, server: shelf.server.name)
      }
      choice.choose(item)
    }
    self.named = choice
    return choice
  }

  /// What words may name. Servers are asked for their tools only where what is known of them does not say it all, and
  /// no program is started anew just to find a name.
  mutating func toolNames(for words: [String], _ links: inout Links, _ desk: inout Desk) async throws(ShellError)
    -> ToolNames
  {
    let servers = try await findToolServers(isFresh: self.platform == nil, &links, &desk)
    let known = ToolNames(shelves: servers.map { ToolShelf(server: $0, tools: knownTools(of: $0)) })
    let wanted = Set(words.flatMap { known.serversToAsk(for: $0) })
    guard !wanted.isEmpty else { return known }
    let asked = try await shelves(of: servers.filter { wanted.contains($0.id) }, &links, &desk)
    return ToolNames(shelves: known.shelves.map { shelf in asked.first { $0.server.id == shelf.server.id } ?? shelf })
  }

  /// Changes which tools are chosen, and stores that where the user wants it remembered.
  mutating func choose(_ choice: ToolChoice, _ desk: inout Desk) throws(ShellError) {
    if desk.remembersTools, !desk.hasToolsOfLine { try keep(choice, &desk) }
    self.choice = choice
  }

  private mutating func keep(_ choice: ToolChoice, _ desk: inout Desk) throws(ShellError) {
    let change: PreferenceChange
    do throws(PreferenceError) {
      change = try desk.preferences.set("tools.selected", list: choice.words)
    } catch { throw .preferences(error) }
    if let aside = change.setAside { desk.say("the broken preferences are kept as \(aside)", .warning) }
  }

  /// Begins or ends remembering. What was stored is chosen again; what is stored stays when remembering ends.
  mutating func rememberChoice(_ isOn: Bool, _ links: inout Links, _ desk: inout Desk) async throws(ShellError) {
    let current = try await chosenTools(&links, &desk)
    do throws(PreferenceError) {
      _ = try desk.preferences.set("tools.remember", isOn ? "on" : "off")
    } catch { throw .preferences(error) }
    guard isOn, !desk.hasToolsOfLine else { return }
    let stored = desk.rememberedTools
    if stored.isEmpty { try keep(current, &desk) } else { self.choice = stored }
  }
}

extension Desk {
  /// Whether the command line says which tools there are; nothing of it is remembered.
  var hasToolsOfLine: Bool { options.noTools || !options.tools.isEmpty }

  var remembersTools: Bool { preferences.flag("tools.remember") }

  fileprivate var rememberedTools: ToolChoice { ToolChoice(words: preferences.list("tools.selected")) }
}

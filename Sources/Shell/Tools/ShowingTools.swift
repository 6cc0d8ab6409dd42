import Chat
import Store
import Text

extension Toolbox {
  /// All that is known of a tool, or of a server of tools.
  mutating func showTool(_ word: String, in session: SessionID, asJSON: Bool, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError)
  {
    try await links.meet(&desk)
    let names = try await toolNames(for: [word], &links, &desk)
    let item = try names.item(called: word)
    guard let shelf = names.shelves.first(where: { $0.server.id == item.server }) else { return }
    guard let tool = shelf.tools.first(where: { $0.name == item.tool }) else {
      return try await showServer(shelf.server, asJSON: asJSON, &links, &desk)
    }
    let choice = try await chosenTools(&links, &desk)
    let page = ToolDetails(
      tool: tool, server: shelf.server, isChosen: choice.has(tool.name, of: shelf.server.id),
      permission: words(of: ToolIdentity(tool, of: shelf.server), in: session, desk))
    if asJSON || desk.options.output != .text { return desk.show(page.json) }
    try await desk.show(long: page.text(columns: desk.wrapColumns))
  }

  private mutating func showServer(
    _ server: ToolServer, asJSON: Bool, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    let facts = try await asking(server, &links, &desk) { tools throws(ToolError) in try await tools.about() }
    let tools = try await shelves(of: [server], &links, &desk).first?.tools ?? []
    let page = ToolServerDetails(server: server, facts: facts, tools: tools)
    if asJSON || desk.options.output != .text { return desk.show(page.json) }
    try await desk.show(long: page.text(columns: desk.wrapColumns))
  }

  /// Whether a call of it is asked about.
  private func words(of tool: ToolIdentity, in session: SessionID, _ desk: Desk) -> String {
    switch standing(of: tool, in: session, desk) {
    case .never: "never runs (tools.approval)"
    case .always: "runs without asking (tools.approval)"
    case .named: "runs without asking (--tool and --yes)"
    case .granted: "allowed until the session ends"
    case .kept: "allowed for good (/permissions)"
    case .changed: "asked about anew: it describes itself differently since you allowed it"
    case .asked:
      desk.preferences.toolApproval == .session && !tool.isShellLine
        ? "asked about once a session" : "asked about each time"
    }
  }
}

import Chat
import Store
import Text

/// What `/tools` lists and chooses.
extension Toolbox {
  /// Everything that can be chosen. Nobody is asked anything; what a server lacks is in its shelf.
  mutating func allShelves(_ links: inout Links, _ desk: inout Desk) async throws(ShellError) -> [ToolShelf] {
    let servers: [ToolServer]
    do throws(ShellError) {
      servers = try await findToolServers(isFresh: true, &links, &desk)
    } catch {
      guard case .backend = error else { throw error }
      desk.complain(Complaint(error))
      servers = self.servers
    }
    return try await shelves(of: servers, settles: false, &links, &desk)
  }

  mutating func listTools(asJSON: Bool, _ links: inout Links, _ desk: inout Desk) async throws(ShellError) {
    try await links.meet(&desk)
    let shelves = try await allShelves(&links, &desk)
    let choice = try await chosenTools(&links, &desk)
    if !asJSON, desk.options.output == .text, let lines = ToolPage.narrow(shelves, choice, columns: desk.wrapColumns) {
      try await desk.show(long: lines)
    } else {
      try await desk.show(
        ToolPage.listing(shelves, choice, isForPerson: desk.world.terminal.traits.outputIsTerminal), asJSON: asJSON)
    }
    guard !asJSON, desk.options.output == .text, desk.world.terminal.traits.outputIsTerminal else { return }
    for shelf in shelves {
      guard let failure = shelf.failure else { continue }
      let complaint = Complaint(failure, server: shelf.server.name)
      desk.say(complaint.text + (complaint.hint.map { ": " + desk.asTyped($0) } ?? ""), .warning)
    }
    guard !shelves.isEmpty else { return }
    desk.say(ToolPage.summary(shelves, choice, isRemembered: desk.remembersTools, isOfLine: desk.hasToolsOfLine))
    if choice.isEmpty { desk.say("/tools on NAME chooses; /tools show NAME tells more") }
    if shelves.allSatisfy({ $0.server.address == .terminals }) { desk.say(ToolPage.adding) }
  }

  mutating func chooseTools(_ words: [String], isOn: Bool, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError)
  {
    try await links.meet(&desk)
    var choice = try await chosenTools(&links, &desk)
    let names = try await toolNames(for: words, &links, &desk)
    var items: [ToolChoice.Item] = []
    for word in words { items.append(try names.item(called: word)) }
    for item in items {
      if isOn {
        choice.choose(item)
      } else {
        choice.drop(item, of: names.shelves.first { $0.server.id == item.server }?.tools.map(\.name) ?? [])
      }
    }
    if isOn { try await settleChosen(items, names, &links, &desk) }
    try choose(choice, &desk)
    desk.say(ToolPage.choice(items, names, isOn: isOn, isRemembered: desk.remembersTools && !desk.hasToolsOfLine))
    if isOn, !desk.options.isInteractive, !desk.remembersTools {
      desk.say("that holds for this run: parley /tools remember on keeps choices, -T NAME chooses for one message")
    }
  }

  /// What stands in the way of those just chosen is settled now, and not in the middle of a message.
  private mutating func settleChosen(
    _ items: [ToolChoice.Item], _ names: ToolNames, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    let wanted = Set(items.map(\.server))
    let servers = names.shelves.map(\.server).filter { wanted.contains($0.id) }
    for shelf in try await shelves(of: servers, &links, &desk) {
      guard let failure = shelf.failure else {
        if shelf.tools.isEmpty { desk.say("tool server '\(shelf.server.name)' has no tools", .warning) }
        continue
      }
      desk.say(
        "\(shelf.server.name) cannot be used now: \(Complaint(failure, server: shelf.server.name).text)", .warning)
    }
  }

  mutating func chooseAllTools(_ links: inout Links, _ desk: inout Desk) async throws(ShellError) {
    try await links.meet(&desk)
    var choice = try await chosenTools(&links, &desk)
    // Commands in the person's terminals are nothing to be had by the way.
    let servers = try await findToolServers(isFresh: true, &links, &desk).filter { $0.address != .terminals }
    guard !servers.isEmpty else {
      desk.say(links.hasTerminals(desk) ? ToolPage.noOthers : ToolPage.none)
      return sayTerminals(besides: choice, links, desk)
    }
    for server in servers { choice.choose(ToolChoice.Item(server: server.id)) }
    let names = ToolNames(shelves: servers.map { ToolShelf(server: $0, tools: knownTools(of: $0)) })
    let items = servers.map { ToolChoice.Item(server: $0.id) }
    try await settleChosen(items, names, &links, &desk)
    try choose(choice, &desk)
    desk.say(ToolPage.choice(items, names, isOn: true, isRemembered: desk.remembersTools && !desk.hasToolsOfLine))
    sayTerminals(besides: choice, links, desk)
  }

  /// That they were not among all there are.
  private func sayTerminals(besides choice: ToolChoice, _ links: Links, _ desk: Desk) {
    guard links.hasTerminals(desk), !choice.servers.contains(ToolServer.terminals.id) else { return }
    desk.say(ToolPage.terminalsByName)
  }

  mutating func rememberTools(_ isOn: Bool, _ links: inout Links, _ desk: inout Desk) async throws(ShellError) {
    if isOn, !desk.options.tools.isEmpty { try await links.meet(&desk) }
    try await rememberChoice(isOn, &links, &desk)
    guard isOn else { return desk.say("tools are not remembered; what was stays for /tools remember on") }
    let count = self.choice?.items.count ?? 0
    desk.say(
      count == 0
        ? "tools are remembered from now on" : "tools are remembered: \(self.choice?.words.count ?? 0) chosen")
  }
}

import Chat
import Store
import Text
import Wire

extension Toolbox {
  /// The tools that a message offers its model: those chosen that are there, on servers that can be asked. Those that
  /// are missing are passed over in silence (docs/kamiwaza.md 6.6).
  mutating func offeredTools(in session: SessionID, _ links: inout Links, _ desk: inout Desk) async throws(ShellError)
    -> [OfferedTool]
  {
    let choice = try await chosenTools(&links, &desk)
    guard !choice.isEmpty else { return [] }
    guard links.link.backend.abilities.contains(.tools) else {
      desk.sayOnce("server '\(links.link.server.name)' takes no tools: its models are offered none", .warning)
      return []
    }
    let servers = try await serversOfMessage(choice, &links, &desk)
    let shelves = try await shelves(
      of: servers, within: desk.options.tools.isEmpty ? desk.preferences.timeouts.toolStart : nil, &links, &desk)
    // A person at the prompt reads what is missing, and may go on without it (docs/kamiwaza.md 6.9).
    if desk.options.tools.isEmpty || desk.options.isInteractive {
      for shelf in shelves { sayMissing(shelf, &desk) }
    } else {
      try requireTools(choice, shelves)
    }
    var found: [OfferedTool] = []
    for shelf in shelves where shelf.failure == nil {
      guard let tools = await toolConnection(to: shelf.server, links, desk) else { continue }
      found += shelf.tools.filter { choice.has($0.name, of: shelf.server.id) && $0.isDescribedInBounds }
        .map { OfferedTool($0, of: shelf.server, by: tools) }
    }
    return thoseThatCouldRun(found, in: session, desk).named()
  }

  /// Those of the choice that there are. A server that failed is asked again by each message; the person is not asked
  /// again right away to remove what stands in its way.
  private mutating func serversOfMessage(
    _ choice: ToolChoice, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) -> [ToolServer] {
    await refreshToolServers(&desk)
    var servers = own(links, desk)
    if !choice.servers.isSubset(of: servers.map(\.id)) {
      do throws(ShellError) {
        servers = try await findToolServers(isFresh: false, &links, &desk)
      } catch {
        if case .interrupted = error { throw error }
        if !desk.options.tools.isEmpty { throw error }
        desk.sayOnce("the tools of \(links.front?.server.name ?? "") are not known: \(Complaint(error).text)", .warning)
      }
    }
    return servers.filter { server in
      choice.servers.contains(server.id)
        && (!desk.options.tools.isEmpty
          || failedAt[server.id].map { desk.world.uptime() - $0 >= Toolbox.rest } ?? true)
    }
  }

  /// What the command line names must be there: a run that was to use it does not go on without it.
  private func requireTools(_ choice: ToolChoice, _ shelves: [ToolShelf]) throws(ShellError) {
    for shelf in shelves {
      if let failure = shelf.failure { throw .tool(failure, server: shelf.server.name) }
      let missing = choice.items.first { item in
        item.server == shelf.server.id && item.tool != nil && !shelf.tools.contains { $0.name == item.tool }
      }
      if let tool = missing?.tool { throw .unknown(.tool, "\(shelf.server.name)/\(tool)", nearest: []) }
    }
  }

  /// The sentence of docs/kamiwaza.md 6.9, and why.
  private mutating func sayMissing(_ shelf: ToolShelf, _ desk: inout Desk) {
    let server = shelf.server
    guard let failure = shelf.failure else {
      if missing.remove(server.id) != nil { desk.say("tool server '\(server.name)' answers again") }
      return
    }
    guard missing.insert(server.id).inserted else { return }
    let why = Complaint(failure, server: server.name)
    desk.say("Tool \(server.name) is unavailable. The assistant will continue without it. (\(why.text))", .warning)
    if case .timedOut(.start, _) = failure, let hint = why.hint { desk.say(desk.asTyped(hint)) }
  }

  /// Where nobody can be asked, what was remembered is offered only if it may run unasked; what the command line names
  /// is offered in any case.
  private func thoseThatCouldRun(
    _ tools: [OfferedTool], in session: SessionID, _ desk: Desk
  ) -> [OfferedTool] {
    guard !desk.options.canAsk, desk.options.tools.isEmpty else { return tools }
    let mayRun = tools.filter { standing(of: $0.identity, in: session, desk).mayRun }
    if desk.options.isVerbose, mayRun.count < tools.count {
      let names = tools.map(\.ownName).filter { name in !mayRun.contains { $0.ownName == name } }
      desk.say(
        "not offered, because nobody is there to allow them: \(names.joined(separator: ", ")) (--tool NAME offers one)")
    }
    return mayRun
  }
}

extension Tool {
  /// A name that is none, or too long to be one, is not offered (docs/rules.md A8).
  fileprivate var isDescribedInBounds: Bool { !name.isEmpty && name.utf8.count <= 1024 }
}

extension [OfferedTool] {
  /// Under names that are unique and that every model can write, described without what is hidden (docs/rules.md A8).
  func named() -> [OfferedTool] {
    let plain = Dictionary(grouping: self, by: \.ownName)
    // A name that is a tool's own is not given to another.
    var taken = Set(plain.filter { $0.value.count == 1 && ModelName.isOne($0.key) }.keys)
    return map { offered in
      var offered = offered
      if plain[offered.ownName]?.count != 1 || !ModelName.isOne(offered.ownName) {
        offered.tool.name = ModelName.free(for: offered.server.name + "__" + offered.ownName, besides: taken)
        taken.insert(offered.tool.name)
      }
      offered.tool = offered.tool.describedVisibly
      return offered
    }
  }
}

/// What a tool may be called, and how it may be described, to a model.
private enum ModelName {
  static let longest = 64

  static func isOne(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= longest && name.utf8.allSatisfy(isLetter)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  /// A number behind it keeps apart what would be the same.
  static func free(for wish: String, besides taken: Set<String>) -> String {
    let letters = wish.unicodeScalars.map { scalar in
      scalar.isASCII && isLetter(UInt8(scalar.value)) ? Character(scalar) : "_"
    }
    let base = String(letters.prefix(longest))
    if !taken.contains(base) { return base }
    var number = 2
    while true {
      let end = "_\(number)"
      let name = String(base.prefix(longest - end.count)) + end
      if !taken.contains(name) { return name }
      number += 1
    }
  }

  /// Without what is hidden or controls a terminal, cut to so many bytes.
  static func visible(_ text: String, limit: Int) -> String {
    let safe = Filter.block(text).string
    guard safe.utf8.count > limit else { return safe }
    var kept = ""
    var size = 0
    for character in safe {
      size += character.utf8.count
      if size > limit - 3 { break }
      kept.append(character)
    }
    return kept + "…"
  }
}

extension Tool {
  /// As a model is told of it: nothing hidden, and of a size (docs/rules.md A8).
  var describedVisibly: Tool {
    var tool = self
    tool.title = title.map { ModelName.visible($0, limit: 1024) }
    tool.summary = ModelName.visible(summary, limit: 4096)
    tool.parameters = parameters.describedVisibly
    return tool
  }
}

extension JSON {
  /// The schema with its descriptions as they may be shown; what values must be stays as it is.
  fileprivate var describedVisibly: JSON {
    switch self {
    case .array(let elements): return .array(elements.map(\.describedVisibly))
    case .object(let members):
      return .object(
        members.map { member in
          if ["description", "title"].contains(member.key), let text = member.value.string {
            return Member(member.key, .string(ModelName.visible(text, limit: 4096)))
          }
          return Member(member.key, member.value.describedVisibly)
        })
    default: return self
    }
  }
}

import Chat
import Store

/// What a person may mean by a word: a server, or one of its tools.
struct ToolNames: Sendable {
  var shelves: [ToolShelf]

  /// What a word names: a server by its name or id, a tool by its own or behind its server's and a `/`. The whole name
  /// comes before the beginning of one, and a server before its tools.
  func item(called word: String) throws(ShellError) -> ToolChoice.Item {
    for (isWhole, fits) in [
      (true, { $0 == word }), (true, { $0.lowercased() == word.lowercased() }), (false, { $0.hasPrefix(word) }),
    ] as [(Bool, (String) -> Bool)] {
      // What may act in the person's shells is meant by its whole name only (docs/terminals.md 11).
      let found = (word.isEmpty ? [] : matches(fits)).filter { isWhole || !isOwn($0.item) }
      // A tool that is called as a server can be named behind its own server.
      let servers = found.filter { $0.item.tool == nil }
      if isWhole, let only = servers.first, servers.count == 1 { return only.item }
      if let only = found.first, found.count == 1 { return only.item }
      guard found.isEmpty else { throw .ambiguous(.tool, word, matches: found.map(\.label)) }
    }
    throw .unknown(.tool, word, nearest: Nearest.words(to: word, among: words))
  }

  /// The ids of the servers whose lists decide what a word names: none for a server, that of a tool that is known,
  /// and where nothing is known by that name, those that may have it.
  func serversToAsk(for word: String) -> [String] {
    if shelves.contains(where: { $0.server.name == word || $0.server.id == word }) { return [] }
    // The beginning of a name that is known may be the whole of one that is not.
    let wanted = word.lowercased()
    let exact = shelves.filter { shelf in
      shelf.tools.contains { [$0.name.lowercased(), "\(shelf.server.name)/\($0.name)".lowercased()].contains(wanted) }
    }
    if !exact.isEmpty { return exact.map(\.server.id) }
    if let slash = word.firstIndex(of: "/") {
      let named = shelves.filter { $0.server.name == word[..<slash] }
      if !named.isEmpty { return named.map(\.server.id) }
    }
    return shelves.filter { shelf in
      if case .command = shelf.server.address { shelf.tools.isEmpty } else { true }
    }.map(\.server.id)
  }

  /// Every name that may be typed, the plainest of each.
  var words: [String] {
    shelves.map(\.server.name) + shelves.flatMap { shelf in shelf.tools.map { plainName($0, of: shelf.server) } }
  }

  /// A tool's own name, behind its server's where another has it too.
  func plainName(_ tool: Tool, of server: ToolServer) -> String {
    let isTaken = shelves.contains { other in
      other.server.name == tool.name && other.server.id != server.id
        || other.server.id != server.id && other.tools.contains { $0.name == tool.name }
    }
    return isTaken ? "\(server.name)/\(tool.name)" : tool.name
  }

  private func isOwn(_ item: ToolChoice.Item) -> Bool {
    shelves.contains { $0.server.id == item.server && $0.server.address == .terminals }
  }

  private func matches(_ fits: (String) -> Bool) -> [(label: String, item: ToolChoice.Item)] {
    let servers = shelves.map(\.server).filter { fits($0.name) || fits($0.id) }
    let names = Set(servers.map(\.name))
    let whole = servers.map { server in
      (names.count < servers.count ? server.id : server.name, ToolChoice.Item(server: server.id))
    }
    let inServers = Set(servers.map(\.id))
    let single = shelves.filter { !inServers.contains($0.server.id) }.flatMap { shelf in
      shelf.tools.filter { fits($0.name) || fits("\(shelf.server.name)/\($0.name)") }.map { tool in
        ("\(shelf.server.name)/\(tool.name)", ToolChoice.Item(server: shelf.server.id, tool: tool.name))
      }
    }
    return whole + single
  }
}

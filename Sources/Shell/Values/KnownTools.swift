import Chat
import Store

/// What is known of tools without asking anybody: for Tab.
struct KnownTools: Sendable {
  /// Servers and tools, as they may be typed.
  var names: [(name: String, about: String)] = []
  var servers: [(name: String, about: String)] = []
  /// What there is to read, behind its server's name and a colon.
  var resources: [(name: String, about: String)] = []

  var prompts: [(name: String, about: String)] = []

  init() {}

  /// - Parameter names: of the servers that were seen.
  init(_ names: ToolNames, resources: [String: [ToolResource]] = [:], prompts: [String: [ToolPrompt]] = [:]) {
    servers = names.shelves.map { shelf in
      (shelf.server.name, shelf.tools.count == 1 ? "1 tool" : "\(shelf.tools.count) tools")
    }
    self.names =
      servers
      + names.shelves.flatMap { shelf in
        shelf.tools.map { (names.plainName($0, of: shelf.server), $0.summary.firstLine) }
      }
    self.resources = resources.sorted { $0.key < $1.key }.flatMap { server, resources in
      resources.filter { !$0.isTemplate }.map { ("\(server):\($0.uri)", $0.title ?? $0.name) }
    }
    self.prompts = prompts.sorted { $0.key < $1.key }.flatMap { server, prompts in
      prompts.map { ("\(server):\($0.name)", ($0.summary ?? $0.title ?? "").firstLine) }
    }
  }

  /// From the files alone, and the program's own.
  init(_ servers: ToolServers) {
    let added = servers.entries.map { ToolShelf(server: $0.server, tools: $0.tools) }
    let own = ToolShelf(server: .terminals, tools: TerminalTool.all)
    self.init(ToolNames(shelves: servers.named(own.server.name) == nil ? added + [own] : added))
  }
}

extension String {
  /// Up to its first line end, trimmed.
  var firstLine: String { trimmed.split(whereSeparator: \.isNewline).first.map(String.init) ?? "" }
}

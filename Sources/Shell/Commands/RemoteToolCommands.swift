import Chat
import Text
import Wire

extension Commands {
  static let remoteTools = Command(
    "mcp", .models, summary: "the MCP servers that a gateway runs itself",
    forms: [
      Form(summary: "list those, and their tools") { shell, match throws(ShellError) in
        try await list(match.asJSON, &shell)
      },
      Form(.word("enable"), .required(.remoteTools), summary: "its model may use these") {
        shell, match throws(ShellError) in
        // Who names some wants these, and not all that there are.
        try await choose(&shell, beginsEmpty: true) { choice, servers throws(ShellError) in
          for word in match.values { choice.enable(try RemoteToolName(word, servers)) }
        }
      },
      Form(.word("disable"), .required(.remoteTools), summary: "and these not") { shell, match throws(ShellError) in
        try await choose(&shell) { choice, servers throws(ShellError) in
          for word in match.values { choice.disable(try RemoteToolName(word, servers)) }
        }
      },
      Form(.word("priority"), .required(.remoteTools), summary: "it is to prefer these, in this order") {
        shell, match throws(ShellError) in
        try await choose(&shell) { choice, servers throws(ShellError) in
          choice.priority = []
          for word in match.values { choice.priority += try RemoteToolName(word, servers).tools }
        }
      },
      Form(.word("audit"), .choice(["on", "off"]), summary: "whether it logs what it calls") {
        shell, match throws(ShellError) in
        try await choose(&shell) { choice, _ throws(ShellError) in choice.isAudited = match[0] == "on" }
      },
      Form(.word("reset"), summary: "leave all of that to the server") { shell, _ throws(ShellError) in
        _ = try await offered(toChoose: true, &shell)
        try shell.links.choose({ $0.tools = nil }, &shell.desk)
        shell.desk.say("the server decides which tools its model uses")
      },
    ],
    examples: ["/mcp", "/mcp enable fs-local", "/mcp disable fs.write", "/mcp audit on"],
    details: """
      These tools are the server's: it runs them itself, without asking, and what it does is only reported. A name is that \
      of an MCP server, for all that it has, or of one tool. The choice is kept with the server and goes along with each \
      message. disable, priority and audit begin with what the server uses, but for tools that it calls dangerous. Tools \
      that parley runs, and asks about, are those of /tools.
      """)

  private static func offered(toChoose: Bool, _ shell: inout Shell) async throws(ShellError) -> any RemoteTools {
    let link = try await shell.links.connected(&shell.desk)
    guard let tools = link.backend.remoteTools else { throw .hasNone(server: link.server.name, what: "MCP servers") }
    guard toChoose else { return tools }
    let canChoose = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await tools.canChoose() }
    guard canChoose else { throw .hasNone(server: link.server.name, what: "MCP servers to choose from") }
    return tools
  }

  private static func list(_ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let tools = try await offered(toChoose: false, &shell)
    let found = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await tools.servers(isWhole: false)
    }
    shell.links.known.take(found)
    let choice = shell.links.link.server.gateway?.tools
    shell.desk.show(RemoteToolPage.listing(found, choice), asJSON: asJSON)
    if let choice { shell.desk.say(RemoteToolPage.summary(choice)) }
  }

  /// Changes what is chosen, and tells the server where it keeps the conversation already.
  private static func choose(
    _ shell: inout Shell, beginsEmpty: Bool = false,
    _ change: (inout RemoteToolChoice, [RemoteToolServer]) throws(ShellError) -> Void
  ) async throws(ShellError) {
    let tools = try await offered(toChoose: true, &shell)
    let servers = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await tools.servers(isWhole: true)
    }
    shell.links.known.take(servers)
    var choice = shell.links.link.server.gateway?.tools ?? RemoteToolChoice(standing: beginsEmpty ? [] : servers)
    try change(&choice, servers)
    try shell.links.choose({ $0.tools = choice }, &shell.desk)
    shell.desk.say(RemoteToolPage.summary(choice))
    guard let conversation = shell.remoteConversation else { return }
    try await shell.links.asking(&shell.desk) { [choice] _ throws(BackendError) in
      try await tools.choose(choice, for: conversation)
    }
  }
}

/// What a word stands for: a server with all that it has, or one tool.
private struct RemoteToolName {
  var server: String
  var tools: [String]
  var isWhole: Bool

  init(_ word: String, _ servers: [RemoteToolServer]) throws(ShellError) {
    if let server = servers.first(where: { $0.id == word || $0.name.lowercased() == word.lowercased() }) {
      self.server = server.id
      tools = server.tools.map(\.name)
      isWhole = true
    } else if let server = servers.first(where: { $0.tools.contains { $0.name == word } }) {
      self.server = server.id
      tools = [word]
      isWhole = false
    } else {
      let known = servers.flatMap { [$0.id] + $0.tools.map(\.name) }
      throw .unknown(.remoteTool, word, nearest: Nearest.words(to: word, among: known))
    }
  }
}

extension RemoteToolChoice {
  /// What the model may use while nothing is chosen, as far as the server says so: what is switched off there stays so,
  /// and what it calls dangerous is the person's to enable by name.
  fileprivate init(standing servers: [RemoteToolServer]) {
    let used = servers.filter { $0.isEnabled != false }
    self.init(
      servers: used.map(\.id), tools: used.flatMap { $0.tools.filter { !$0.isDangerous }.map(\.name) })
  }

  fileprivate mutating func enable(_ name: RemoteToolName) {
    if !servers.contains(name.server) { servers.append(name.server) }
    tools += name.tools.filter { !tools.contains($0) }
  }

  fileprivate mutating func disable(_ name: RemoteToolName) {
    if name.isWhole { servers.removeAll { $0 == name.server } }
    tools.removeAll(where: name.tools.contains)
    priority.removeAll(where: name.tools.contains)
  }
}

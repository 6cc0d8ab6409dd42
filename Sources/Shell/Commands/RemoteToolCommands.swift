import Chat
import Text
import Wire

extension Commands {
  static let remoteTools = Command(
    "mcp", .models, summary: "the MCP servers that a gateway runs itself",
    forms: [
      Form(summary: "list what the server runs itself") { shell, match throws(ShellError) in
        try await list(match.asJSON, &shell)
      },
      Form(.word("enable"), .required(.remoteTools), summary: "its model may use these") {
        shell, match throws(ShellError) in
        // Who names some wants these, and not all that there are.
        try await choose(.servers, &shell, beginsEmpty: true) { choice, names throws(ShellError) in
          for word in match.values { choice.enable(try names.meant(by: word)) }
        }
      },
      Form(.word("disable"), .required(.remoteTools), summary: "and these not") { shell, match throws(ShellError) in
        try await choose(.servers, &shell) { choice, names throws(ShellError) in
          for word in match.values { choice.disable(try names.meant(by: word)) }
        }
      },
      Form(.word("priority"), .required(.remoteTools), summary: "it is to prefer these, in this order") {
        shell, match throws(ShellError) in
        try await choose(.order, &shell) { choice, names throws(ShellError) in
          choice.priority = []
          for word in match.values { choice.priority += try names.meant(by: word).tools }
        }
      },
      Form(.word("audit"), .choice(["on", "off"]), summary: "whether it logs what it calls") {
        shell, match throws(ShellError) in
        try await choose(.audit, &shell) { choice, _ throws(ShellError) in choice.isAudited = match[0] == "on" }
      },
      Form(.word("reset"), summary: "leave all of that to the server") { shell, _ throws(ShellError) in
        _ = try await chosen(.servers, &shell)
        try shell.links.choose({ $0.tools = nil }, &shell.desk)
        let isKept = shell.remoteConversation != nil
        shell.desk.say(
          "the server decides which tools its model uses"
            + (isKept ? ", from the next conversation on at the latest" : ""))
      },
    ],
    examples: ["/mcp", "/mcp enable fs-local", "/mcp disable fs.write", "/mcp audit on"],
    details: """
      These tools are the server's: it runs them itself, without asking, and what it does is only reported. A name is that \
      of an MCP server, for all that it has, or of one tool. The choice is kept with the server and goes along with each \
      message. disable, priority and audit begin with what the server uses, but for tools that it calls dangerous. Tools \
      that parley runs, and asks about, are those of /tools.
      """)

  private static func offered(_ shell: inout Shell) async throws(ShellError) -> any RemoteTools {
    let link = try await shell.links.connected(&shell.desk)
    guard let tools = link.backend.remoteTools else { throw .hasNone(server: link.server.name, what: "MCP servers") }
    return tools
  }

  /// What can be chosen there; refused where this cannot.
  private static func chosen(
    _ wanted: RemoteToolChoices, _ shell: inout Shell
  ) async throws(ShellError) -> (any RemoteTools, RemoteToolChoices) {
    let tools = try await offered(&shell)
    let choices = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await tools.choices() }
    guard choices.contains(wanted) else {
      let what =
        switch wanted {
        case _ where choices.isEmpty: "MCP servers to choose from"
        case .order: "order of tools to choose"
        case .audit: "audit log"
        default: "MCP servers to choose from"
        }
      throw .hasNone(server: shell.links.link.server.name, what: what)
    }
    return (tools, choices)
  }

  private static func list(_ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let tools = try await offered(&shell)
    let found = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await tools.servers(isWhole: false)
    }
    shell.links.known.take(found)
    let choice = shell.links.link.server.gateway?.tools
    try await shell.desk.show(RemoteToolPage.listing(found, choice), asJSON: asJSON)
    guard let choice else { return }
    let choices = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await tools.choices() }
    shell.desk.say(RemoteToolPage.summary(choice, choices))
  }

  /// Changes what is chosen, and tells the server where it keeps the conversation already.
  /// - Parameter wanted: what is chosen.
  private static func choose(
    _ wanted: RemoteToolChoices, _ shell: inout Shell, beginsEmpty: Bool = false,
    _ change: (inout RemoteToolChoice, RemoteToolNames) throws(ShellError) -> Void
  ) async throws(ShellError) {
    let (tools, choices) = try await chosen(wanted, &shell)
    let servers = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await tools.servers(isWhole: true)
    }
    shell.links.known.take(servers)
    var choice = shell.links.link.server.gateway?.tools ?? RemoteToolChoice(standing: beginsEmpty ? [] : servers)
    try change(&choice, RemoteToolNames(servers: servers, choices: choices, at: shell.links.link.server.name))
    try shell.links.choose({ $0.tools = choice }, &shell.desk)
    shell.desk.say(RemoteToolPage.summary(choice, choices))
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
}

/// The names that there are on one server.
private struct RemoteToolNames {
  var servers: [RemoteToolServer]
  /// What of them can be chosen.
  var choices: RemoteToolChoices
  /// Whose they are.
  var place: String

  init(servers: [RemoteToolServer], choices: RemoteToolChoices, at place: String) {
    self.servers = servers
    self.choices = choices
    self.place = place
  }

  func meant(by word: String) throws(ShellError) -> RemoteToolName {
    if let server = servers.first(where: { $0.id == word || $0.name.lowercased() == word.lowercased() }) {
      return RemoteToolName(server: server.id, tools: server.tools.map(\.name), isWhole: true)
    }
    guard let server = servers.first(where: { $0.tools.contains { $0.name == word } }) else {
      let known = servers.flatMap { [$0.id] + (choices.contains(.tools) ? $0.tools.map(\.name) : []) }
      throw .unknown(.remoteTool, word, nearest: Nearest.words(to: word, among: known))
    }
    // It would be said to be chosen, and the server would go on with all.
    guard choices.contains(.tools) else {
      throw .hasNone(server: place, what: "single tools to choose: MCP server \(server.name) is chosen whole")
    }
    return RemoteToolName(server: server.id, tools: [word], isWhole: false)
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

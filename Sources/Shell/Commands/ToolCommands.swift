import Text

extension Commands {
  static let tools = [toolsCommand]

  private static let toolsCommand = Command(
    "tools", .models, summary: "the tools that models may use",
    forms: [
      Form(summary: "list the tools there are"),
      Form(.choice(["on", "off"]), .required(.tools), summary: "choose tools, or no longer"),
      Form(.choice(["all", "none"]), summary: "choose all there are, or none"),
      Form(.word("remember"), .choice(["on", "off"]), summary: "choose the same ones next time"),
      Form(.word("show"), .required(.tool), summary: "all that is known of one"),
      Form(.word("result"), .optional(.handle), summary: "what tools gave in a turn"),
      Form(.word("add"), .required(.newName), .required(.url), summary: "add a tool server"),
      Form(
        .word("add"), .required(.newName), .word("--"), .required(.program), summary: "add a program that has tools"),
      Form(.word("import"), .required(.file), summary: "add those of another program's file"),
      Form(.word("remove"), .required(.toolServer), summary: "forget a server that was added"),
      Form(.choice(["login", "logout"]), .required(.toolServer), summary: "sign in to one, or out"),
      Form(.word("prompts"), .optional(.toolServer), summary: "list the prompts they have ready"),
      Form(.word("prompt"), .required(.prompt), .optional(.promptValues), summary: "fill one in and send it"),
      Form(.word("resources"), .optional(.toolServer), summary: "list what they have to read"),
      Form(.word("read"), .required(.resource), summary: "show it; @SERVER:URI attaches it"),
    ],
    flags: toolFlags,
    examples: [
      "/tools", "/tools on web_search", "/tools remember on", "/tools add notes https://notes.example/mcp",
      "/tools add files -- mcp-files ~/papers", "parley /tools --json",
    ],
    details: """
      Those that are chosen are offered to the model with each message; each call is shown and asked about before it is \
      made (setting tools.approval). A server is chosen as a whole by its name. --tool NAME and --no-tools choose for \
      one run. A program runs with your rights; it is given no variables but the usual ones and those that --env names.
      """
  ) { shell, arguments throws(ShellError) in
    var arguments = arguments
    let asJSON = arguments.takeJSONFlag()
    let flags = ToolFlags(&arguments)
    let words = arguments.words
    switch (words.first, words.count) {
    case (nil, _): try await shell.toolbox.listTools(asJSON: asJSON, &shell.links, &shell.desk)
    case ("on", 2...):
      try await shell.toolbox.chooseTools(Array(words.dropFirst()), isOn: true, &shell.links, &shell.desk)
    case ("off", 2...):
      try await shell.toolbox.chooseTools(Array(words.dropFirst()), isOn: false, &shell.links, &shell.desk)
    case ("on", 1), ("off", 1): throw .missing(.tools, command: "tools \(words[0])")
    case ("all", 1): try await shell.toolbox.chooseAllTools(&shell.links, &shell.desk)
    case ("none", 1):
      try shell.toolbox.choose(ToolChoice(), &shell.desk)
      shell.desk.say("no tools are offered")
    case ("remember", 2) where ["on", "off"].contains(words[1]):
      try await shell.toolbox.rememberTools(words[1] == "on", &shell.links, &shell.desk)
    case ("remember", 1):
      shell.desk.show(
        .text(
          shell.desk.remembersTools
            ? "on: the tools that are chosen are remembered\n"
            : "off: the choice ends with the session; /tools remember on keeps it\n"))
    case ("show", 2):
      try await shell.toolbox.showTool(
        words[1], in: shell.talk.conversation.session.id, asJSON: asJSON, &shell.links, &shell.desk)
    case ("result", 1...2):
      try await shell.talk.showToolResults(words.dropFirst().first, asJSON: asJSON, &shell.links, &shell.desk)
    case ("add", 3...):
      try await shell.toolbox.addToolServer(words, passing: flags.variables, &shell.links, &shell.desk)
    case ("import", 2): try await shell.toolbox.importToolServers(words[1], &shell.links, &shell.desk)
    case ("import", 1): throw .missing(.file, command: "tools import")
    case ("remove", 2): try await shell.toolbox.removeToolServer(words[1], &shell.links, &shell.desk)
    case ("login", 2):
      try await shell.toolbox.signInToTools(
        words[1], readsToken: flags.readsToken, clientID: flags.clientID, &shell.links, &shell.desk)
    case ("logout", 2): try await shell.toolbox.signOutOfTools(words[1], &shell.links, &shell.desk)
    case ("prompts", 1...2):
      try await shell.toolbox.listPrompts(of: words.dropFirst().first, asJSON: asJSON, &shell.links, &shell.desk)
    case ("prompt", 2...):
      return try await shell.toolbox.usePrompt(words[1], Array(words.dropFirst(2)), &shell.links, &shell.desk)
    case ("resources", 1...2):
      try await shell.toolbox.listResources(of: words.dropFirst().first, asJSON: asJSON, &shell.links, &shell.desk)
    case ("read", 2): try await shell.toolbox.readResource(words[1], asJSON: asJSON, &shell.links, &shell.desk)
    case ("prompt", 1): throw .missing(.prompt, command: "tools prompt")
    case ("read", 1): throw .missing(.resource, command: "tools read")
    case ("show", 1): throw .missing(.tool, command: "tools show")
    case ("add", 1): throw .missing(.newName, command: "tools add")
    case ("add", 2): throw .missing(.url, command: "tools add")
    case ("remove", 1), ("login", 1), ("logout", 1): throw .missing(.toolServer, command: "tools \(words[0])")
    case (.some(let word), _): throw .unexpected(words.count > 1 ? words.last ?? word : word, command: "tools")
    }
    return .prompt
  }

  private static let toolFlags = [ToolFlags.variable, ToolFlags.tokenStdin, ToolFlags.clientID]
}

/// What the flags of `/tools` say.
private struct ToolFlags {
  /// Names of variables that a program is given.
  var variables: [String] = []
  var readsToken: Bool
  var clientID: String?

  static let variable = Flag("--env", .variable, summary: "variable that a program is given")
  static let tokenStdin = Flag("--token-stdin", summary: "read a token from standard input")
  static let clientID = Flag("--client-id", .clientID, summary: "what it knows this program as")

  init(_ arguments: inout Arguments) {
    while let name = arguments.take(ToolFlags.variable) { variables.append(name) }
    readsToken = arguments.take(ToolFlags.tokenStdin) != nil
    clientID = arguments.take(ToolFlags.clientID)
  }
}

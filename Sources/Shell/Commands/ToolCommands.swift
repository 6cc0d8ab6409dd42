import Text

extension Commands {
  static let tools = [toolsCommand]

  private static let toolsCommand = Command(
    "tools", .models, summary: "the tools that models may use",
    forms: [
      Form(summary: "list the tools there are") { shell, match throws(ShellError) in
        try await shell.toolbox.listTools(asJSON: match.asJSON, &shell.links, &shell.desk)
      },
      Form(.choice(["on", "off"]), .required(.tools), summary: "choose tools, or no longer") {
        shell, match throws(ShellError) in
        try await shell.toolbox.chooseTools(
          Array(match.values.dropFirst()), isOn: match[0] == "on", &shell.links, &shell.desk)
      },
      Form(.choice(["all", "none"]), summary: "choose all but terminals, or none") { shell, match throws(ShellError) in
        if match[0] == "all" { return try await shell.toolbox.chooseAllTools(&shell.links, &shell.desk) }
        try shell.toolbox.choose(ToolChoice(), &shell.desk)
        shell.desk.say("no tools are offered")
      },
      Form(.word("remember"), .choice(["on", "off"]), summary: "choose the same ones next time") {
        shell, match throws(ShellError) in
        try await shell.toolbox.rememberTools(match[0] == "on", &shell.links, &shell.desk)
      },
      Form(.word("show"), .required(.tool), summary: "all that is known of one") { shell, match throws(ShellError) in
        try await shell.toolbox.showTool(
          match[0], in: shell.talk.conversation.session.id, asJSON: match.asJSON, &shell.links, &shell.desk)
      },
      Form(.word("result"), .optional(.handle), summary: "what tools gave in a turn") {
        shell, match throws(ShellError) in
        try await shell.talk.showToolResults(match.values.first, asJSON: match.asJSON, &shell.links, &shell.desk)
      },
      Form(
        .word("add"), .required(.newName), .required(.url), flags: [variable, tokenStdin, clientID],
        summary: "add a tool server"
      ) { shell, match throws(ShellError) in
        try await shell.toolbox.addToolServer(
          match[0], at: match[1], passing: match.all(of: variable), signIn: try signIn(match), &shell.links,
          &shell.desk)
      },
      Form(
        .word("add"), .required(.newName), .word("--"), .required(.program), flags: [variable],
        summary: "add a program that has tools"
      ) { shell, match throws(ShellError) in
        try await shell.toolbox.addToolServer(
          match[0], running: Array(match.values.dropFirst()), passing: match.all(of: variable), &shell.links,
          &shell.desk)
      },
      Form(.word("import"), .required(.file), summary: "add those of another program's file") {
        shell, match throws(ShellError) in
        try await shell.toolbox.importToolServers(match[0], &shell.links, &shell.desk)
      },
      Form(.word("remove"), .required(.toolServer), summary: "forget a server that was added") {
        shell, match throws(ShellError) in
        try await shell.toolbox.removeToolServer(match[0], &shell.links, &shell.desk)
      },
      Form(.word("login"), .required(.toolServer), flags: [tokenStdin, clientID], summary: "sign in to one") {
        shell, match throws(ShellError) in
        try await shell.toolbox.signInToTools(
          match[0], by: try signIn(match) ?? .any, &shell.links, &shell.desk)
      },
      Form(.word("logout"), .required(.toolServer), summary: "sign out of one") { shell, match throws(ShellError) in
        try await shell.toolbox.signOutOfTools(match[0], &shell.links, &shell.desk)
      },
      Form(.word("prompts"), .optional(.toolServer), summary: "list the prompts they have ready") {
        shell, match throws(ShellError) in
        try await shell.toolbox.listPrompts(of: match.values.first, asJSON: match.asJSON, &shell.links, &shell.desk)
      },
      Form(
        .word("prompt"), .required(.prompt), .optional(.promptValues),
        next: { shell, match throws(ShellError) in
          try await shell.toolbox.usePrompt(match[0], Array(match.values.dropFirst()), &shell.links, &shell.desk)
        }, summary: "fill one in and send it"),
      Form(.word("resources"), .optional(.toolServer), summary: "list what they have to read") {
        shell, match throws(ShellError) in
        try await shell.toolbox.listResources(of: match.values.first, asJSON: match.asJSON, &shell.links, &shell.desk)
      },
      Form(.word("read"), .required(.resource), summary: "show it; @SERVER:URI attaches it") {
        shell, match throws(ShellError) in
        try await shell.toolbox.readResource(match[0], asJSON: match.asJSON, &shell.links, &shell.desk)
      },
    ],
    unlisted: [
      Form(.word("remember")) { shell, _ in
        shell.desk.show(
          .text(
            shell.desk.remembersTools
              ? "on: the tools that are chosen are remembered\n"
              : "off: the choice ends with the session; /tools remember on keeps it\n"))
      }
    ],
    flags: [variable, tokenStdin, clientID],
    examples: [
      "/tools", "/tools on web_search", "/tools on terminals", "/tools remember on",
      "/tools add notes https://notes.example/mcp", "parley /tools add notes https://notes.example/mcp --token-stdin",
      "/tools add files -- mcp-files ~/papers", "parley /tools --json",
    ],
    details: """
      Those that are chosen are offered to the model with each message; each call is shown and asked about before it is \
      made (setting tools.approval). A server is chosen as a whole by its name. --tool NAME and --no-tools choose for \
      one run. A program runs with your rights; it is given no variables but the usual ones and those that --env names. \
      terminals is parley's own server: a model looks at those that /terminals lists and runs commands in them, each of \
      which is asked about anew, unless tools.approval is always. It is chosen by its whole name alone.
      """)

  /// The kind of sign-in that the flags ask for; nil without such a flag.
  private static func signIn(_ match: Match) throws(ShellError) -> ToolSignIn? {
    try match.requireAtMostOne(of: [tokenStdin, clientID], in: "tools")
    if let client = match.value(of: clientID) { return .browser(clientID: client) }
    return match.value(of: tokenStdin) == nil ? nil : .tokenOfInput
  }

  /// Names of variables that a program is given.
  private static let variable = Flag("--env", .variable, repeats: true, summary: "variable that a program is given")
  private static let tokenStdin = Flag("--token-stdin", summary: "read a token from standard input")
  private static let clientID = Flag("--client-id", .clientID, summary: "what it knows this program as")
}

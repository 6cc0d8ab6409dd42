import Chat
import Store
import Text

extension Commands {
  static let agents = [agentCommand]

  private static let agentCommand = Command(
    "agent", .servers, summary: "run agents, and see to them",
    forms: [
      Form(summary: "list the agents you keep") { shell, match throws(ShellError) in
        let uses = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
          try await history.lastUses()
        }
        try await shell.desk.show(listing(of: shell, uses), asJSON: match.asJSON)
      },
      Form(.word("run"), .required(.program), flags: [variable, folder], summary: "start a program that is one") {
        shell, match throws(ShellError) in
        try await run(match, &shell)
      }.switching(),
      Form(.word("use"), .required(.agent), summary: "talk with another") {
        shell, match throws(ShellError) in
        try await use(match[0], &shell)
      }.switching(),
      Form(.word("info"), .optional(.agent), summary: "all that is known of one") {
        shell, match throws(ShellError) in
        let link = try await link(match.values.first, &shell)
        let (session, path) = (shell.talk.conversation.session, shell.talk.conversation.path)
        try await shell.desk.show(
          long: AgentPage.text(
            link.server, link.backend.agent?.state ?? AgentState(), session,
            messages: session.server?.url == link.server.url ? path.count : nil, columns: shell.desk.wrapColumns))
      },
      Form(.word("clear"), summary: "begin a new session with it") {
        shell, _ throws(ShellError) in
        try await AgentSessions.clear(&shell)
      }.switching(),
      Form(.word("set"), .optional(.agentSetting), .optional(.agentValue), summary: "its mode, model and so on") {
        shell, match throws(ShellError) in
        try await set(match.values, asJSON: match.asJSON, &shell)
      },
      Form(.word("sessions"), summary: "list the sessions that it keeps") { shell, match throws(ShellError) in
        try await AgentSessions.list(asJSON: match.asJSON, &shell)
      },
      Form(.word("open"), .required(.agentSession), summary: "go on with one of them") {
        shell, match throws(ShellError) in
        try await AgentSessions.open(match[0], &shell)
      }.switching(),
      Form(.word("fork"), summary: "go on with a copy of the session") { shell, _ throws(ShellError) in
        try await AgentSessions.fork(&shell)
      }.switching(),
      Form(.word("forget"), .required(.agentSession), summary: "have it forget one of them") {
        shell, match throws(ShellError) in
        try await AgentSessions.forget(match[0], &shell)
      },
      Form(.word("log"), summary: "what its program wrote") { shell, _ throws(ShellError) in
        let log = try await shell.links.frontAgent(&shell.desk).state.log
        if log.isEmpty { return shell.desk.say("it wrote nothing") }
        try await shell.desk.show(long: BarredText.block(log.trimmed, width: shell.desk.wrapColumns))
      },
      Form(.word("login"), .optional(.signInWay), summary: "sign in to it") { shell, match throws(ShellError) in
        try await signIn(match.values.first, &shell)
      },
      Form(.word("logout"), summary: "sign out of it") { shell, _ throws(ShellError) in
        let agent = try await shell.links.frontAgent(&shell.desk)
        try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await agent.signOut() }
        shell.desk.say("signed out")
      },
      Form(.word("stop"), .optional(.agent), summary: "end its program or connection for now") {
        shell, match throws(ShellError) in
        let link = try await link(match.values.first, &shell)
        await link.backend.agent?.close()
        shell.desk.say(
          link.server.isProgram ? "stopped \(link.server.name)" : "disconnected from \(link.server.name)")
      },
      Form(.word("delete"), .required(.agent), summary: "forget it and its sessions") {
        shell, match throws(ShellError) in
        try await delete(match[0], &shell)
      },
    ],
    flags: [variable, folder],
    examples: [
      "/agent run fast-agent-acp --model passthrough", "/agent run --env ANTHROPIC_API_KEY -- npx claude-code-acp",
      "/agent set mode code", "/agent info",
    ],
    details: """
      An agent is a program that speaks the Agent Client Protocol. It runs with your rights, where you are, and keeps the \
      conversation itself. It is given no variables but the usual ones and those that --env names. What it asks this \
      program for is confined to its folder and asked about; what it does by itself is its own affair. Its own commands \
      are typed like these; where ours has the name, a space before it sends it. One on another machine is reached \
      by /pair, and is given none of this.
      """, needsPrompt: true)

  private static let variable = Flag("--env", .variable, repeats: true, summary: "variable that its program is given")
  private static let folder = Flag("--cwd", .file, summary: "folder that it works in")

  private static func run(_ match: Match, _ shell: inout Shell) async throws(ShellError) {
    var command = match.values
    if command.first == "--" { command.removeFirst() }
    guard !command.isEmpty else { throw .missing(.program, command: "agent run") }
    if command.contains(where: LikelySecret.isToken) { throw .secretOnLine }
    for name in match.all(of: variable) {
      guard !name.isEmpty, !name.contains("=") else { throw .badToolServer(.variable(name)) }
      guard shell.desk.world.environment[name] != nil else { throw .badToolServer(.unsetVariable(name)) }
    }
    var words = match.all(of: variable).flatMap { ["--env", $0] }
    if let folder = match.value(of: folder) { words += ["--cwd", shell.desk.world.absolutePath(folder)] }
    words += ["--"] + command
    let before = shell.links.front?.server.url
    let name = name(of: command)
    try await shell.links.runAgent(
      "acp:" + words.map(Words.quoted).joined(separator: " "), named: name, &shell.desk)
    shell.goOver(from: before, to: shell.links.link.server.url)
  }

  /// Its program's; of a program that runs others the one that it runs.
  private static func name(of command: [String]) -> String {
    let words = command.flatMap { $0.split(whereSeparator: \.isWhitespace) }.filter { !$0.hasPrefix("-") }
    let names = words.map { word in
      let file = word.split(separator: "/").last ?? ""
      return String(file.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) })
    }
    let runners = [
      "python", "python3", "node", "npx", "uvx", "uv", "bunx", "deno", "sh", "bash", "env", "exec", "ssh",
    ]
    return names.first { !$0.isEmpty && !runners.contains($0) } ?? names.first ?? "agent"
  }

  private static func use(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let name = try known(word, shell)
    _ = try kept(name, shell)
    let before = shell.links.front?.server.url
    let link = try await shell.links.use(server: name, &shell.desk)
    do throws(Servers.Failure) { try shell.links.kept.use(name) } catch { throw .servers(error) }
    guard let agent = link.backend.agent else { throw .noAgent(server: name) }
    shell.desk.say("agent: \(name)\(Wording.agent(agent.state))")
    guard before != link.server.url else { return }
    shell.goOver(from: before, to: link.server.url)
  }

  /// The agent that is meant; the one in use where none is named.
  private static func link(_ word: String?, _ shell: inout Shell) async throws(ShellError) -> Link {
    if let word {
      let name = try known(word, shell)
      let link = try kept(name, shell)
      if let running = shell.links.behind[link.server.url] { return running }
      if shell.links.front?.server.url != link.server.url { return link }
    }
    _ = try await shell.links.frontAgent(&shell.desk)
    return shell.links.link
  }

  /// One that is kept, as if it did not run; throws for a server that is no agent.
  private static func kept(_ name: String, _ shell: Shell) throws(ShellError) -> Link {
    let server = try shell.links.kept.required(name).server
    let backend = try shell.links.backend(for: server, shell.desk)
    guard backend.agent != nil else { throw .noAgent(server: name) }
    return Link(server: server, backend: backend, like: nil, models: [], listedAt: nil)
  }

  /// The settings that the agent in use has for the session, which is gone into.
  static func agentOptions(of agent: any Agent, _ shell: inout Shell) async throws(ShellError) -> [AgentOption] {
    let session = shell.talk.conversation.session.id.text
    let remote = shell.remoteConversation
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await agent.enter(session, known: remote)
    }
    return agent.state.options
  }

  /// What `/model` is about where an agent is in use: its setting of that kind; nil where it has none, and where the
  /// server in use is no agent.
  static func modelOption(_ shell: inout Shell) async throws(ShellError) -> AgentOption? {
    guard let agent = try await shell.links.connected(&shell.desk).backend.agent else { return nil }
    return try await agentOptions(of: agent, &shell).first { $0.category == "model" }
  }

  /// Chooses the agent's model.
  static func choose(model word: String, of option: AgentOption, _ shell: inout Shell) async throws(ShellError) {
    try await set([option.key, word], asJSON: false, &shell)
  }

  private static func set(_ words: [String], asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let agent = try await shell.links.frontAgent(&shell.desk)
    let options = try await agentOptions(of: agent, &shell)
    guard let word = words.first else { return try await shell.desk.show(AgentPage.options(options), asJSON: asJSON) }
    guard let option = options.first(where: { $0.isCalled(word) }) else {
      throw .noSuchOption(word, known: options.map(\.key))
    }
    guard words.count > 1 else {
      return try await shell.desk.show(AgentPage.choices(of: option), asJSON: asJSON)
    }
    let value = words.dropFirst().joined(separator: " ")
    guard let choice = option.choice(called: value) else {
      let begun = option.choices.map(\.value).filter { $0.lowercased().hasPrefix(value.lowercased()) }
      if begun.count > 1 { throw .ambiguous(.argument, value, matches: begun) }
      throw .noSuchChoice(value, of: option.key, known: option.choices.map(\.value))
    }
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await agent.set(option.id, to: choice) }
    shell.desk.say("\(option.key): \(choice)")
  }

  private static func signIn(_ word: String?, _ shell: inout Shell) async throws(ShellError) {
    let agent = try await shell.links.frontAgent(&shell.desk)
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await agent.connect() }
    let ways = agent.state.signIns
    guard let word else {
      guard shell.desk.options.canType, !ways.isEmpty else {
        return try await shell.desk.show(AgentPage.signIns(ways), asJSON: false)
      }
      if try await shell.links.signIn(to: agent, by: ways, &shell.desk) { shell.desk.say("signed in") }
      return
    }
    guard let way = ways.first(where: { $0.id == word }) else {
      throw .unknown(.argument, word, nearest: ways.map(\.id))
    }
    if try await shell.links.signIn(to: agent, by: way, &shell.desk) { shell.desk.say("signed in") }
  }

  private static func delete(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let name = try known(word, shell)
    let server = try kept(name, shell).server
    guard try await shell.desk.confirm("Forget agent '\(name)' and every session with it, for good?") else { return }
    await shell.links.closeAgent(at: server.url)
    do throws(Servers.Failure) { try shell.links.kept.remove(name) } catch { throw .servers(error) }
    if shell.links.front?.server.url == server.url { shell.links.leaveFront() }
    do throws(FileError) { try shell.toolbox.permissions.revoke(nil, of: server.url) } catch {
      throw .permissions(error)
    }
    if !server.isProgram { try await forgetPairing(with: server, shell) }
    let forgotten = try await shell.talk.changeHistory(shell.desk) { history throws(HistoryError) in
      try await history.forgetSessions(of: server.url)
    }
    let count = forgotten.sessions
    if shell.talk.conversation.session.server?.url == server.url { shell.leaveSession() }
    try await shell.talk.forgetUnkept(of: { $0.server?.url == server.url }, shell.desk)
    shell.desk.say("forgot agent '\(name)' and \(count == 1 ? "1 session" : "\(count) sessions" as SafeText)")
    try shell.report(forgotten)
  }

  private static func listing(of shell: Shell, _ uses: [String: Int]) -> Listing {
    let agents = shell.links.kept.entries.map(\.server).filter { $0.kind == "acp" }
    let rows = agents.map { server in
      let isInFront = shell.links.front?.server.url == server.url
      let link = isInFront ? shell.links.front : shell.links.behind[server.url]
      return AgentPage.Row(
        server: server, state: link?.backend.agent?.state, isInFront: isInFront, usedAt: uses[server.url])
    }
    return AgentPage.listing(rows, now: shell.desk.world.now())
  }
}

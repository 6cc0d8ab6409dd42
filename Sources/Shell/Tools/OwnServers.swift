import Chat
import Store
import Text

/// How a person signs in to a server of tools.
enum ToolSignIn: Sendable, Equatable {
  /// With a token that standard input brings.
  case tokenOfInput
  /// In a browser, as the client of this id.
  case browser(clientID: String)
  /// With a token that is asked for, or in a browser.
  case any
}

/// The parts of `/tools` that are about servers that a person adds.
extension Toolbox {
  mutating func addToolServer(
    _ word: String, at url: String, passing variables: [String], signIn: ToolSignIn?, _ links: inout Links,
    _ desk: inout Desk
  ) async throws(ShellError) {
    let name = try toolServerName(word)
    if let variable = variables.first { throw .badToolServer(.variableForAddress(variable)) }
    let server = ToolServer(id: name, name: name, address: try httpAddress(url, desk))
    if let signIn {
      // First: a server that refuses the sign-in is not kept, and the same line can be typed again.
      do throws(ShellError) {
        try await self.signIn(
          to: server, by: signIn, hint: "/tools add \(Words.quoted(name)) \(Words.quoted(url)) --token-stdin", &links,
          &desk)
      } catch {
        await forgetTools(of: server.id)
        guard case .tool = error else { throw error }
        var complaint = Complaint(error)
        complaint.hint = "\(name) was not added; the same /tools add tries again"
        return desk.complain(complaint)
      }
    }
    try await add(server, isForeign: false, &links, &desk)
  }

  /// - Parameter variables: names of those that the program is given.
  mutating func addToolServer(
    _ word: String, running command: [String], passing variables: [String], _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    let name = try toolServerName(word)
    for name in variables {
      guard !name.isEmpty, !name.contains("=") else { throw .badToolServer(.variable(name)) }
      guard desk.world.environment[name] != nil else { throw .badToolServer(.unsetVariable(name)) }
    }
    let address = try programAddress(command, passing: variables, desk)
    try await add(ToolServer(id: name, name: name, address: address), isForeign: false, &links, &desk)
  }

  /// Keeps a server of tools and looks at what it has.
  /// - Parameter isForeign: whether a file names it, and not the person.
  mutating func add(_ server: ToolServer, isForeign: Bool, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError)
  {
    let name = server.name
    guard try await mayAdd(server, isForeign: isForeign, desk) else { return }
    do throws(ToolServers.Failure) { try toolServers.add(server) } catch { throw .toolServers(error) }
    await forgetTools(of: name)
    let shelf = try await shelves(of: [server], &links, &desk).first
    // The person is at it: the next message asks again.
    failedAt[name] = nil
    if let failure = shelf?.failure {
      desk.complain(Complaint(failure, server: name))
      let word = Words.quoted(name)
      let chooses: SafeText = desk.options.isInteractive || desk.remembersTools ? "/tools on \(word) chooses it, " : ""
      desk.say("\(name) is kept all the same; " + chooses + "/tools remove \(word) forgets it")
    } else {
      let tools = shelf?.tools ?? []
      desk.say("added \(name): \(tools.isEmpty ? "it has no tools" : tools.map(\.name).joined(separator: ", "))")
      try await chooseAdded(server, &links, &desk)
    }
  }

  /// `--yes` is an answer about the program that the person typed, and none about those that a file names.
  private mutating func mayAdd(_ server: ToolServer, isForeign: Bool, _ desk: Desk) async throws(ShellError) -> Bool {
    switch server.address {
    case .http(let url): return isForeign ? try await desk.confirm("Add \(server.name) at \(url)?") : true
    case .terminals: return false
    case .command(let command, let passing):
      desk.world.terminal.write(ToolPage.program(command, passing), to: .notices)
      let question: SafeText = "Start this program now, and when its tools are wanted?"
      guard isForeign else { return try await desk.confirm(question) }
      guard desk.options.canType else {
        throw .needsTerminal(
          "a program that a file names is not started before you have looked at it",
          hint: "/tools add NAME -- COMMAND adds one")
      }
      if try await desk.agrees(question) { return true }
      desk.say("left as it is")
      return false
    }
  }

  /// What is added, and answers, is wanted.
  private mutating func chooseAdded(
    _ server: ToolServer, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    // A run of one command has no messages to offer it with.
    guard !desk.hasToolsOfLine, desk.options.isInteractive || desk.remembersTools else { return }
    var choice = try await chosenTools(&links, &desk)
    choice.choose(ToolChoice.Item(server: server.id))
    try choose(choice, &desk)
    desk.say(desk.remembersTools ? "chosen, and remembered" : "chosen for this session; /tools remember on keeps it")
  }

  func toolServerName(_ word: String) throws(ShellError) -> String {
    if LikelySecret.isToken(word) { throw .secretOnLine }
    guard ToolServers.isName(word) else { throw .badToolServer(.name(word)) }
    if toolServers.entries.contains(where: { $0.server.name == word }) { throw .toolServers(.nameTaken(word)) }
    return word
  }

  /// A program that is there.
  func programAddress(_ command: [String], passing: [String], _ desk: Desk) throws(ShellError) -> ToolServer.Address {
    guard let program = command.first, !program.isEmpty else { throw .missing(.program, command: "tools add") }
    if command.contains(where: LikelySecret.isLikely) { throw .secretOnLine }
    let path = try found(program, desk)
    // No shell reads the line, and a program takes no `~`.
    let arguments = command.dropFirst().map { $0 == "~" || $0.hasPrefix("~/") ? desk.world.absolutePath($0) : $0 }
    return .command([path] + arguments, passing: passing)
  }

  /// A program with a slash in its name is where that says, from anywhere; another is looked for along `PATH` each time.
  private func found(_ program: String, _ desk: Desk) throws(ShellError) -> String {
    let place = program.contains("/") ? desk.world.absolutePath(program) : program
    if case .failure(let failure) = desk.world.findProgram(place) { throw .badToolServer(.program(program, failure)) }
    return place
  }

  /// An address without anything secret in it.
  func httpAddress(_ url: String, _ desk: Desk) throws(ShellError) -> ToolServer.Address {
    if LikelySecret.isLikely(in: url) { throw .secretOnLine }
    let schemes = ["http://", "https://"]
    guard let scheme = schemes.first(where: url.lowercased().hasPrefix) else {
      guard !desk.world.fileExists(url), let whole = SchemelessAddress.completed(url) else {
        throw .badToolServer(.address(url))
      }
      desk.say("taken as \(whole)")
      return try httpAddress(whole, desk)
    }
    let host = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    guard !host.isEmpty, !host.hasPrefix(":"), !url.contains(where: \.isWhitespace) else {
      throw .badToolServer(.address(url))
    }
    return .http(url: url)
  }

  mutating func removeToolServer(_ word: String, _ links: inout Links, _ desk: inout Desk) async throws(ShellError) {
    let server = try ownToolServer(word)
    guard try await desk.confirm("Forget tool server '\(server.name)' and its sign-in?") else { return }
    if let account = await toolConnection(to: server, links, desk)?.account, await account.hasSignIn() {
      try await signOut(of: server, account, desk)
    }
    await forgetTools(of: server.id)
    do throws(ToolServers.Failure) { try toolServers.remove(server.name) } catch { throw .toolServers(error) }
    self.servers.removeAll { $0.id == server.id }
    if var choice = self.choice, choice.servers.contains(server.id) {
      choice.drop(ToolChoice.Item(server: server.id), of: [])
      try choose(choice, &desk)
    }
    desk.say("forgot tool server '\(server.name)'")
  }

  mutating func signInToTools(
    _ word: String, by signIn: ToolSignIn, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    let server = try ownToolServer(word)
    try await self.signIn(
      to: server, by: signIn, hint: "/tools login \(Words.quoted(server.name)) --token-stdin", &links, &desk)
    failedAt[server.id] = nil
  }

  /// - Parameter hint: the command that reads a token.
  private mutating func signIn(
    to server: ToolServer, by signIn: ToolSignIn, hint: String, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    guard let account = await toolConnection(to: server, links, desk)?.account else {
      throw .noSignIn(server: server.name)
    }
    switch signIn {
    case .tokenOfInput:
      try await desk.probeCredentials()
      let token = try await desk.token(after: [])
      try await self.signIn(to: server, account, token: token, &links, &desk)
    case .browser, .any:
      guard desk.options.canType else {
        throw .needsTerminal(
          "tool server '\(server.name)' is signed in to in a browser",
          hint: hint + " reads a token")
      }
      let clientID = if case .browser(let clientID) = signIn { clientID } else { String?.none }
      try await askForSignIn(to: server, account, clientID: clientID, &links, &desk)
    }
  }

  /// A token, or Enter alone for the browser.
  private mutating func askForSignIn(
    to server: ToolServer, _ account: any ToolAccount, clientID: String?, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    if clientID == nil {
      let prompt: StyledText = .text("token (not shown; Enter alone for the browser): ")
      if try await enterToken(after: prompt, of: server, account, &links, &desk) { return }
    }
    try await signIn(to: server, account, clientID: clientID, &links, &desk)
  }

  /// Asks for a token, and twice more where the server refuses it.
  /// - Returns: false for Enter alone.
  mutating func enterToken(
    after prompt: StyledText, of server: ToolServer, _ account: any ToolAccount, _ links: inout Links,
    _ desk: inout Desk
  ) async throws(ShellError) -> Bool {
    desk.beginSignIn()
    var tries = 1
    while true {
      guard let token = try await desk.tokenIfAny(after: prompt) else { return false }
      do throws(ShellError) {
        try await signIn(to: server, account, token: token, &links, &desk)
        return true
      } catch {
        guard case .tool(.server(.signInRefused(_, .wrongToken)), _) = error, tries < 3 else { throw error }
        tries += 1
        desk.say(Complaint(error).text, .error)
      }
    }
  }

  /// Signs in with a token that the person brought.
  mutating func signIn(
    to server: ToolServer, _ account: any ToolAccount, token: Secret, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    var settled = Settled()
    while true {
      switch await desk.interruptible({ () throws(ToolError) in try await account.signIn(token: token) }) {
      case .success(let signedIn):
        desk.endSignIn()
        desk.say("signed in to \(server.name)")
        return try desk.sayWhereKept(signedIn)
      case .failure(.cancelled), .failure(.server(.cancelled)): throw .interrupted
      case .failure(let error):
        // A token that is refused is no reason to sign in some other way.
        settled.signIns += 1
        guard try await settle(error, of: server, &settled, &links, &desk) else {
          throw .tool(error, server: server.name)
        }
      }
    }
  }

  mutating func signOutOfTools(_ word: String, _ links: inout Links, _ desk: inout Desk) async throws(ShellError) {
    let server = try ownToolServer(word)
    guard let account = await toolConnection(to: server, links, desk)?.account else {
      throw .noSignIn(server: server.name)
    }
    let wasIn = await account.hasSignIn()
    try await signOut(of: server, account, desk)
    await forgetTools(of: server.id)
    desk.say(wasIn ? "signed out of \(server.name)" : "you were not signed in to \(server.name)")
  }

  private func signOut(of server: ToolServer, _ account: any ToolAccount, _ desk: Desk) async throws(ShellError) {
    if case .failure(let error) = await desk.interruptible({ () throws(CredentialError) in try await account.signOut() }
    ) {
      throw .credentials(error)
    }
    desk.world.forgetConnections()
  }

  /// One that the person added, by its name or the beginning of it.
  private func ownToolServer(_ word: String) throws(ShellError) -> ToolServer {
    let servers = toolServers.entries.map(\.server)
    if let only = try servers.one(called: word) { return only }
    if word == ToolServer.terminals.name { throw .badToolServer(.ofProgram(word)) }
    if let platform = self.servers.first(where: { $0.name == word })?.platform {
      throw .badToolServer(.ofPlatform(word, platform: platform))
    }
    throw .unknown(.toolServer, word, nearest: Nearest.words(to: word, among: servers.map(\.name)))
  }
}

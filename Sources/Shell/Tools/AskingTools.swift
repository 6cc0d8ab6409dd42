import Chat
import Store
import Text

extension Toolbox {
  /// Asks a server of tools for something. What stands in the way is settled with the person, and the server asked
  /// again.
  mutating func asking<T: Sendable>(
    _ server: ToolServer,
    _ links: inout Links, _ desk: inout Desk,
    _ ask: @escaping @Sendable (any ToolConnection) async throws(ToolError) -> T
  ) async throws(ShellError) -> T {
    var settled = Settled()
    while true {
      guard let tools = await toolConnection(to: server, links, desk) else {
        throw .unknown(.toolServer, server.name, nearest: [])
      }
      switch await desk.interruptible({ () throws(ToolError) in try await ask(tools) }) {
      case .success(let value): return value
      case .failure(.cancelled), .failure(.server(.cancelled)): throw .interrupted
      case .failure(let error):
        guard try await settle(error, of: server, &settled, &links, &desk) else {
          throw .tool(error, server: server.name)
        }
      }
    }
  }

  /// Whether a server of tools should be asked again: the person has removed what stood in its way.
  mutating func settle(
    _ error: ToolError, of server: ToolServer, _ settled: inout Settled, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) -> Bool {
    switch error {
    case .signInNeeded:
      guard desk.options.canType, settled.signIns == 0, server.platform == nil,
        let account = self.connections[server.id]?.account
      else { return false }
      settled.signIns += 1
      guard try await desk.agrees("Tool server '\(server.name)' wants you to sign in. Now?") else { return false }
      try await signIn(to: server, account, clientID: nil, &links, &desk)
      return true
    case .server(.untrusted(let distrust)): return try await desk.settleTrust(distrust, &settled)
    case .server(let error):
      // A platform's own are signed in to with the platform, and reached under its rules.
      guard server.platform != nil, links.front != nil else { return false }
      guard try await links.settle(error, &settled, &desk) else { return false }
      await self.connections.removeValue(forKey: server.id)?.close()
      return true
    default: return false
    }
  }

  /// Shows the page to sign in on and waits until the person is done there.
  mutating func signIn(
    to server: ToolServer, _ account: any ToolAccount, clientID: String?, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    try await desk.probeCredentials()
    let begun: BrowserSignIn
    do throws(ShellError) {
      begun = try await interrupted(server, desk) { () throws(ToolError) in try await account.signIn(clientID: clientID)
      }
    } catch {
      guard desk.options.canType, clientID == nil, case .tool(.server(.signInRefused(_, .browser)), _) = error else {
        throw error
      }
      desk.say(Complaint(error).text, .warning)
      return try await askForToken(of: server, account, or: error, &links, &desk)
    }
    // The address comes from the server: nothing is opened that was not looked at.
    let address: WebAddress
    do throws(WebAddress.Problem) { address = try WebAddress(begun.url) } catch {
      throw .tool(.malformed("a page to sign in on (\(error.words.string)): \(begun.url)"), server: server.name)
    }
    desk.say("open in a browser, to sign in to \(server.name) at \(address.host)", .plain)
    desk.world.terminal.write(.text("  \(begun.url)\n", .accent), to: .notices)
    if let code = begun.code { desk.say("and type the code \(code) there", .plain) }
    if begun.code == nil, desk.options.canType, try await desk.agrees("Open it now?"),
      !desk.world.openBrowser(begun.url)
    {
      desk.say("there is no browser to open it in", .warning)
    }
    desk.say("waiting for it; Ctrl-C ends the wait")
    let signedIn = try await interrupted(server, desk) { () throws(ToolError) in
      do throws(BackendError) { return try await begun.finish() } catch { throw .server(error) }
    }
    desk.endSignIn()
    desk.say("signed in to \(server.name)")
    try desk.sayWhereKept(signedIn)
  }

  /// Where no browser signs in, a token may.
  private mutating func askForToken(
    of server: ToolServer, _ account: any ToolAccount, or error: ShellError, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) {
    guard try await enterToken(after: .text("token (not shown): "), of: server, account, &links, &desk) else {
      throw error
    }
  }

  /// What Ctrl-C may end, of a sign-in to a server of tools.
  func interrupted<T: Sendable>(
    _ server: ToolServer, _ desk: Desk, _ operation: @escaping @Sendable () async throws(ToolError) -> T
  ) async throws(ShellError) -> T {
    switch await desk.interruptible(operation) {
    case .success(let value): return value
    case .failure(.cancelled), .failure(.server(.cancelled)): throw .interrupted
    case .failure(let error): throw .tool(error, server: server.name)
    }
  }
}

package import Chat
package import Transport
package import Wire

/// Speaks the Model Context Protocol with one server, in whichever of its eras and by whichever way the server does
/// (docs/mcp.md 1 to 6).
package final class MCPConnection: ToolConnection, Sendable {
  package let server: ToolServer
  package let account: (any ToolAccount)?
  private let session: MCPSession
  private let timeouts: Timeouts
  private let wantsLog: Bool

  /// Seconds for which a list counts whose server does not say.
  private static let freshness = 60.0

  /// - Parameters:
  ///   - signer: signs what goes to a server over HTTP.
  ///   - account: the one that `signer` signs with, where the person can sign in.
  ///   - memory: knows how the server was spoken with before.
  ///   - programs: starts a server that is a program.
  ///   - wantsLog: asks servers for lines of their log; older ones send them unasked.
  package init(
    _ server: ToolServer, http: any HTTP, timeouts: Timeouts, signer: any MCPSigner = Unsigned(),
    account: (any ToolAccount)? = nil, memory: WireMemory = .inMemory(), programs: ToolPrograms? = nil,
    clock: TimeSource = .system, wantsLog: Bool = false
  ) {
    self.server = server
    self.account = account
    self.timeouts = timeouts
    self.wantsLog = wantsLog
    let opening: MCPSession.Opening
    let address: String
    switch server.address {
    case .http(let url):
      address = url
      let door = MCPDoor(http: http, signer: signer, timeouts: timeouts, clock: clock, address: url)
      opening = { (board, known) async throws(MCPFault) in
        try await MCPFinder(door: door, board: board, isPlatforms: server.platform != nil).open(known)
      }
    case .command(let words, let passing):
      address = words.joined(separator: " ")
      opening = { (board, known) async throws(MCPFault) in
        guard let programs else {
          throw .failed(.notStarted(program: words.first ?? "", reason: "programs are not started here"))
        }
        let program = MCPProgram(
          command: words, passing: passing, programs: programs, board: board, clock: clock, patience: timeouts.toolStart
        )
        return try await program.open(known)
      }
    case .terminals:
      address = server.name
      // It speaks no protocol: whoever made it answers for it.
      opening = { (_, _) async throws(MCPFault) in throw .failed(.notOffered("wire")) }
    }
    session = MCPSession(address: address, memory: memory, timeouts: timeouts, clock: clock, opening: opening)
  }

  private var asking: MCPExchange { MCPExchange(session: session, patience: .request(timeouts)) }

  package func about() async throws(ToolError) -> ToolServerFacts {
    let (_, line) = try await session.line()
    return try await hello(line).facts(line.transport, named: server.name)
  }

  private func hello(_ line: any MCPLine) async throws(ToolError) -> MCPHello {
    if let hello = line.hello { return hello }
    return MCPHello(modern: try await asking.result(of: MCPRequest("server/discover")))
  }

  package func tools() async throws(ToolError) -> [Tool] {
    if let known = await session.known() { return known.map(\.tool) }
    return try await list().map(\.tool)
  }

  private func list() async throws(ToolError) -> [ListedTool] {
    let changes = session.changesSoFar
    let (items, lifetime) = try await MCPLists.all("tools/list", "tools", by: asking)
    let (_, line) = try await session.line()
    // Marks are for headers, of which only this wire has any.
    let marksCount = line.era == .modern && line.transport != .stdio
    var names: Set<String> = []
    let tools = items.compactMap { ListedTool($0, marksCount: marksCount) }
      .filter { names.insert($0.tool.name).inserted }
    // This wire tells of changes to those only who keep a stream open for them.
    let fresh = line.era == .modern ? MCPConnection.freshness : nil
    await session.keep(tools, lifetime: lifetime ?? fresh, changes: changes)
    return tools
  }

  package func call(_ tool: String, _ arguments: JSON) -> ToolRun {
    let call = MCPCall { [self] (watch) async throws(ToolError) in try await run(tool, arguments, watch) }
    return ToolRun(next: { () async throws(ToolError) in try await call.next() }, stop: { call.stop() })
  }

  private func run(_ tool: String, _ arguments: JSON, _ watch: MCPWatch) async throws(ToolError) -> ToolResult {
    var request = MCPRequest.call(tool, arguments)
    request.wantsLog = wantsLog
    request.mirrored = await session.lastKnown(tool)?.marks.compactMap { $0.mirrored(arguments) } ?? []
    let exchange = MCPExchange(
      session: session, patience: .call(timeouts), watch: watch,
      mirrored: { [self] (request) async throws(ToolError) in
        try await list().first { $0.tool.name == tool }?.marks.compactMap { $0.mirrored(arguments) } ?? []
      })
    guard let result = ToolResult(try await exchange.result(of: request)) else {
      throw .malformed("a result that is no object")
    }
    return result
  }

  package func prompts() async throws(ToolError) -> [ToolPrompt] {
    try await MCPLists.all("prompts/list", "prompts", by: offered("prompts")).items.compactMap { ToolPrompt($0) }
  }

  package func prompt(_ name: String, _ arguments: [String: String]) async throws(ToolError) -> [PromptMessage] {
    let values = arguments.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
    var request = MCPRequest("prompts/get", [JSON.Member("name", .string(name))], name: name)
    if !values.isEmpty { request.set("arguments", .object(values)) }
    let result = try await offered("prompts").result(of: request)
    guard let messages = result["messages"]?.array else { throw .malformed("no messages in the answer to prompts/get") }
    return messages.flatMap { PromptMessage.all(in: $0) }
  }

  package func resources() async throws(ToolError) -> [ToolResource] {
    let exchange = try await offered("resources")
    let whole = try await MCPLists.all("resources/list", "resources", by: exchange).items
      .compactMap { ToolResource($0, uri: "uri", isTemplate: false) }
    do throws(ToolError) {
      return try await whole
        + MCPLists.all("resources/templates/list", "resourceTemplates", by: exchange).items
        .compactMap { ToolResource($0, uri: "uriTemplate", isTemplate: true) }
    } catch {
      // Not every server that has resources has templates.
      guard case .notOffered = error else { throw error }
      return whole
    }
  }

  package func read(_ uri: String) async throws(ToolError) -> [ResourceContent] {
    let request = MCPRequest("resources/read", [JSON.Member("uri", .string(uri))], name: uri)
    let result = try await offered("resources").result(of: request)
    guard let contents = result["contents"]?.array else {
      throw .malformed("no contents in the answer to resources/read")
    }
    return contents.compactMap { ResourceContent($0) }
  }

  /// Throws when the server said that it does not have such things.
  private func offered(_ capability: String) async throws(ToolError) -> MCPExchange {
    let (_, line) = try await session.line()
    if let hello = line.hello, !hello.capabilities.isNull, !hello.offers(capability) { throw .notOffered(capability) }
    return asking
  }

  package func close() async { await session.close() }
}

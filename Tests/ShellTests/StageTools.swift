import Chat
import Foundation
import Store
import Wire

@testable import Shell

/// A server of tools as it was directed.
struct StageToolServer: Sendable {
  var name: String
  /// What is at the platform in use; else its address, where an added one is found.
  var url: String?
  var tools: [Tool] = []
  /// Whether the platform itself knows the tools.
  var isDescribed = false
  var prompts: [(prompt: ToolPrompt, messages: [PromptMessage])] = []
  var resources: [(resource: ToolResource, body: ResourceContent.Body)] = []
  var failure: ToolError?
  /// The token that it wants; nil lets everybody in.
  var token: String?
  var isSignedIn = false
  /// Whether nobody says how it is signed in to in a browser.
  var takesTokensOnly = false
  /// Whether it never says what it has: a wait for it is over at once.
  var isSilent = false
}

extension Stage {
  /// `[tool-server NAME PART… TOOL "DESCRIPTION" …]`: a server of tools at the platform, or where its parts say. Parts
  /// are `at URL` (to be added), `added URL` (kept already), `described` (the platform knows its tools), `wants TOKEN`,
  /// `tokens-only` (no page in a browser does),
  /// `unreachable`, `silent`, `untrusted "NAME"`; behind a tool stand `takes "SCHEMA"`, `reads` and `destroys`;
  /// `prompt NAME "TEXT"`, `needs ARGUMENT` behind it, and `resource URI "TEXT"` or `picture URI`.
  func setToolServer(_ direction: StageDirection) throws {
    var server = StageToolServer(name: direction.strings[0])
    var rest = direction.words.dropFirst()
    var isAdded = false
    while let part = rest.popFirst()?.string {
      func next() throws -> String {
        guard let word = rest.popFirst() else { throw BadDirection(text: part) }
        return word.string
      }
      switch part {
      case "at": server.url = try next()
      case "added": (server.url, isAdded) = (try next(), true)
      case "described": server.isDescribed = true
      case "wants": server.token = try next()
      case "tokens-only": server.takesTokensOnly = true
      case "silent": server.isSilent = true
      case "unreachable": server.failure = .server(.unreachable(address: server.name, reason: .refused))
      case "untrusted":
        let address = server.url ?? "https://\(server.name)"
        server.failure = .server(.untrusted(Distrust(.made(for: address, called: try next()), before: .nothing)))
      case "takes":
        let schema = try next()
        server.tools[server.tools.count - 1].parameters = try JSON(parsing: Array(schema.utf8))
      case "reads": server.tools[server.tools.count - 1].hints.isReadOnly = true
      case "destroys": server.tools[server.tools.count - 1].hints.isDestructive = true
      case "prompt":
        let (name, text) = (try next(), try next())
        server.prompts.append((ToolPrompt(name: name, summary: "a prompt"), [PromptMessage(.user, .text(text))]))
      case "needs":
        server.prompts[server.prompts.count - 1].prompt.arguments.append(.init(name: try next(), isRequired: true))
      case "resource":
        let (uri, text) = (try next(), try next())
        server.resources.append((ToolResource(uri: uri, name: uri), .text(text)))
      case "picture":
        let uri = try next()
        server.resources.append((ToolResource(uri: uri, name: uri, mimeType: "image/png"), .blob("AAAA")))
      default: server.tools.append(Tool(name: part, summary: try next()))
      }
    }
    with { [server] scene in
      scene.toolServers.removeAll { $0.name == server.name }
      scene.toolServers.append(server)
    }
    guard isAdded, let url = server.url else { return }
    var kept = ToolServers(home + "/tools.json")
    try kept.add(ToolServer(id: server.name, name: server.name, address: .http(url: url)))
    try kept.keep(server.tools, of: server.name)
  }

  /// `[tools-listed-at ORIGIN]`: where the platform sends those who ask which servers of tools it has; with `ctrl-c` the
  /// person presses it the first time the list is awaited from there.
  fileprivate func followToolList(of server: Server) async throws(BackendError) {
    guard let list = with({ $0.toolList }) else { return }
    guard server.allowedOrigins.contains(list.origin) else {
      throw .withheld(origin: list.origin, .anotherHost(own: server.name))
    }
    guard list.isInterrupted else { return }
    with { $0.toolList?.isInterrupted = false }
    interrupt(.interrupt)
    while !Task.isCancelled { await Task.yield() }
    throw .cancelled
  }

  /// `[tool-answers TOOL WHAT…]`: what the next call of a tool brings; each is taken once, in order.
  func setToolAnswer(_ direction: StageDirection) {
    with { $0.toolAnswers[direction.strings[0], default: []].append(Array(direction.words.dropFirst())) }
  }

  /// `[elsewhere-removed NAME]`: another shell forgets an added server, or the platform stops its own.
  func removeToolServer(_ name: String) throws {
    with { scene in scene.toolServers.removeAll { $0.name == name && $0.url == nil } }
    var kept = ToolServers(home + "/tools.json")
    if kept.named(name) != nil { try kept.remove(name) }
  }

  /// `[closed]`: the servers of tools whose connections ended since the last look.
  func showClosedTools() {
    let names = with { scene in
      defer { scene.closedTools = [] }
      return scene.closedTools.sorted()
    }
    remark(names.isEmpty ? "nothing was closed" : "closed \(names.joined(separator: " "))")
  }

  /// `[called]`: the calls since the last look, with what they were given.
  func showToolCalls() {
    let calls = with { scene in
      defer { scene.toolCalls = [] }
      return scene.toolCalls
    }
    if calls.isEmpty { remark("nothing was called") }
    for call in calls { remark("called \(call.tool) \(call.arguments.serialized())") }
  }

  /// `[offered]`: the tools of the last request, and with `whole` how they are described.
  func showOfferedTools(whole: Bool) {
    let tools = with { scene in
      defer { scene.requests = [] }
      return scene.requests.last?.tools ?? []
    }
    if tools.isEmpty { return remark("offered nothing") }
    if !whole { return remark("offered \(tools.map(\.name).joined(separator: " "))") }
    for tool in tools { remark("offered \(tool.name): \(tool.summary) \(tool.parameters.serialized())") }
  }

  /// The one that is meant by where it is.
  fileprivate func toolServer(_ server: ToolServer) -> StageToolServer? {
    with { scene in
      scene.toolServers.first { directed in
        if server.platform != nil { return directed.url == nil && directed.name == server.name }
        return switch server.address {
        case .http(let url): directed.url == url
        case .command(let words, _): directed.url == words.first
        case .terminals: false
        }
      }
    }
  }

  fileprivate func changeToolServer(_ server: ToolServer, _ change: (inout StageToolServer) -> Void) {
    guard let name = toolServer(server)?.name else { return }
    with { scene in
      guard let index = scene.toolServers.firstIndex(where: { $0.name == name }) else { return }
      change(&scene.toolServers[index])
    }
  }
}

/// The tools around a server of models.
struct StageTooling: Tooling {
  let server: Server
  let stage: Stage

  func servers() async throws(BackendError) -> [ToolServer] {
    try stage.requireEntry(to: server)
    try await stage.followToolList(of: server)
    return stage.with { scene in
      scene.toolServers.filter { $0.url == nil }.map { directed in
        ToolServer(
          id: "id-\(directed.name)", name: directed.name, address: .http(url: "\(server.url)/tools/\(directed.name)"),
          tools: directed.isDescribed ? directed.tools : nil, platform: server.name)
      }
    }
  }

  func connect(_ server: ToolServer) -> any ToolConnection { StageTools(server: server, stage: stage) }
}

/// A server of tools in a transcript.
struct StageTools: ToolConnection {
  let server: ToolServer
  let stage: Stage

  private func reached() throws(ToolError) -> StageToolServer {
    guard let directed = stage.toolServer(server) else {
      throw .server(.unreachable(address: server.name, reason: .refused))
    }
    if case .server(.untrusted(let distrust))? = directed.failure {
      let certificate = distrust.certificate
      if KnownServers(stage.home + "/known_servers").entry(of: certificate.host, port: certificate.port) == nil {
        throw .server(.untrusted(distrust))
      }
    } else if let failure = directed.failure {
      throw failure
    }
    if directed.token != nil, !directed.isSignedIn { throw .signInNeeded(url: directed.url ?? directed.name) }
    return directed
  }

  func about() async throws(ToolError) -> ToolServerFacts {
    let directed = try reached()
    return ToolServerFacts(
      name: directed.name, version: "1.0", protocolVersion: "2025-11-25", transport: "streamable HTTP",
      offersTools: !directed.tools.isEmpty, offersPrompts: !directed.prompts.isEmpty,
      offersResources: !directed.resources.isEmpty)
  }

  func tools() async throws(ToolError) -> [Tool] {
    let directed = try reached()
    while directed.isSilent {
      guard !Task.isCancelled else { throw .cancelled }
      await Task.yield()
    }
    if directed.tools.isEmpty { throw .notOffered("tools") }
    return directed.tools
  }

  func call(_ tool: String, _ arguments: JSON) -> ToolRun {
    let part = ToolPart(
      stage: stage, tool: tool, arguments: arguments, reach: { () throws(ToolError) in _ = try reached() })
    return ToolRun(next: { () async throws(ToolError) in try await part.next() }, stop: { part.stop() })
  }

  func prompts() async throws(ToolError) -> [ToolPrompt] {
    let directed = try reached()
    if directed.prompts.isEmpty { throw .notOffered("prompts") }
    return directed.prompts.map(\.prompt)
  }

  func prompt(_ name: String, _ arguments: [String: String]) async throws(ToolError) -> [PromptMessage] {
    guard let found = try reached().prompts.first(where: { $0.prompt.name == name }) else {
      throw .refused(code: -32602, message: "unknown prompt")
    }
    return found.messages.map { message in
      guard case .text(let text) = message.content else { return message }
      let filled = arguments.reduce(text) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
      return PromptMessage(message.role, .text(filled))
    }
  }

  func resources() async throws(ToolError) -> [ToolResource] {
    let directed = try reached()
    if directed.resources.isEmpty { throw .notOffered("resources") }
    return directed.resources.map(\.resource)
  }

  func read(_ uri: String) async throws(ToolError) -> [ResourceContent] {
    guard let found = try reached().resources.first(where: { $0.resource.uri == uri }) else {
      throw .refused(code: -32002, message: "unknown resource")
    }
    return [ResourceContent(uri: uri, mimeType: found.resource.mimeType, body: found.body)]
  }

  var account: (any ToolAccount)? {
    server.platform == nil && stage.toolServer(server)?.token != nil
      ? StageToolAccount(server: server, stage: stage) : nil
  }

  func close() async { stage.with { $0.closedTools.append(server.name) } }
}

/// Signing in to a server of tools on the stage.
struct StageToolAccount: ToolAccount {
  let server: ToolServer
  let stage: Stage

  private var signedIn: SignedIn { SignedIn(person: Person(name: "anna", kind: .key), place: .keyring) }

  func signIn(token: Secret) async throws(ToolError) -> SignedIn {
    guard stage.toolServer(server)?.token == token.reveal() else {
      throw .server(.signInRefused(address: server.name, .wrongToken))
    }
    stage.changeToolServer(server) { $0.isSignedIn = true }
    return signedIn
  }

  func signIn(clientID: String?) async throws(ToolError) -> BrowserSignIn {
    if stage.toolServer(server)?.takesTokensOnly == true {
      throw .server(.signInRefused(address: server.name, .browser("nobody describes the sign-in of the server")))
    }
    return BrowserSignIn(
      url: "https://id.example/authorize?client_id=\(clientID ?? "given")", code: nil,
      finish: { () throws(BackendError) in
        stage.changeToolServer(server) { $0.isSignedIn = true }
        return signedIn
      })
  }

  func hasSignIn() async -> Bool { stage.toolServer(server)?.isSignedIn == true }

  func signOut() async throws(CredentialError) { stage.changeToolServer(server) { $0.isSignedIn = false } }
}

/// A call as it is played. Its script is taken when it is first read.
// Sendable: all state is behind the lock.
private final class ToolPart: @unchecked Sendable {
  private let stage: Stage
  private let tool: String
  private let arguments: JSON
  private let reach: @Sendable () throws(ToolError) -> Void
  private let lock = NSLock()
  private var words: ArraySlice<StageDirection.Word>?
  private var isStopped = false
  private var isInterrupted = false
  private var reply: ToolQuestion.Reply?

  init(stage: Stage, tool: String, arguments: JSON, reach: @escaping @Sendable () throws(ToolError) -> Void) {
    self.stage = stage
    self.tool = tool
    self.arguments = arguments
    self.reach = reach
  }

  func stop() { lock.withLock { isStopped = true } }

  func next() async throws(ToolError) -> ToolEvent? {
    try reach()
    begin()
    while true {
      // A call may be played before the shell can stop it: nothing more comes of one until it has.
      while lock.withLock({ isInterrupted && !isStopped }) { await Task.yield() }
      if lock.withLock({ isStopped }) { throw .cancelled }
      switch lock.withLock({ words?.popFirst() }) {
      case nil: return nil
      case .text(let text): return finished(text)
      case .plain("fails"): return finished(string(), isError: true)
      case .plain("progress"):
        let (done, total) = (Double(string()) ?? 0, Double(string()))
        return .progress(ToolProgress(done: done, total: total, message: string()))
      case .plain("log"): return .log(level: "info", text: string())
      case .plain("after"):
        let seconds = Double(string()) ?? 0
        stage.with { $0.uptime += seconds }
      case .plain("ends"):
        stage.with { $0.endingSignal = 15 }
        interrupt(.end(signal: 15))
      case .plain("asks-number"): return question(string(), .form([StageTools.unit]))
      case .plain("ctrl-c-asks"):
        // The question is on its way to the person when the key is pressed.
        interrupt(.interrupt)
        return question(string(), .form(StageTools.fields))
      case .plain("ctrl-c"): interrupt(.interrupt)
      case .plain("picture"):
        return .finished(ToolResult(content: [.image(base64: "AAAA", mimeType: "image/png")]))
      case .plain("gives"):
        let text = string()
        guard let structured = try? JSON(parsing: text) else { throw .malformed(text) }
        return .finished(ToolResult(content: [.text(text)], structured: structured))
      case .plain("asks"): return question(string(), .form(StageTools.fields))
      case .plain("asks-page"): return question(string(), .page(url: string()))
      case .plain("wait"):
        // Until the question has its answer, which the tool then gives.
        return finished(await replied())
      case .plain("error"): throw .refused(code: -32603, message: string())
      case .plain("times-out"): throw .timedOut(.silence, seconds: Double(string()) ?? 30)
      case .plain("unreachable"): throw .server(.unreachable(address: tool, reason: .refused))
      case .plain("lost"): throw .lost
      case .plain("garbled"): throw .malformed(string())
      case .plain("garbled-over-http"): throw .server(.malformed(address: tool, detail: string()))
      case .plain("endless-over-http"): throw .server(.tooLarge(address: tool, limit: string()))
      case .plain("untrusted"):
        throw .server(.untrusted(Distrust(.made(for: "https://\(tool).example", called: string()), before: .nothing)))
      case .plain("wants-sign-in"): throw .signInNeeded(url: "https://\(tool).example/mcp")
      case .plain(let word): throw .malformed("no such beat: \(word)")
      }
    }
  }

  private func interrupt(_ interruption: Interruption) {
    lock.withLock { isInterrupted = true }
    stage.interrupt(interruption)
  }

  private func question(_ message: String, _ subject: ToolQuestion.Subject) -> ToolEvent {
    .question(ToolQuestion(message: message, subject: subject) { [self] reply in lock.withLock { self.reply = reply } })
  }

  /// The answer to a question is there when the next event is asked for, or soon.
  private func replied() async -> String {
    while true {
      if let reply = lock.withLock({ reply }) {
        return switch reply {
        case .accept(let values): "accepted \(values?.serialized() ?? "")"
        case .decline: "declined"
        case .cancel: "cancelled"
        }
      }
      try? await Task.sleep(for: .milliseconds(1))  // timed: between looks
    }
  }

  private func string() -> String { lock.withLock { words?.popFirst()?.string ?? "" } }

  private func finished(_ text: String, isError: Bool = false) -> ToolEvent {
    lock.withLock { words = [] }
    return .finished(ToolResult(content: [.text(text)], isError: isError))
  }

  private func begin() {
    guard lock.withLock({ words == nil }) else { return }
    let script = stage.with { scene -> [StageDirection.Word] in
      scene.toolCalls.append((tool, arguments))
      guard scene.toolAnswers[tool]?.isEmpty == false else {
        return [.plain("error"), .text("no stage direction says what it gives")]
      }
      return scene.toolAnswers[tool]?.removeFirst() ?? []
    }
    lock.withLock { words = script[...] }
  }
}

extension StageTools {
  static let unit = FormField(
    name: "unit", isRequired: true, kind: .choice([.init("c", title: "Celsius"), .init("f", title: "Fahrenheit")]))

  /// One field of each kind.
  static let fields = [
    FormField(
      name: "city", title: "City", summary: "Where you are.", isRequired: true,
      kind: .text(shortest: 2, longest: 40, format: nil)),
    FormField(name: "days", isRequired: true, kind: .number(from: 1, to: 9, isWhole: true), standard: 3),
    FormField(name: "rain", title: "With rain?", kind: .flag),
    unit,
    FormField(name: "password", kind: .text(shortest: nil, longest: nil, format: nil)),
  ]
}

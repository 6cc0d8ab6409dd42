import Chat
package import Shell
import Store
package import Transport
import Waiting
import Wire

/// parley as an agent: serves sessions of the shell to an editor over the Agent Client Protocol (docs/acp.md 11).
///
/// What comes is dealt out by the one reader, to sessions that each do one thing after another; what goes out goes by one
/// queue, so that an answer never overtakes the updates before it.
package final class AgentServer: Sendable {
  /// The most requests of the editor that wait for an answer.
  private static let requestLimit = 256
  private static let pageSize = 50

  private struct State {
    var hasGreeted = false
    var client = JSON.null
    var sessions: [String: ServedSession] = [:]
    /// Does what is of no session.
    var lobby: ServedSession?
    var ending: Interruption?
  }

  private let channel: any RPCChannel
  private let making: ShellMaking
  private let outgoing = EventQueue<JSONRPCMessage>(room: { _ in .always })
  private let state = Locked(State())
  /// Rung when nothing more is to be served.
  private let over: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation

  package init(_ channel: any RPCChannel, _ making: ShellMaking) {
    self.channel = channel
    self.making = making
    (over, ring) = AsyncStream.makeStream()
  }

  /// Serves until the editor hangs up, or `stop`. What was under way is stopped and kept.
  package func run() async {
    let outgoing = outgoing
    let peer = RPCPeer(
      send: { (message) async throws(RPCError) in if !outgoing.put(message) { throw .closed } },
      handler: RPCHandler(
        request: { [weak self] request in self?.take(request) ?? false },
        notification: { [weak self] method, params in self?.take(method, params ?? .null) }),
      requestLimit: AgentServer.requestLimit)
    self.peer.withLock { $0 = peer }
    // This call's own: the reader waits for a file, and is left to the end of the process when we are told to stop.
    let reading = Task { [channel, ring] in
      await peer.read(channel)
      ring.yield()
    }
    let writing = Task { [channel, ring] in
      do throws(RPCError) {
        for await message in outgoing { try await channel.send(message) }
      } catch {
        // Nobody reads any more.
        outgoing.finish()
      }
      ring.yield()
    }
    for await _ in over { break }
    await end()
    outgoing.finish()
    peer.close()
    // What is written is for an editor that may not read it.
    let timer = Task { [ring] in
      try? await Task.sleep(for: .seconds(2))  // cancelled, it has ended too
      ring.yield()
    }
    for await _ in over { break }
    for task in [timer, writing, reading] { task.cancel() }
  }

  /// Ends the serving, from wherever.
  package func stop(_ interruption: Interruption) {
    state.withLock { $0.ending = interruption }
    ring.yield()
  }

  private func end() async {
    let (sessions, interruption) = state.withLock { state -> ([ServedSession], Interruption) in
      defer { (state.sessions, state.lobby) = ([:], nil) }
      return (Array(state.sessions.values) + [state.lobby].compactMap(\.self), state.ending ?? .interrupt)
    }
    await withTaskGroup(of: Void.self) { group in
      for session in sessions { group.addTask { await session.end(interruption) } }
    }
  }

  private let peer = Locked<RPCPeer?>(nil)

  private func tell(_ session: String, _ update: JSON) {
    outgoing.put(
      .notification(method: "session/update", params: ["sessionId": .string(session), "update": update]))
  }

  /// Asks the editor; nil when the question was given up.
  private func ask(_ method: String, _ params: JSON) async -> Result<JSON, RPCFailure>? {
    guard let peer = peer.withLock({ $0 }) else { return nil }
    do throws(RPCError) { return .success(try await peer.request(method, params)) } catch {
      if case .refused(let failure) = error { return .failure(failure) }
      return nil
    }
  }
}

// What comes
extension AgentServer {
  private typealias Answer = Result<JSON, RPCFailure>

  private func take(_ method: String, _ params: JSON) {
    switch method {
    case "session/cancel": session(params)?.front.interrupt()
    case "$/cancel_request":
      guard let id = params["requestId"].flatMap({ RPCID($0) }) else { return }
      let sessions = state.withLock { Array($0.sessions.values) }
      sessions.first { $0.said.withLock { $0.prompt == id } }?.front.interrupt()
    default: break
    }
  }

  /// False for a method there is not.
  private func take(_ request: RPCRequest) -> Bool {
    guard AgentServer.methods.contains(request.method) else { return false }
    do throws(RPCFailure) { try serve(request) } catch { answer(request, .failure(error)) }
    return true
  }

  private static let methods: Set<String> = [
    "initialize", "session/new", "session/load", "session/resume", "session/list", "session/close", "session/delete",
    "session/prompt", "session/set_config_option",
  ]

  private func serve(_ request: RPCRequest) throws(RPCFailure) {
    let params = request.params ?? .null
    if request.method == "initialize" { return answer(request, .success(greet(params))) }
    guard state.withLock({ $0.hasGreeted }) else {
      throw RPCFailure(code: RPCFailure.invalidRequest, message: "initialize comes first")
    }
    switch request.method {
    case "session/new": begin(request, try SessionPlace(params, isFolder: making.isFolder))
    case "session/load": try takeUp(request, params, replays: true)
    case "session/resume": try takeUp(request, params, replays: false)
    case "session/list": list(request, params)
    case "session/close": close(request, params, forgets: false)
    case "session/delete": close(request, params, forgets: true)
    case "session/prompt": try prompt(request, params)
    default: try choose(request, params)
    }
  }

  /// The answer's own task: a handler must not wait, and sending does not.
  private func answer(_ request: RPCRequest, _ answer: Answer) { Task { await request.answer(answer) } }

  private func session(_ params: JSON) -> ServedSession? {
    guard let id = params["sessionId"]?.string else { return nil }
    return state.withLock { $0.sessions[id] }
  }

  private func required(_ params: JSON) throws(RPCFailure) -> (String, ServedSession) {
    guard let id = params["sessionId"]?.string, let session = state.withLock({ $0.sessions[id] }) else {
      throw RPCFailure(
        code: ErrorCode.notFound, message: "no session '\(params["sessionId"]?.string ?? "")' is open here")
    }
    return (id, session)
  }

  private func greet(_ params: JSON) -> JSON {
    let client = params["clientCapabilities"] ?? .null
    state.withLock { state in
      state.hasGreeted = true
      state.client = client
    }
    var signIns: [JSON] = []
    if client["auth"]?["terminal"] == true {
      signIns.append([
        "id": "terminal", "name": "Sign in on a terminal", "type": "terminal", "args": ["/login"],
        "description": "Signs in to the server in use",
      ])
    }
    return [
      "protocolVersion": 1,
      "agentCapabilities": [
        "loadSession": true, "promptCapabilities": ["image": false, "audio": false, "embeddedContext": true],
        "mcpCapabilities": ["http": false, "sse": false],
        "sessionCapabilities": ["list": [:], "resume": [:], "close": [:], "delete": [:]],
      ],
      "authMethods": .array(signIns),
      "agentInfo": [
        "name": .string(Program.name), "title": .string(Program.name), "version": .string(making.version),
      ],
    ]
  }
}

// Sessions
extension AgentServer {
  private func make(_ id: String, _ place: SessionPlace) -> ServedSession {
    let front = SessionFront(making.terminal) { [weak self] update in self?.tell(id, update) }
    let person = SessionPerson(front: front, session: id) { [weak self] method, params in
      await self?.ask(method, params)
    }
    return ServedSession(front) { [making] in
      var shell = making.make(place, front, person, front)
      shell.begin(as: SessionID(id))
      shell.lend(place.toolServers)
      return shell
    }
  }

  private func begin(_ request: RPCRequest, _ place: SessionPlace) {
    let id = SessionID.random().text
    let session = make(id, place)
    state.withLock { $0.sessions[id] = session }
    session.perform { [self] shell in
      await shell.meet(onlyKept: true)
      let options = SessionOptions.list(shell)
      session.said.withLock { $0.options = options }
      await request.answer(.success(["sessionId": .string(id), "configOptions": options]))
      tell(id, SessionUpdate.commands(Shell.servedCommands))
      await meet(&shell, id, session)
    }
  }

  /// A server that is only known by its address is asked what it is, and has what to choose then.
  private func meet(_ shell: inout Shell, _ id: String, _ session: ServedSession) async {
    await shell.meet(onlyKept: false)
    tellChanges(&shell, id, session)
  }

  private func takeUp(_ request: RPCRequest, _ params: JSON, replays: Bool) throws(RPCFailure) {
    let place = try SessionPlace(params, isFolder: making.isFolder)
    guard let id = params["sessionId"]?.string else { throw .invalid("sessionId is missing") }
    let known = state.withLock { $0.sessions[id] }
    let session = known ?? make(id, place)
    state.withLock { $0.sessions[id] = session }
    session.perform { [self] shell in
      do throws(ShellError) {
        let turns = try await shell.takeUp(SessionID(id))
        if replays { for turn in turns { for update in SessionUpdate.replay(turn) { tell(id, update) } } }
        let options = SessionOptions.list(shell)
        session.said.withLock { said in
          said.options = options
          said.name = shell.sessionName
        }
        await request.answer(.success(["configOptions": options]))
        tell(id, SessionUpdate.commands(Shell.servedCommands))
      } catch {
        if known == nil { drop(id, session) }
        await request.answer(.failure(RPCFailure(code: ErrorCode.notFound, message: Complaint(error).text.string)))
      }
    }
  }

  /// The session's end is waited for by a task of its own: it may be this one's.
  private func drop(_ id: String, _ session: ServedSession) {
    state.withLock { $0.sessions[id] = nil }
    Task { await session.end() }
  }

  private func close(_ request: RPCRequest, _ params: JSON, forgets: Bool) {
    guard let id = params["sessionId"]?.string else {
      return answer(request, .failure(.invalid("sessionId is missing")))
    }
    let session = state.withLock { $0.sessions.removeValue(forKey: id) }
    // What was under way is stopped, and over before the answer.
    lobby().perform { shell in
      await session?.end()
      guard forgets else { return await request.answer(.success([:])) }
      do throws(ShellError) {
        try await shell.forget(SessionID(id))
        await request.answer(.success([:]))
      } catch {
        await request.answer(.failure(TurnResult.failure(Complaint(error))))
      }
    }
  }

  private func lobby() -> ServedSession {
    let made = make("", SessionPlace())
    return state.withLock { state in
      let lobby = state.lobby ?? made
      state.lobby = lobby
      return lobby
    }
  }

  /// Sessions of ours are of no folder: each is of the one that is asked for.
  private func list(_ request: RPCRequest, _ params: JSON) {
    let folder = params["cwd"]?.string ?? "/"
    let offset = params["cursor"]?.string.flatMap { Int($0) } ?? 0
    lobby().perform { shell in
      do throws(ShellError) {
        let page = try await shell.sessions(AgentServer.pageSize + 1, offset: max(0, offset))
        var answer: JSON = [
          "sessions": .array(
            page.prefix(AgentServer.pageSize).map { summary in
              [
                "sessionId": .string(summary.id.text), "cwd": .string(folder), "title": .string(summary.name),
                "updatedAt": .string(CivilTime(summary.updatedAt / 1000).iso),
              ]
            })
        ]
        if page.count > AgentServer.pageSize { answer["nextCursor"] = .string("\(offset + AgentServer.pageSize)") }
        await request.answer(.success(answer))
      } catch {
        await request.answer(.failure(TurnResult.failure(Complaint(error))))
      }
    }
  }
}

// Turns
extension AgentServer {
  private func prompt(_ request: RPCRequest, _ params: JSON) throws(RPCFailure) {
    let (id, session) = try required(params)
    guard let prompt = PromptText(params["prompt"] ?? .null) else {
      throw .invalid("a block of a kind that this agent does not take")
    }
    let isCommand = Shell.isServedCommand(prompt.text)
    guard session.front.begin(isCommand: isCommand) else {
      throw RPCFailure(code: RPCFailure.invalidRequest, message: "this session is still at another prompt")
    }
    session.said.withLock { $0.prompt = request.id }
    session.perform { [self] shell in
      if !session.front.isStopped {
        if isCommand {
          _ = await shell.handle(prompt.text)
        } else {
          await shell.say(await read(prompt, for: id).whole)
        }
      }
      let end = session.front.end()
      session.said.withLock { $0.prompt = nil }
      tellChanges(&shell, id, session)
      await request.answer(end)
    }
  }

  /// Files that are only mentioned are read by the editor, which knows what is not saved yet.
  private func read(_ prompt: PromptText, for session: String) async -> PromptText {
    var prompt = prompt
    let canRead = state.withLock { $0.client["fs"]?["readTextFile"] == true }
    for link in prompt.links {
      var content: String?
      if canRead, let path = PromptText.path(of: link.uri) {
        let answer = await ask("fs/read_text_file", ["sessionId": .string(session), "path": .string(path)])
        if case .success(let json)? = answer { content = json["content"]?.string }
      }
      prompt.attach(content, from: link.uri)
    }
    return prompt
  }

  /// What can be chosen, and what the session is called, where that is not what was last said.
  private func tellChanges(_ shell: inout Shell, _ id: String, _ session: ServedSession) {
    let (options, name) = (SessionOptions.list(shell), shell.sessionName)
    let before = session.said.withLock { said in
      defer { (said.options, said.name) = (options, name) }
      return said
    }
    if before.options != options { tell(id, SessionUpdate.options(options)) }
    if before.name != name {
      tell(id, SessionUpdate.info(title: name, updatedAt: CivilTime(making.now() / 1000).iso))
    }
  }

  /// While a turn is under way the choice holds from the next one on, and is confirmed at once.
  private func choose(_ request: RPCRequest, _ params: JSON) throws(RPCFailure) {
    let (id, session) = try required(params)
    let option = params["configId"]?.string ?? ""
    let list = session.said.withLock { $0.options } ?? []
    guard let value = params["value"]?.string, SessionOptions.has(value, of: option, list) else {
      throw .invalid("there is no such choice")
    }
    let isBusy = session.front.isBusy
    if isBusy {
      let wanted = SessionOptions.choosing(value, of: option, list)
      session.said.withLock { $0.options = wanted }
      answer(request, .success(["configOptions": wanted]))
    }
    session.perform { [self] shell in
      do throws(ShellError) {
        try await SessionOptions.choose(value, of: option, &shell)
        if isBusy { return tellChanges(&shell, id, session) }
        let options = SessionOptions.list(shell)
        session.said.withLock { $0.options = options }
        await request.answer(.success(["configOptions": options]))
      } catch {
        // Said already, where it is busy: what is chosen now is told.
        tellChanges(&shell, id, session)
        await request.answer(.failure(TurnResult.failure(Complaint(error))))
      }
    }
  }
}

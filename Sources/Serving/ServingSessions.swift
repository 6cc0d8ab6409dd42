import Chat
import Shell
import Store
import Text
import Transport
import Wire

/// Sessions: begun, taken up, listed, closed (docs/acp.md 11).
extension AgentServer {
  private func make(_ id: String, _ place: SessionPlace) -> ServedSession {
    let editor = EditorTerminal(making.terminal) { [weak self] update in self?.tell(id, update) }
    let person = EditorPerson(terminal: editor, session: id) { [weak self] method, params in
      await self?.ask(method, params)
    }
    for name in place.leftOut {
      editor.write(
        .text("MCP server \(name) is no program and is left out: /tools add NAME URL adds it to parley\n"), to: .notices
      )
    }
    return ServedSession(id, editor) { [making] in
      var shell = making.make(place, editor, person)
      shell.begin(as: SessionID(id), lent: place.servers.map(\.server))
      return shell
    }
  }

  /// So many sessions may be open: each has files of its own.
  private static let mostSessions = 200

  private func open(_ id: String, _ place: SessionPlace) throws(RPCFailure) -> ServedSession {
    let session = make(id, place)
    let isTaken = state.withLock { state in
      let mayOpen = state.sessions[id] != nil || state.sessions.count < AgentServer.mostSessions
      if mayOpen { state.sessions[id] = session }
      return mayOpen
    }
    guard isTaken else {
      session.finish()
      throw RPCFailure(
        code: RPCFailure.internalError, message: "\(AgentServer.mostSessions) sessions are open: close some")
    }
    return session
  }

  func begin(_ request: RPCRequest, _ params: JSON) throws(RPCFailure) {
    let place = try SessionPlace(params, isFolder: making.isFolder)
    let id = SessionID.random().text
    let session = try open(id, place)
    try session.perform { [self] shell in
      shell.sayWarnings()
      await shell.takeServer(onlyKept: true)
      answerOpened(request, id, session, shell, with: ["sessionId": .string(id)])
      await meet(&shell, id, session)
    }
  }

  /// What can be chosen comes with the answer, what can be typed behind it.
  private func answerOpened(
    _ request: RPCRequest, _ id: String, _ session: ServedSession, _ shell: Shell, with fields: JSON = [:]
  ) {
    let options = session.note(Shell.Option.allCases.map(shell.offer)).options
    _ = session.note(name: shell.sessionName)
    var result = fields
    result["configOptions"] = SessionOptions.json(options)
    answer(request, .success(result))
    tell(id, SessionUpdate.commands(Shell.servedCommands))
  }

  /// A server that is only known by its address is asked what it is, and has what to choose then.
  private func meet(_ shell: inout Shell, _ id: String, _ session: ServedSession) async {
    await shell.takeServer(onlyKept: false)
    tellChanges(shell, id, session)
  }

  /// What can be chosen, and what the session is called, where that is not what was last said.
  func tellChanges(_ shell: Shell, _ id: String, _ session: ServedSession) {
    let (options, isNew) = session.note(Shell.Option.allCases.map(shell.offer))
    if isNew { tell(id, SessionUpdate.options(SessionOptions.json(options))) }
    if session.note(name: shell.sessionName) {
      tell(id, SessionUpdate.info(title: shell.sessionName, updatedAt: CivilTime(making.now() / 1000).iso))
    }
  }

  /// Loads or resumes a session. An open session with the same id is replaced, because the editor may name another folder
  /// and other tool servers; it stays open if loading fails.
  func takeUp(_ request: RPCRequest, _ params: JSON, replays: Bool) throws(RPCFailure) {
    let (place, id) = (try SessionPlace(params, isFolder: making.isFolder), try params.sessionID)
    let before = state.withLock { $0.sessions[id] }
    if before?.editor.isBusy == true {
      throw RPCFailure(code: RPCFailure.invalidRequest, message: "this session is at a prompt")
    }
    if before?.isOpening == true {
      throw RPCFailure(code: RPCFailure.invalidRequest, message: "this session is being opened")
    }
    let leaving = leaving(id)
    let session = try open(id, place)
    session.isOpening = true
    // What was under way in it is told and kept before it is read.
    try session.perform(after: leaving) { [self] shell in
      do throws(ShellError) {
        shell.sayWarnings()
        let turns = try await takeUp(id, in: &shell, after: before)
        // Before the answer: the next request may come at once.
        session.isOpening = false
        await shell.takeServer(onlyKept: true)
        for turn in replays ? turns : [] { for update in SessionUpdate.replay(turn) { tell(id, update) } }
        answerOpened(request, id, session, shell)
        await meet(&shell, id, session)
      } catch {
        await giveUp(session, for: before)
        session.isOpening = false
        answer(
          request, .failure(RPCFailure(code: ACPCode.notFound, message: Complaint(error).text.string)))
      }
    }
  }

  /// Waits for the end of the replaced session, then returns the turns of the loaded one.
  private func takeUp(
    _ id: String, in shell: inout Shell, after before: ServedSession?
  ) async throws(ShellError) -> [Turn] {
    var turns: [Turn] = []
    do throws(ShellError) { turns = try await shell.takeUp(SessionID(id)) } catch {
      // A session without messages is not in the history: the shell has started a new one with the same id.
      guard case .unknown(.session, _, _) = error, before?.isBlank == true else { throw error }
    }
    guard let before else { return turns }
    leave(before)
    await before.end()
    // Its end may have given it a title.
    return turns.isEmpty ? [] : try await shell.takeUp(SessionID(id))
  }

  /// Closes a session that could not be loaded, and reopens the session that it replaced.
  private func giveUp(_ session: ServedSession, for before: ServedSession?) async {
    let isBack = state.withLock { state in
      guard let before, state.sessions[session.id] === session, before.isOpen else { return false }
      state.sessions[session.id] = before
      return true
    }
    leave(session)
    guard !isBack, let before, before.isOpen else { return }
    // The session was closed meanwhile, or everything ends.
    leave(before)
    await before.end()
  }

  /// Ends a session, which is not waited for.
  private func leave(_ session: ServedSession, _ last: @escaping ServedSession.Job = { _ in }) {
    state.withLock { state in
      if state.sessions[session.id] === session { state.sessions[session.id] = nil }
      state.leaving.append(session)
    }
    session.finish(.interrupt, last)
    // The server's: it forgets the session when that is over.
    Task { [self] in
      await session.end()
      state.withLock { $0.leaving.removeAll { $0 === session } }
    }
  }

  /// What was under way is stopped, and over before the answer.
  func close(_ request: RPCRequest, _ params: JSON, forgets: Bool) throws(RPCFailure) {
    let id = try params.sessionID
    let job: ServedSession.Job = { [self] shell in
      do throws(ShellError) {
        if forgets { try await shell.forget(SessionID(id)) }
        answer(request, .success([:]))
      } catch {
        answer(request, .failure(PromptAnswer.failure(Complaint(error))))
      }
    }
    if let session = state.withLock({ $0.sessions[id] }) {
      leave(session, job)
    } else {
      try lobby().perform(after: leaving(id), job)
    }
  }

  /// Those of a name that are closed, and perhaps not over.
  private func leaving(_ id: String) -> [ServedSession] { state.withLock { $0.leaving.filter { $0.id == id } } }

  private func lobby() -> ServedSession {
    state.withLock { state in
      if let lobby = state.lobby { return lobby }
      let lobby = make("", SessionPlace())
      state.lobby = lobby
      return lobby
    }
  }

  /// Sessions of ours are of no folder: each is of the one that is asked for.
  func list(_ request: RPCRequest, _ params: JSON) throws(RPCFailure) {
    let folder = params["cwd"]?.string ?? "/"
    guard folder.hasPrefix("/") else { throw .invalid("cwd is to be an absolute path") }
    let page = try Page(cursor: params["cursor"])
    try lobby().perform { [self] shell in
      do throws(ShellError) {
        let found = try await shell.sessions(Page.size + 1, offset: page.offset)
        var result: JSON = ["sessions": .array(found.prefix(Page.size).map { $0.info(in: folder) })]
        if found.count > Page.size { result["nextCursor"] = .string(page.next) }
        answer(request, .success(result))
      } catch {
        answer(request, .failure(PromptAnswer.failure(Complaint(error))))
      }
    }
  }
}

/// A part of the list of sessions; a cursor is where it begins.
private struct Page {
  static let size = 50

  let offset: Int
  var next: String { "\(offset + Page.size)" }

  init(cursor: JSON?) throws(RPCFailure) {
    switch cursor {
    case nil, .null?: offset = 0
    case .string(let text)?:
      guard let offset = Int(text), (0...Int.max / 2).contains(offset) else { throw .invalid("that is no cursor") }
      self.offset = offset
    default: throw .invalid("that is no cursor")
    }
  }
}

extension SessionSummary {
  fileprivate func info(in folder: String) -> JSON {
    [
      "sessionId": .string(id.text), "cwd": .string(folder), "title": .string(Filter.inline(name).string),
      "updatedAt": .string(CivilTime(updatedAt / 1000).iso),
    ]
  }
}

import Chat
import Transport
import Wire

/// The agent's conversations (docs/acp.md 3).
extension ACPAgent {
  /// The agent's name for a conversation of ours, on this line: the one it has, or had, or a new one.
  func session(for request: ChatRequest, on line: ACPLine) async throws(BackendError) -> String {
    let (name, isOpen) = known.withLock { known -> (String?, Bool) in
      let name = known.names[request.conversation] ?? request.remoteConversation
      return (name, name.flatMap { known.conversations[$0]?.isOpen } ?? false)
    }
    if let name, isOpen {
      known.withLock { known in
        known.current = name
        known.names[request.conversation] = name
      }
      return name
    }
    if let name, try await resume(name, for: request.conversation, on: line) { return name }
    return try await new(for: request.conversation, on: line)
  }

  func enter(_ conversation: String, known name: String?) async throws(BackendError) {
    let request = ChatRequest(model: nil, messages: [], conversation: conversation, remoteConversation: name)
    // What a bridge tells of it, as the connection begins, is of this conversation.
    if isAway, let name { known.withLock { $0.names[conversation] = name } }
    _ = try await session(for: request, on: try await line())
  }

  func begin(_ conversation: String) async throws(BackendError) {
    let line = try await line()
    let before = known.withLock { $0.current }
    _ = try await new(for: conversation, on: line)
    await close(before, on: line)
  }

  func fork(for conversation: String) async throws(BackendError) {
    let line = try await line()
    let (current, canFork) = known.withLock { ($0.current, $0.facts?.canFork ?? false) }
    guard canFork else { throw .notOffered("sessions that branch") }
    guard let current else { throw .notOffered("a branch of no session") }
    known.withLock { $0.isOpening = true }
    defer { endOpening() }
    let answer: JSON
    do throws(BackendError) {
      answer = try await line.request(
        "session/fork", ["sessionId": .string(current), "cwd": .string(folder), "mcpServers": []])
    } catch { throw withSignIns(error) }
    guard let name = answer["sessionId"]?.string, !name.isEmpty, name != current else {
      throw .malformed(address: server.name, detail: "a branch without a name")
    }
    settle(name, for: conversation, answer, .resumed)
  }

  func forget(_ name: String) async throws(BackendError) {
    let line = try await line()
    guard known.withLock({ $0.facts?.canDelete }) == true else { throw .notOffered("to forget a session") }
    _ = try await line.request("session/delete", ["sessionId": .string(name)])
    known.withLock { known in
      known.conversations[name] = nil
      known.names = known.names.filter { $0.value != name }
      if known.current == name { known.current = nil }
    }
  }

  /// Has an agent of this machine let go of a session that is not gone on with; that it does not is no failure. One behind
  /// a bridge has others who may be in it.
  private func close(_ session: String?, on line: ACPLine) async {
    guard let session, !isAway, known.withLock({ $0.facts?.canClose == true && $0.current != session }) else { return }
    _ = try? await line.timed("session/close", ["sessionId": .string(session)])
    known.withLock { $0.conversations[session]?.isOpen = false }
  }

  private func new(for conversation: String, on line: ACPLine) async throws(BackendError) -> String {
    let unclaimed = known.withLock { known -> String? in
      guard let name = known.unclaimed else { return nil }
      known.unclaimed = nil
      known.names[conversation] = name
      known.current = name
      return name
    }
    if let unclaimed { return unclaimed }
    known.withLock { $0.isOpening = true }
    defer { endOpening() }
    let answer: JSON
    do throws(BackendError) {
      answer = try await line.request("session/new", ["cwd": .string(folder), "mcpServers": []])
    } catch { throw withSignIns(error) }
    guard let name = answer["sessionId"]?.string, !name.isEmpty else {
      throw .malformed(address: server.name, detail: "a conversation without a name")
    }
    settle(name, for: conversation, answer, .new)
    return name
  }

  /// Takes a conversation up again, however long its past is; false when the agent does not have it any more, or cannot.
  /// What it tells of the past is ours already.
  private func resume(_ name: String, for conversation: String, on line: ACPLine) async throws(BackendError) -> Bool {
    guard let facts = known.withLock({ $0.facts }), facts.canResume || facts.canLoad else { return false }
    known.withLock { known in
      known.isOpening = true
      known.replayed = name
    }
    defer { endOpening() }
    let params: JSON = ["sessionId": .string(name), "cwd": .string(folder), "mcpServers": []]
    let method = facts.canResume ? "session/resume" : "session/load"
    // A bridge tells nothing of the past, so this takes no longer than anything else.
    let answer = isAway ? try await line.timed(method, params) : await line.ask(method, params)
    switch answer {
    case .success(let answer):
      settle(name, for: conversation, answer, .resumed)
      return true
    case .failure(.refused(let failure)) where failure.isSessionGone || failure.code == RPCFailure.methodNotFound:
      return false
    case .failure(let error): throw withSignIns(await line.failure(error))
    }
  }

  private func endOpening() {
    known.withLock { known in
      known.isOpening = false
      known.replayed = nil
      known.early = []
    }
  }

  private func settle(
    _ name: String, for conversation: String, _ answer: JSON, _ opening: ACPConversation.Opening
  ) {
    known.withLock { known in
      var begun = ACPConversation(fold: ACPFold(isNew: opening == .new), opening: opening)
      begun.shown.options = [AgentOption](settings: answer)
      for update in known.early where update.session == name { _ = begun.fold.take(update.update, &begun.shown) }
      known.conversations[name] = begun
      known.names[conversation] = name
      known.current = name
    }
  }

  /// Which ways there are to sign in was said at the beginning.
  func withSignIns(_ error: BackendError) -> BackendError {
    guard case .agentSignIn(let message, _) = error else { return error }
    return .agentSignIn(message: message, known.withLock { $0.shown.signIns })
  }

  func conversations() async throws(BackendError) -> [AgentConversation]? {
    let line = try await line()
    guard known.withLock({ $0.facts?.canList }) == true else { return nil }
    var found: [AgentConversation] = []
    var cursor: JSON?
    var seen: Set<String> = []
    while true {
      var params: JSON = [:]
      if let cursor { params["cursor"] = cursor }
      let page: JSON
      do throws(BackendError) { page = try await line.request("session/list", params) } catch {
        throw withSignIns(error)
      }
      found += (page["sessions"]?.array ?? []).compactMap { AgentConversation($0) }
      // An agent may have pages without end.
      guard let next = page["nextCursor"]?.string, seen.insert(next).inserted, seen.count < 200 else { return found }
      cursor = .string(next)
    }
  }

  func set(_ option: AgentOption.ID, to value: String) async throws(BackendError) {
    let line = try await line()
    let (name, isFlag) = known.withLock { known in
      (known.current, known.state.options.first { $0.id == option }?.isFlag ?? false)
    }
    guard let name else { return }
    let (method, params) = option.request(session: name, value: value, isFlag: isFlag)
    let answer: JSON
    do throws(BackendError) { answer = try await line.request(method, params) } catch { throw withSignIns(error) }
    known.withLock { known in
      guard var shown = known.conversations[name]?.shown else { return }
      if !shown.options.take(settings: answer), let index = shown.options.firstIndex(where: { $0.id == option }) {
        shown.options[index].value = value
      }
      known.conversations[name]?.shown = shown
    }
  }
}

extension AgentConversation {
  /// nil without a name.
  fileprivate init?(_ json: JSON) {
    guard let id = json.text("sessionId") else { return nil }
    self.init(id: id, folder: json.text("cwd"), title: json.text("title"), updatedAt: json.text("updatedAt"))
  }
}

import Chat
import Transport
import Wire

/// Messages to an agent, one at a time (docs/acp.md 4).
extension ACPAgent {
  func answer(_ request: ChatRequest) -> Answer {
    let turn = ACPTurn(request)
    return Answer(
      next: { () async throws(BackendError) in try await self.next(of: turn) }, stop: { self.stop(turn) })
  }

  private func next(of turn: ACPTurn) async throws(BackendError) -> ChatEvent? {
    turn.state.withLock { state in
      // The agent's: a turn that nobody waits for any more goes on until the agent has ended it.
      if state.task == nil, state.stop == .none { state.task = Task { await self.run(turn) } }
    }
    return try await turn.next()
  }

  /// An agent that talks faster than it is read waits.
  func waitForReader() async {
    while let turn = known.withLock({ $0.turn }), turn.isFull { await surroundings.clock.sleep(0.02) }
  }

  private func run(_ turn: ACPTurn) async {
    do throws(BackendError) {
      try await waitForEarlier(turn)
      var (answer, line) = try await ask(turn)
      // The agent was started anew before the message had left: the new one is asked.
      if isAway, turn.stop == .none, case .failure(.neverSent) = answer { (answer, line) = try await ask(turn) }
      try await conclude(turn, answer, line)
    } catch {
      finish(turn, withSignIns(error))
    }
  }

  private func ask(_ turn: ACPTurn) async throws(BackendError) -> (Result<JSON, RPCError>, ACPLine) {
    let line = try await line()
    let session = try await session(for: turn.request, on: line)
    try announce(session, of: turn)
    // The turn's: it ends with it.
    let watching = isAway ? Task { await self.watch(turn, on: line) } : nil
    defer { watching?.cancel() }
    let prompt = ACPPrompt(turn.request, for: known.withLock { $0.facts }, isAway: isAway)
    turn.put(prompt.leftOut.map { .notice(.leftOut(file: $0)) })
    return (await line.ask("session/prompt", prompt.params(session: session)), line)
  }

  /// One message at a time: the agent may still be at one that was stopped.
  private func waitForEarlier(_ turn: ACPTurn) async throws(BackendError) {
    while let earlier = known.withLock({ $0.turn }) {
      if earlier.stop != .none { turn.put([.notice(.stillBusy)]) }
      let task = earlier.state.withLock { $0.task }
      await task?.value
      if turn.stop != .none { throw .cancelled }
      known.withLock { if $0.turn === earlier { $0.turn = nil } }
    }
  }

  /// Makes it the turn that what comes is of.
  private func announce(_ session: String, of turn: ACPTurn) throws(BackendError) {
    let opening = known.withLock { known -> ACPConversation.Opening?? in
      let mayAsk = turn.state.withLock { state -> Bool in
        guard state.stop == .none else { return false }
        state.isAsked = true
        state.session = session
        return true
      }
      guard mayAsk else { return nil }
      known.turn = turn
      known.isAskedElsewhere = false
      known.allowed = ACPAllowed()
      known.conversations[session]?.fold.beginTurn()
      defer { known.conversations[session]?.opening = nil }
      return .some(known.conversations[session]?.opening)
    }
    guard let opening else { throw .cancelled }
    turn.put([.started(model: nil), .conversation(id: session)])
    let hasPast = turn.request.messages.contains { $0.role == .assistant }
    switch opening {
    case nil: break
    case .new: if hasPast { turn.put([.notice(.newConversation)]) }
    case .resumed: turn.put([.notice(.resumedConversation)])
    }
  }

  private func conclude(
    _ turn: ACPTurn, _ answer: Result<JSON, RPCError>, _ line: ACPLine
  ) async throws(BackendError) {
    let stop = turn.stop
    let isBroken =
      switch answer {
      case .success(let json): ACPStop(json).isCancelled
      case .failure(.refused): false
      case .failure: true
      }
    let (rest, cost) = known.withLock { known -> ([ChatEvent], Double?) in
      guard let session = turn.session, var conversation = known.conversations[session] else { return ([], nil) }
      let cost = conversation.fold.cost
      let rest = conversation.fold.endTurn(wasStopped: stop != .none, isBroken: isBroken)
      known.conversations[session] = conversation
      return (rest, cost)
    }
    if stop != .abandoned { turn.put(rest) }
    switch answer {
    case .success(let json):
      let end = ACPStop(json, cost: cost)
      // An agent that ended as it was stopped may say so, or not.
      if end.isCancelled || stop != .none { throw .cancelled }
      // Before its end is read: the next message comes at once.
      known.withLock { if $0.turn === turn { $0.turn = nil } }
      turn.put(end.events)
      turn.end(nil)
    case .failure(let error):
      if stop != .none { throw .cancelled }
      if turn.isLost { throw .mayNotHaveArrived }
      throw await line.failure(error)
    }
  }

  private func finish(_ turn: ACPTurn, _ error: BackendError) {
    known.withLock { if $0.turn === turn { $0.turn = nil } }
    turn.end(error)
  }

  /// The first time the agent is asked to stop; the second time it is not waited for any more; and a message that waits
  /// for an earlier one ends the agent, which does not listen (docs/acp.md 4).
  private func stop(_ turn: ACPTurn) {
    let (before, state) = turn.state.withLock { state -> (ACPTurn.Stop, ACPTurn.State) in
      let before = state.stop
      state.stop = before == .none && state.isAsked ? .asked : .abandoned
      return (before, state)
    }
    guard state.isAsked, let session = state.session else {
      return stopWaiting(turn, state.task)
    }
    guard before == .none else { return turn.end(.cancelled) }
    let (line, isCutOff) = known.withLock { known -> (ACPLine?, Bool) in
      let isCutOff = known.shown.connection == .reconnecting
      if isCutOff { known.stopsToTell.insert(session) }
      return (known.line, isCutOff)
    }
    // The line's: it is told whatever becomes of who stopped, and before what it asks is answered.
    Task {
      do throws(RPCError) {
        // Without a connection it is told as the next begins, before anything else.
        if !isCutOff { try await line?.peer.notify("session/cancel", ["sessionId": .string(session)]) }
      } catch {
        // A line that is gone has nobody to tell.
      }
      self.answerAll(of: session, .cancel)
      // What runs for it stops too; its output can still be asked for.
      let runs = self.known.withLock { Array($0.terminals.running.values) }
      for run in runs { await run.kill() }
    }
    guard isCutOff else { return abandon(turn, after: 5) }
    // There is nobody to wait for, and what has not left yet is not to leave.
    turn.end(.cancelled)
    state.task?.cancel()
  }

  /// A person is not kept waiting by an agent that does not stop.
  private func abandon(_ turn: ACPTurn, after seconds: Double) {
    let clock = surroundings.clock
    // The turn's: it does nothing when that has ended.
    Task {
      await clock.sleep(seconds)
      turn.state.withLock { $0.stop = .abandoned }
      turn.end(.cancelled)
    }
  }

  private func stopWaiting(_ turn: ACPTurn, _ task: Task<Void, Never>?) {
    let earlier = known.withLock { $0.turn }
    turn.end(.cancelled)
    task?.cancel()
    guard let earlier, earlier !== turn else { return }
    // Its own: it ends by itself, and the turns that waited with it.
    Task { await self.close() }
  }
}

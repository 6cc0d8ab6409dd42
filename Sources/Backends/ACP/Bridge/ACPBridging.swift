import Chat
import Transport
import Wire

/// An agent behind a bridge: what becomes of its connection, and what the bridge says itself (docs/acp.md 10).
extension ACPAgent {
  func bridge(at address: BridgeAddress, _ endpoint: Endpoint) async throws(BackendError) -> any ACPWay {
    let dial = BridgeDial(
      address: address, endpoint: endpoint, sockets: surroundings.sockets, client: surroundings.deviceName(),
      offer: question, folder: folder)
    let call = try await dial.call()
    known.withLock { $0.standing = call.arrival }
    return BridgeWay(dial, begun: call) { [weak self] in self?.take($0) ?? [] }
  }

  /// - Returns: what the agent is told before anything else.
  private func take(_ change: BridgeWay.Change) -> [JSONRPCMessage] {
    switch change {
    case .lost:
      known.withLock { known in
        known.shown.connection = .reconnecting
        known.turn?.put([.notice(.connectionLost)])
      }
      return []
    case .madeAgain(let arrival, isSame: false):
      beginAnew(arrival)
      return []
    case .madeAgain(let arrival, isSame: true):
      let (turn, stops) = known.withLock { known -> (ACPTurn?, Set<String>) in
        known.shown.connection = .connected
        known.open(arrival)
        known.turn?.put([.notice(.connectedAgain)])
        defer { known.stopsToTell = [] }
        // Whoever asked it to stop just before the connection was lost may not have been heard.
        let stopped = known.turn.flatMap { $0.stop == .none ? nil : $0.session }
        return (known.turn, known.stopsToTell.union([stopped].compactMap(\.self)))
      }
      if let turn {
        turn.state.withLock { $0.doubts += 1 }
        doubt(turn)
      }
      return stops.sorted().map { .notification(method: "session/cancel", params: ["sessionId": .string($0)]) }
    }
  }

  /// The agent is another process, which knows no session and has been asked nothing.
  private func beginAnew(_ arrival: BridgeDial.Arrival) {
    let (line, asked) = known.withLock { known -> (ACPLine?, [ACPOpenQuestion]) in
      let asked = Array(known.questions.values)
      known.questions = [:]
      known.conversations = [:]
      known.isAskedElsewhere = false
      known.stopsToTell = []
      known.meet(ACPFacts(arrival.hello), signIns: known.shown.signIns)
      known.open(arrival)
      return (known.line, asked)
    }
    for question in asked { question.answer(.cancel) }
    line?.peer.failRequests()
  }

  /// A message of which nothing has been heard by then was lost with the connection, as far as anybody can tell: it is
  /// not sent twice. One that has arrived may have lost its answer, and the person is told that nothing comes.
  private func doubt(_ turn: ACPTurn) {
    let (clock, patience) = (surroundings.clock, surroundings.timeouts.request)
    let (doubts, heard) = turn.state.withLock { ($0.doubts, $0.heard) }
    // The turn's: it does nothing when that has ended, or the connection was lost again.
    Task {
      await clock.sleep(patience)
      let (task, isQuiet) = turn.state.withLock { state -> (Task<Void, Never>?, Bool) in
        guard state.isAsked, state.doubts == doubts else { return (nil, false) }
        guard !state.hasArrived else { return (nil, state.heard == heard) }
        state.isLost = true
        return (state.task, false)
      }
      task?.cancel()
      if isQuiet { turn.put([.notice(.nothingHeard)]) }
    }
  }

  /// A bridge does not say that its agent has died: it finds that out when it has something to tell it, and then closes
  /// the connection. So it is given something after each long silence, which no agent minds: the first that it passes
  /// on fails unseen, the second shows (docs/acp.md 10).
  func watch(_ turn: ACPTurn, on line: ACPLine) async {
    let clock = surroundings.clock
    while !Task.isCancelled {
      let heard = turn.heard
      await clock.sleep(2 * surroundings.timeouts.request)
      for pause in [1.0, 0] where !Task.isCancelled && turn.heard == heard {
        // A line that has ended says so by itself.
        try? await line.peer.notify("_\(Program.name)/still_there")
        await clock.sleep(pause)
      }
    }
  }

  /// What a bridge says itself; its methods have no underscore, against the rule of the protocol.
  func takeFromBridge(_ method: String, _ params: JSON) {
    guard method == "bridge/remoteUserMessage" else { return log("\(method) \(params.serialized())") }
    let text = BridgeEcho.text(of: params["content"] ?? .null)
    let mayBeOurs = params["senderId"]?.string == surroundings.deviceName()
    known.withLock { known in
      // Two shells of one installation have one name.
      if mayBeOurs, let turn = known.turn, turn.isAwaitingEcho(of: text) {
        known.isAskedElsewhere = false
        turn.noteArrival()
      } else {
        if known.turn == nil { known.isAskedElsewhere = true }
        known.news.add(.askedElsewhere(text))
      }
    }
  }

  /// Whether a request of the agent's is for another device to answer, which has heard it too: the first answer counts.
  func isForAnother(_ params: JSON) -> Bool {
    guard isAway else { return false }
    return known.withLock { known in
      guard let session = params["sessionId"]?.string else { return known.turn == nil }
      // One that was opened and never gone into is somebody else's.
      return known.turn?.session != session && !known.names.values.contains(session)
    }
  }
}

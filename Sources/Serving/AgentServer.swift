import Chat
package import Shell
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
  /// For so many seconds, at the end, an editor may read what is left.
  private static let farewell = 2.0

  struct State {
    /// nil before the greeting.
    var client: Client?
    var sessions: [String: ServedSession] = [:]
    /// Closed, and perhaps not over.
    var leaving: [ServedSession] = []
    /// Does what is of no session.
    var lobby: ServedSession?
    /// Set at the end: nothing begins any more.
    var ending: Interruption?
  }

  let making: ShellMaking
  let state = Locked(State())
  private let channel: any RPCChannel
  private let outgoing = EventQueue<JSONRPCMessage>(room: { _ in .always })
  private let peer = Locked<RPCPeer?>(nil)
  /// Finished when nothing more is to be served.
  private let served: AsyncStream<Void>
  private let finishServing: AsyncStream<Void>.Continuation

  package init(_ channel: any RPCChannel, _ making: ShellMaking) {
    self.channel = channel
    self.making = making
    (served, finishServing) = AsyncStream.makeStream()
  }

  /// How the serving ended.
  package enum End: Sendable {
    case hangUp
    case stopped(Interruption)
    /// A message came that is longer than what is read, in bytes.
    case tooLong(limit: Int)
  }

  /// Serves until the editor hangs up, or `stop`. What was under way is stopped and kept.
  package func run() async -> End {
    let outgoing = outgoing
    let peer = RPCPeer(
      send: { (message) async throws(RPCError) in if !outgoing.put(message) { throw .closed } },
      handler: RPCHandler(
        request: { [weak self] request in self?.take(request) ?? false },
        notification: { [weak self] method, params in self?.take(method, params ?? .null) }),
      requestLimit: AgentServer.requestLimit)
    self.peer.withLock { $0 = peer }
    // This call's own, both: the reader waits for a file, and is left to the end of the process when we are told to stop.
    let reading = Task { [finishServing] in
      let end = await read(for: peer)
      finishServing.finish()
      return end
    }
    let (written, finishWriting) = AsyncStream.makeStream(of: Void.self)
    let writing = Task { [channel, finishServing] in
      do throws(RPCError) {
        for await message in outgoing { try await channel.send(message) }
      } catch {
        // Nobody reads any more.
        outgoing.finish()
      }
      finishServing.finish()
      finishWriting.finish()
    }
    for await _ in served {}
    // Before its sessions end: what they ask has nobody to answer it.
    let interruption = state.withLock { $0.ending }
    peer.close()
    await end()
    outgoing.finish()
    // Whoever reads no more is not waited for.
    _ = await within(AgentServer.farewell, pause: making.pause) { () async throws(Never) in
      for await _ in written {}
    }
    writing.cancel()
    reading.cancel()
    if let interruption { return .stopped(interruption) }
    return await reading.value
  }

  private func read(for peer: RPCPeer) async -> End {
    do throws(RPCError) {
      while let line = try await channel.receive() {
        // Nobody prints where an editor writes: what cannot be read was meant for us, and is waited for.
        if case .junk = line {
          outgoing.put(
            .error(id: nil, RPCFailure(code: RPCFailure.parseError, message: "this is no JSON that can be read")))
        } else {
          await peer.receive(line)
        }
      }
      return .hangUp
    } catch {
      if case .tooLong(let limit) = error { return .tooLong(limit: limit) }
      return .hangUp
    }
  }

  /// Ends the serving, from wherever.
  package func stop(_ interruption: Interruption) {
    state.withLock { $0.ending = $0.ending ?? interruption }
    finishServing.finish()
  }

  private func end() async {
    let (open, leaving, interruption) = state.withLock { state in
      let ending = state.ending ?? .interrupt
      defer { (state.sessions, state.leaving, state.lobby, state.ending) = ([:], [], nil, ending) }
      return (Array(state.sessions.values) + [state.lobby].compactMap(\.self), state.leaving, ending)
    }
    for session in open { session.finish(interruption) }
    for session in open + leaving { await session.end() }
  }
}

// What goes out
extension AgentServer {
  func tell(_ session: String, _ update: JSON) {
    outgoing.put(.notification(method: "session/update", params: ["sessionId": .string(session), "update": update]))
  }

  /// Answers a request; what was told before goes before it.
  func answer(_ request: RPCRequest, _ answer: Result<JSON, RPCFailure>) {
    request.passOver()
    switch answer {
    case .success(let result): outgoing.put(.response(id: request.id, result: result))
    case .failure(let failure): outgoing.put(.error(id: request.id, failure))
    }
  }

  /// Asks the editor; nil when the question was given up.
  func ask(_ method: String, _ params: JSON) async -> Result<JSON, RPCFailure>? {
    guard let peer = peer.withLock({ $0 }) else { return nil }
    let id = peer.nextID()
    do throws(RPCError) { return .success(try await peer.request(method, params, id: id)) } catch {
      switch error {
      case .refused(let failure): return .failure(failure)
      // A question that nobody waits for is not to stay on the screen.
      case .cancelled: outgoing.put(.notification(method: "$/cancel_request", params: ["requestId": id.json]))
      default: break
      }
      return nil
    }
  }
}

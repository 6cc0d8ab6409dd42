import Chat
import Transport
import Waiting
import Wire

/// The conversation in JSON-RPC with an agent, by whatever way (docs/acp.md 1).
final class ACPLine: Sendable {
  /// The most requests of an agent that wait for an answer: as many commands may be waited for, and more be asked.
  private static let requestLimit = 48

  let number: Int
  let peer: RPCPeer
  let way: any ACPWay
  private let timeouts: Timeouts
  private let clock: TimeSource
  /// This line's own: it goes on between requests, until the way ends or is ended.
  private let reading = Locked<Task<Void, Never>?>(nil)
  private let whenFull: @Sendable () async -> Void
  private let whenOver: @Sendable () -> Void

  /// - Parameters:
  ///   - whenFull: returns when more can be taken: what is not read waits at the agent (docs/rules.md A7).
  ///   - whenOver: called once, when nothing more comes.
  init(
    _ number: Int, by way: any ACPWay, _ surroundings: Surroundings, _ handler: RPCHandler,
    whenFull: @escaping @Sendable () async -> Void, whenOver: @escaping @Sendable () -> Void
  ) {
    self.number = number
    self.way = way
    timeouts = surroundings.timeouts
    clock = surroundings.clock
    let peer = RPCPeer(
      send: { (message) async throws(RPCError) in try await way.send(message) }, handler: handler,
      requestLimit: ACPLine.requestLimit, prefix: way.prefix)
    self.peer = peer
    self.whenFull = whenFull
    self.whenOver = whenOver
  }

  /// Takes what has come so far, and reads on from then.
  func begin() async {
    for line in way.early { await peer.receive(line) }
    let (way, peer, whenFull, whenOver) = (way, peer, whenFull, whenOver)
    reading.withLock { reading in
      reading = Task {
        await ACPLine.read(way, for: peer, whenFull)
        whenOver()
        // What is not spoken with any more is not left running.
        await way.close()
      }
    }
  }

  private static func read(
    _ way: any ACPWay, for peer: RPCPeer, _ whenFull: @Sendable () async -> Void
  ) async {
    do throws(RPCError) {
      while let line = try await way.receive() {
        await peer.receive(line)
        await whenFull()
      }
      peer.close()
    } catch {
      peer.close(error)
    }
  }

  /// Asks within the time that a request may take.
  func request(_ method: String, _ params: JSON) async throws(BackendError) -> JSON {
    switch try await timed(method, params) {
    case .success(let answer): return answer
    case .failure(let error): throw await failure(error)
    }
  }

  /// The same, with what the agent makes of it: throws when there is no answer in time.
  func timed(_ method: String, _ params: JSON) async throws(BackendError) -> Result<JSON, RPCError> {
    let answer = await within(timeouts.request, pause: clock.sleep) { [self] in await ask(method, params) }
    guard let answer else {
      if Task.isCancelled { throw .cancelled }
      throw .timedOut(address: way.name, .request, seconds: timeouts.request)
    }
    return answer
  }

  /// Asks for something that may take as long as it takes: a turn.
  func ask(_ method: String, _ params: JSON) async -> Result<JSON, RPCError> {
    do throws(RPCError) { return .success(try await peer.request(method, params)) } catch { return .failure(error) }
  }

  /// What a failed request means; of a way that has ended, how it did.
  func failure(_ error: RPCError) async -> BackendError {
    switch error {
    case .refused(let failure): return BackendError(failure, masked: way.masked)
    case .cancelled: return .cancelled
    case .unreadable: return .malformed(address: way.name, detail: "an answer that cannot be read")
    case .tooLong(let limit): return .tooLarge(address: way.name, limit: "\(limit >> 20) MiB")
    case .closed, .neverSent, .unsent: return await way.end()
    }
  }

  var log: String { way.log }

  /// Ends the way and all that came of it.
  func close() async {
    peer.close()
    await way.close()
    reading.withLock { $0 }?.cancel()
  }
}

extension BackendError {
  /// What befell the program.
  init(starting error: ToolError) {
    switch error {
    case .notStarted(let program, let reason): self = .notStarted(program: program, reason: reason)
    case .exited(let program, let status, let words):
      self = .exited(program: program, status: status, lastWords: words)
    case .cancelled: self = .cancelled
    default: self = .failed(message: "\(error)")
    }
  }

  /// What the agent refused, in its words.
  init(_ failure: RPCFailure, masked: (String) -> String) {
    self =
      switch failure.code {
      case ACPCode.authRequired: .agentSignIn(message: masked(failure.words), [])
      case ACPCode.cancelled: .cancelled
      default: .failed(message: masked(failure.words))
      }
  }
}

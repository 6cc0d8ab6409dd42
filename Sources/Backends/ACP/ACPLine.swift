import Chat
import Transport
import Waiting
import Wire

/// An agent's program and the conversation in JSON-RPC with it (docs/acp.md 1).
final class ACPLine: Sendable {
  /// What `session/prompt` may bring in one message: an embedded file or picture (docs/acp.md 1).
  private static let lineLimit = 64 << 20

  /// The most requests of an agent that wait for an answer: as many commands may be waited for, and more be asked.
  private static let requestLimit = 48

  let number: Int
  let peer: RPCPeer
  private let channel: StdioChannel
  private let timeouts: Timeouts
  private let clock: TimeSource
  /// This line's own: it goes on between requests, until the program ends or is ended.
  private let reading: Task<Void, Never>

  /// Starts the program.
  /// - Parameters:
  ///   - whenFull: returns when more can be taken: what is not read waits at the agent (docs/rules.md A7).
  ///   - whenOver: called once, when nothing more comes.
  init(
    _ number: Int, _ address: ACPAddress, _ surroundings: Surroundings, _ handler: RPCHandler,
    whenFull: @escaping @Sendable () async -> Void, whenOver: @escaping @Sendable () -> Void
  ) async throws(BackendError) {
    self.number = number
    timeouts = surroundings.timeouts
    clock = surroundings.clock
    do throws(ToolError) {
      channel = try await StdioChannel(
        command: address.command, passing: address.passing, environment: surroundings.environment,
        children: surroundings.children, in: address.folder ?? surroundings.folder, lineLimit: ACPLine.lineLimit)
    } catch {
      throw BackendError(starting: error)
    }
    let channel = channel
    let peer = RPCPeer(
      send: { (message) async throws(RPCError) in try await channel.send(message) }, handler: handler,
      requestLimit: ACPLine.requestLimit)
    self.peer = peer
    reading = Task {
      await ACPLine.read(channel, for: peer, whenFull)
      whenOver()
      // What is not spoken with any more is not left running.
      await channel.close()
    }
  }

  private static func read(
    _ channel: StdioChannel, for peer: RPCPeer, _ whenFull: @Sendable () async -> Void
  ) async {
    do throws(RPCError) {
      while let line = try await channel.receive() {
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
    let answer: JSON?
    do throws(RPCError) {
      answer = try await within(timeouts.request, pause: clock.sleep) { [peer] () throws(RPCError) in
        try await peer.request(method, params)
      }
    } catch { throw await failure(error) }
    guard let answer else {
      if Task.isCancelled { throw .cancelled }
      throw .timedOut(address: channel.name, .request, seconds: timeouts.request)
    }
    return answer
  }

  /// Asks for something that may take as long as it takes: a turn.
  func ask(_ method: String, _ params: JSON) async -> Result<JSON, RPCError> {
    do throws(RPCError) { return .success(try await peer.request(method, params)) } catch { return .failure(error) }
  }

  /// What a failed request means; of a program that has ended, how it did.
  func failure(_ error: RPCError) async -> BackendError {
    switch error {
    case .refused(let failure): return BackendError(failure)
    case .cancelled: return .cancelled
    case .unreadable: return .malformed(address: channel.name, detail: "an answer that cannot be read")
    case .tooLong(let limit): return .tooLarge(address: channel.name, limit: "\(limit >> 20) MiB")
    case .closed, .neverSent, .unsent: return BackendError(starting: await channel.exit())
    }
  }

  var log: String { channel.log }

  /// Ends the program and all that came of it.
  func close() async {
    peer.close()
    await channel.close()
    reading.cancel()
  }
}

extension BackendError {
  /// What befell the program.
  fileprivate init(starting error: ToolError) {
    switch error {
    case .notStarted(let program, let reason): self = .notStarted(program: program, reason: reason)
    case .exited(let program, let status, let words):
      self = .exited(program: program, status: status, lastWords: words)
    case .cancelled: self = .cancelled
    default: self = .failed(message: "\(error)")
    }
  }

  /// What the agent refused, in its words.
  init(_ failure: RPCFailure) {
    self =
      switch failure.code {
      case ACPCode.authRequired: .agentSignIn(message: failure.words, [])
      case ACPCode.cancelled: .cancelled
      default: .failed(message: failure.words)
      }
  }
}

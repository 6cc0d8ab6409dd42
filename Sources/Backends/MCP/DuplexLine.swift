import Chat
import Transport
import Waiting
import Wire

/// A server whose messages all come on one channel: a program's standard output, or the stream of 2024-11-05.
struct DuplexLine: MCPLine {
  let era: MCPVerdict.Era
  let transport: MCPVerdict.Transport
  let hello: MCPHello?
  private let duplex: Duplex
  /// Why the channel ended, when more is known than that it did.
  private let reason: @Sendable () async -> ToolError?

  private init(
    _ era: MCPVerdict.Era, _ transport: MCPVerdict.Transport, _ hello: MCPHello?, _ duplex: Duplex,
    _ reason: @escaping @Sendable () async -> ToolError?
  ) {
    self.era = era
    self.transport = transport
    self.hello = hello
    self.duplex = duplex
    self.reason = reason
  }

  func carry(_ request: MCPRequest, id: Int, into inbox: Inbox) async {
    let message = era == .modern ? ModernWire.message(request, id: id) : LegacyWire.message(request, id: id)
    guard case .request(_, let method, let params) = message else { return }
    do throws(MCPFault) {
      inbox.put(.result(try await DuplexLine.ask(duplex, method, params, id: id, reason)))
    } catch {
      inbox.put(.ended(error))
    }
  }

  func cancel(_ id: Int) async {
    guard case .notification(let method, let params) = LegacyWire.cancelled(id) else { return }
    // A channel that does not take it any more has ended, and the request with it.
    try? await duplex.peer.notify(method, params)
  }

  func close() async { await duplex.close() }

  private static func ask(
    _ duplex: Duplex, _ method: String, _ params: JSON?, id: Int, _ reason: @Sendable () async -> ToolError?
  ) async throws(MCPFault) -> JSON {
    do throws(RPCError) {
      return try await duplex.peer.request(method, params, id: .int(id))
    } catch {
      switch error {
      case .refused(let failure): throw .refused(failure)
      case .neverSent: throw .sessionGone(await reason() ?? .lost)
      case .cancelled: throw .failed(.cancelled)
      case .unreadable: throw .failed(.malformed("an answer that cannot be read"))
      case .closed:
        if let reason = await reason() { throw .failed(reason) }
        throw .cut
      case .tooLong(let limit): throw .failed(.malformed("more than \(limit >> 20) MiB in a message"))
      case .unsent(let error):
        if let fault = error as? MCPFault { throw fault }
        throw .cut
      }
    }
  }
}

// Beginning.
extension DuplexLine {
  /// Seconds of silence after which a program is taken for one of the era before (docs/mcp.md 2).
  static let discoverWait = 10.0

  /// What a conversation is begun with.
  struct Beginning: Sendable {
    var transport: MCPVerdict.Transport
    var board: CallBoard
    var clock: TimeSource
    /// Seconds that `initialize` may take; a program may have to start first.
    var patience: Double
    var wait: ToolError.Wait { transport == .stdio ? .start : .request }
    var reason: @Sendable () async -> ToolError? = { nil }
  }

  /// Asks with `initialize` on a channel that has just been opened.
  static func initialize(_ duplex: Duplex, _ beginning: Beginning) async throws(MCPFault) -> DuplexLine {
    guard
      case .request(let id, let method, let params) = LegacyWire.initialize(id: beginning.board.nextID()),
      case .int(let number) = id
    else { throw .cut }
    let result = try await within(beginning.patience, pause: beginning.clock.sleep) { () async throws(MCPFault) in
      try await ask(duplex, method, params, id: number, beginning.reason)
    }
    guard let result else {
      throw .failed(Task.isCancelled ? .cancelled : .timedOut(beginning.wait, seconds: beginning.patience))
    }
    let version = try MCPVersion.agreed(in: result)
    do throws(RPCError) {
      try await duplex.peer.notify("notifications/initialized")
    } catch { throw .cut }
    return DuplexLine(
      .legacy, beginning.transport, MCPHello(legacy: result, version: version), duplex, beginning.reason)
  }

  /// Asks in the way of the era after first; nil when the server is one of the era before.
  static func discover(_ duplex: Duplex, _ beginning: Beginning) async throws(MCPFault) -> DuplexLine? {
    let id = beginning.board.nextID()
    guard case .request(_, let method, let params) = ModernWire.message(MCPRequest("server/discover"), id: id) else {
      return nil
    }
    let era: MCPEra
    do throws(MCPFault) {
      let result = try await within(min(discoverWait, beginning.patience), pause: beginning.clock.sleep) {
        () async throws(MCPFault) in
        try await ask(duplex, method, params, id: id, beginning.reason)
      }
      if result == nil, Task.isCancelled { throw .failed(.cancelled) }
      era = result.map { MCPEra(discovered: $0) } ?? .legacy
    } catch {
      guard case .refused(let failure) = error else { throw error }
      era = MCPEra(failure)
    }
    switch era {
    case .modern(let hello): return DuplexLine(.modern, beginning.transport, hello, duplex, beginning.reason)
    case .noSharedVersion(let theirs): throw .failed(.noSharedVersion(theirs: theirs))
    case .legacy, .nothing: return nil
    }
  }
}

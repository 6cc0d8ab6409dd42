import Chat
import Transport
import Waiting
import Wire

/// A connection to terminals of an editor: messages of JSON, for one terminal or for all (docs/terminals.md 8).
final class CodeServerWire: TerminalWire {
  enum Scope: Equatable {
    case ofOne
    case ofAll(terminal: String)
  }

  private struct State {
    /// What was said before, until it is told.
    var past: WireNotice?
    /// What was said while it was found out how it speaks.
    var first: WireNotice?
    /// Whether its messages are bare text.
    var isBare = false
    /// The keys of a line that is not whole: such a server adds Enter to whatever it is sent.
    var line: [UInt8] = []
    var held: [UInt8] = []
    var status: Int?
  }

  /// RFC 6455, section 7.4.1: what was said was against the rules, here a wrong key.
  private static let violation = 1008
  /// Seconds for a greeting.
  private static let patience = 1.0

  private let socket: any WebSocket
  private let failures: Failures
  private let scope: Scope
  private let state: Locked<State>

  init(_ socket: any WebSocket, _ failures: Failures, _ scope: Scope, past: WireNotice) {
    self.socket = socket
    self.failures = failures
    self.scope = scope
    state = Locked(State(past: past))
  }

  /// Finds out how the server of one terminal speaks: one that knows messages greets at once. Nothing may be typed before.
  func meet(_ clock: TimeSource) async throws(TerminalError) {
    let socket = socket
    let greeting: [UInt8]??
    do throws(TransportError) {
      greeting = try await within(CodeServerWire.patience, pause: clock.sleep) { () async throws(TransportError) in
        try await socket.receive()
      }
    } catch {
      // What the reader says when its time is up.
      guard error == .cancelled, !Task.isCancelled else { throw failed(error) }
      return state.withLock { $0.isBare = true }
    }
    guard case .some(.some(let message)) = greeting else { return state.withLock { $0.isBare = true } }
    let isBare = (try? JSON(parsing: message))?["type"]?.string == nil
    state.withLock { $0.isBare = isBare }
    let first = notice(message)
    state.withLock { $0.first = first }
  }

  func next() async throws(TerminalError) -> WireNotice? {
    if let past = state.withLock({ $0.past.take() ?? $0.first.take() }) { return past }
    while true {
      let message: [UInt8]?
      do throws(TransportError) { message = try await socket.receive() } catch { throw failed(error) }
      guard let message else { return try end() }
      if let notice = notice(message) { return notice }
    }
  }

  private func end() throws(TerminalError) -> WireNotice? {
    guard socket.closeCode != CodeServerWire.violation else {
      throw .server(.unauthorized(address: failures.address, message: "its key is another"))
    }
    // The one tells the end of a terminal so; the other hangs up for other reasons.
    return scope == .ofOne && socket.closeCode != nil ? .ended(status: state.withLock { $0.status }) : nil
  }

  private func notice(_ message: [UInt8]) -> WireNotice? {
    let json = try? JSON(parsing: message)
    if state.withLock({ $0.isBare }) { return .output(message) }
    guard let json else { return nil }
    let body = scope == .ofOne ? json : json["payload"] ?? .null
    switch (json["type"]?.string, scope) {
    case ("output", .ofOne): return .output(Array((body["data"]?.string ?? "").utf8))
    case ("terminal.output", .ofAll(let terminal)) where body["terminalId"]?.string == terminal:
      return .output(Array((body["data"]?.string ?? "").utf8))
    case ("status", .ofOne):
      guard body["status"]?["active"]?.bool == false else { return nil }
      let status = body["status"]?["exitCode"]?.int
      state.withLock { $0.status = status }
      return .ended(status: status)
    default: return nil
    }
  }

  func type(_ keys: [UInt8]) async throws(TerminalError) {
    let pieces = state.withLock { state -> [String] in
      let all = state.held + keys
      let whole = all.wholeCharacters
      state.held = Array(all[whole...])
      guard scope != .ofOne else { return [String(decoding: all[..<whole], as: UTF8.self)] }
      state.line += all[..<whole]
      var lines: [String] = []
      while let end = state.line.firstIndex(where: { $0 == 0x0D || $0 == 0x03 }) {
        lines.append(String(decoding: state.line[...end], as: UTF8.self))
        state.line.removeFirst(end + 1)
      }
      return lines
    }
    for text in pieces where !text.isEmpty { try await say(text) }
  }

  private func say(_ text: String) async throws(TerminalError) {
    switch scope {
    case .ofOne where state.withLock({ $0.isBare }): try await send(Array(text.utf8))
    case .ofOne: try await send(["type": "input", "data": .string(text)])
    case .ofAll(let terminal):
      try await send("terminal.input", ["terminalId": .string(terminal), "data": .string(text)])
    }
  }

  func resize(columns: Int, rows: Int) async throws(TerminalError) {
    switch scope {
    case .ofOne where state.withLock({ $0.isBare }): break
    case .ofOne: try await send(["type": "resize", "cols": .int(columns), "rows": .int(rows)])
    // It stores the numbers alone.
    case .ofAll: break
    }
  }

  private func send(_ type: String, _ payload: JSON) async throws(TerminalError) {
    try await send(["id": .string(Unguessable.text()), "type": .string(type), "timestamp": .int(0), "payload": payload])
  }

  private func send(_ json: JSON) async throws(TerminalError) { try await send(json.bytes()) }

  private func send(_ bytes: [UInt8]) async throws(TerminalError) {
    do throws(TransportError) { try await socket.send(bytes) } catch { throw failed(error) }
  }

  func close() { socket.close() }

  private func failed(_ error: TransportError) -> TerminalError {
    error == .cancelled ? .cancelled : .server(failures.transport(error, during: .request))
  }
}

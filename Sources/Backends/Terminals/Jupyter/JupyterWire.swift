import Chat
import Transport
import Waiting
import Wire

/// A terminal of Jupyter's: each message is an array whose first item says what it is (docs/terminals.md 5).
final class JupyterWire: TerminalWire {
  private let socket: any WebSocket
  private let failures: Failures
  /// Whether the first output has come, which is all that was said before where there is any.
  private let hasReplayed = Locked(false)
  /// The beginning of a character whose rest was not typed yet.
  private let held = Locked<[UInt8]>([])

  init(_ socket: any WebSocket, _ failures: Failures) {
    self.socket = socket
    self.failures = failures
  }

  func next() async throws(TerminalError) -> WireNotice? {
    while true {
      let message: [UInt8]?
      do throws(TransportError) { message = try await socket.receive() } catch { throw failed(error) }
      guard let message else { return nil }
      if let notice = notice(message) { return notice }
    }
  }

  private func notice(_ message: [UInt8]) -> WireNotice? {
    // What is no array is nothing that a terminal says.
    guard let (kind, bytes) = message.withUnsafeBufferPointer({ try? JupyterWire.parts(of: $0) }) else { return nil }
    switch kind {
    case "stdout":
      let isFirst = hasReplayed.withLock { has in
        defer { has = true }
        return !has
      }
      return isFirst ? .replay(bytes) : .output(bytes)
    case "disconnect": return .ended(status: nil)
    default: return nil
    }
  }

  /// The first item, and the bytes of the second where that is a string: much goes through here.
  private static func parts(
    of message: UnsafeBufferPointer<UInt8>
  ) throws(JSON.Failure) -> (kind: String, bytes: [UInt8]) {
    var reader = JSONReader(message)
    var bytes: [UInt8] = []
    try reader.beginArray()
    guard try reader.nextElement(), try reader.kind() == .string else { return ("", []) }
    let kind = try reader.string()
    if try reader.nextElement(), try reader.kind() == .string {
      bytes.reserveCapacity(message.count)
      try reader.appendString(to: &bytes)
    }
    return (kind, bytes)
  }

  func type(_ keys: [UInt8]) async throws(TerminalError) {
    let text = held.withLock { held in
      let all = held + keys
      let whole = all.wholeCharacters
      held = Array(all[whole...])
      return String(decoding: all[..<whole], as: UTF8.self)
    }
    if !text.isEmpty { try await say(.array([.string("stdin"), .string(text)])) }
  }

  func resize(columns: Int, rows: Int) async throws(TerminalError) {
    try await say(.array([.string("set_size"), .int(rows), .int(columns), .int(0), .int(0)]))
  }

  private func say(_ json: JSON) async throws(TerminalError) {
    do throws(TransportError) { try await socket.send(json.bytes()) } catch { throw failed(error) }
  }

  func close() { socket.close() }

  private func failed(_ error: TransportError) -> TerminalError {
    error == .cancelled ? .cancelled : .server(failures.transport(error, during: .request))
  }
}

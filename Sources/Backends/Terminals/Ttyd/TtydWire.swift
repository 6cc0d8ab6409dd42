import Chat
import Transport
import Wire

/// A connection to ttyd: the first byte of each message says what it is. Its end is the end of what runs there.
final class TtydWire: TerminalWire {
  /// RFC 6455, section 7.4.1: nothing was wrong; what was said was against the rules, here a wrong token.
  private static let (normal, violation) = (1000, 1008)

  private let socket: any WebSocket
  private let failures: Failures

  init(_ socket: any WebSocket, _ failures: Failures) {
    self.socket = socket
    self.failures = failures
  }

  func next() async throws(TerminalError) -> WireNotice? {
    while true {
      let message: [UInt8]?
      do throws(TransportError) { message = try await socket.receive() } catch {
        throw error == .cancelled ? .cancelled : .server(failures.transport(error, during: .request))
      }
      guard let message else {
        if socket.closeCode == TtydWire.violation {
          throw .server(.unauthorized(address: failures.address, message: "it does not take the token that it gave"))
        }
        return .ended(status: socket.closeCode == TtydWire.normal ? 0 : nil)
      }
      // Titles and preferences are for a page.
      if message.first == UInt8(ascii: "0") { return .output(Array(message.dropFirst())) }
    }
  }

  func type(_ keys: [UInt8]) async throws(TerminalError) { try await say([UInt8(ascii: "0")] + keys) }

  func resize(columns: Int, rows: Int) async throws(TerminalError) {
    let size: JSON = ["columns": .int(columns), "rows": .int(rows)]
    try await say([UInt8(ascii: "1")] + size.bytes())
  }

  private func say(_ message: [UInt8]) async throws(TerminalError) {
    do throws(TransportError) { try await socket.send(message) } catch {
      throw error == .cancelled ? .cancelled : .server(failures.transport(error, during: .request))
    }
  }

  func close() { socket.close() }
}

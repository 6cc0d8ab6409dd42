import Chat
import Foundation
import Transport
import Wire

/// The transport of 2024-11-05 (docs/mcp.md 6): messages are sent to an address of their own, and all answers
/// come on one stream.
// Sendable: the stream has one reader; the address is read and written under the lock only.
final class SSEChannel: RPCChannel, @unchecked Sendable {
  private let door: MCPDoor
  private var stream: MCPStream
  private let lock = NSLock()
  /// Where messages may have to be sent, the first that works.
  private var addresses: [String]

  init(_ stream: MCPStream, door: MCPDoor, addresses: [String]) {
    self.stream = stream
    self.door = door
    self.addresses = addresses
  }

  /// Where messages go, given what the stream named; nil for another origin.
  ///
  /// A server behind a platform does not know what its address begins with there, so its path is tried below the tool's
  /// own address first (docs/kamiwaza.md 6.4).
  static func addresses(_ endpoint: String, of url: String, isPlatforms: Bool) -> [String]? {
    guard let resolved = URLJoining.resolve(endpoint, against: url), Origin(url: resolved) == Origin(url: url),
      Origin(url: url) != nil
    else { return nil }
    guard isPlatforms, endpoint.hasPrefix("/"), !endpoint.hasPrefix("//"), URLJoining.path(of: url, endsIn: ["/sse"])
    else { return [resolved] }
    let base = String(URLJoining.trimmed(String(url.prefix { $0 != "?" })).dropLast("/sse".count))
    let joined = base + endpoint.trimmingBlanks
    return joined == resolved || resolved.hasPrefix(base + "/") ? [resolved] : [joined, resolved]
  }

  func send(_ message: JSONRPCMessage) async throws(RPCError) {
    do throws(MCPFault) {
      while let address = lock.withLock({ addresses.first }) {
        var request = door.post(message, to: address)
        request.headersTimeout = door.timeouts.request
        let response = try await sent(request)
        let stream = MCPStream(response, door: door)
        defer { stream.close() }
        if 200..<300 ~= response.status { return }
        guard response.status == 404, dropped(address) else {
          let error = door.failure(response.status, try await stream.rest())
          // A bad session is a dead one (docs/mcp.md 6).
          throw [400, 404].contains(response.status) ? .sessionGone(error) : .failed(error)
        }
      }
    } catch {
      throw .unsent(error)
    }
  }

  /// What is not confirmed in time may have arrived all the same.
  private func sent(_ request: HTTPRequest) async throws(MCPFault) -> HTTPResponse {
    do throws(MCPFault) {
      return try await door.send(request).response
    } catch {
      if case .failed(.server(.timedOut(_, .request, _))) = error { throw .cut }
      throw error
    }
  }

  /// Gives up an address, and says whether there is another.
  private func dropped(_ address: String) -> Bool {
    lock.withLock {
      if addresses.count > 1, addresses.first == address { addresses.removeFirst() }
      return addresses.first != address
    }
  }

  func receive() async throws(RPCError) -> JSONLines.Line? {
    do throws(MCPFault) {
      return try await stream.next().map { .message($0) }
    } catch {
      switch error {
      case .cut, .failed(.cancelled): return nil
      default: throw .unsent(error)
      }
    }
  }

  func close() async { stream.close() }
}

import Chat
import Transport
import Wire

/// An answer with what came of it, for the requests that find out how a server is spoken with.
struct Collected: Sendable {
  var status: Int
  /// Where it was given, after redirects.
  var url: String
  var session: String?
  var location: String?
  /// The answer of the protocol, whatever its status.
  var message: JSONRPCMessage?
  /// The body where it is no answer of the protocol.
  var bytes: [UInt8] = []

  var result: JSON? { if case .response(_, let result) = message { result } else { nil } }
  var failure: RPCFailure? { if case .error(_, let failure) = message { failure } else { nil } }
  /// A page of a web site: nothing of the protocol is behind it.
  var isPage: Bool { HTMLPage(bytes) != nil }

  /// The error of the protocol in the body of an error.
  static func failure(in bytes: [UInt8]) -> (id: RPCID, error: RPCFailure)? {
    do throws(MCPAnswerReader.Failure) {
      guard case .error(let id, let failure) = try MCPAnswerReader.messages(bytes).last, failure.code != 0 else {
        return nil
      }
      return (id ?? .null, failure)
    } catch { return nil }
  }
}

extension MCPDoor {
  /// Sends a message and waits for the answer, within the time-out of a request.
  func ask(
    _ message: JSONRPCMessage, at url: String, _ headers: [(name: String, value: String)] = []
  ) async throws(MCPFault) -> Collected {
    let deadline = clock.now() + timeouts.request
    var request = post(message, to: url, headers)
    request.headersTimeout = timeouts.request
    let (response, url) = try await send(request)
    var stream = MCPStream(response, door: self)
    defer { stream.close() }
    var collected = Collected(
      status: response.status, url: url, session: response[header: "mcp-session-id"],
      location: response[header: "location"])
    guard 200..<300 ~= response.status, response.status != 202 else {
      collected.bytes = try await stream.rest()
      if let failure = Collected.failure(in: collected.bytes) {
        collected.message = .error(id: failure.id, failure.error)
      }
      return collected
    }
    do throws(MCPFault) {
      while let message = try await stream.next(timeout: max(0, deadline - clock.now())) {
        switch message {
        case .response, .error:
          collected.message = message
          return collected
        default: break
        }
      }
    } catch {
      // What cannot be read is no answer of the protocol; what it is, is told from its start.
      guard case .failed(.server(let reason)) = error, reason.isUnreadable else { throw error }
    }
    collected.bytes = stream.reader.whole
    return collected
  }
}

import Chat
import Transport
import Wire

/// The modern wire over HTTP: a POST for each request, and nothing between them (docs/mcp.md 1).
struct ModernHTTP: MCPLine {
  let door: MCPDoor
  let url: String
  let hello: MCPHello?

  var era: MCPVerdict.Era { .modern }
  var transport: MCPVerdict.Transport { .streamable }

  func carry(_ request: MCPRequest, id: Int, into inbox: Inbox) async {
    do throws(MCPFault) {
      let message = ModernWire.message(request, id: id)
      let (response, _) = try await door.send(door.post(message, to: url, ModernWire.headers(request)))
      var stream = MCPStream(response, door: door)
      defer { stream.close() }
      guard 200..<300 ~= response.status else { throw try await refusal(stream) }
      while let message = try await stream.next() {
        if deliver(message, id, to: inbox) { return }
      }
      throw .cut
    } catch {
      inbox.put(.ended(error))
    }
  }

  /// Puts a message into the inbox, and says whether it was the last.
  private func deliver(_ message: JSONRPCMessage, _ id: Int, to inbox: Inbox) -> Bool {
    switch message {
    case .response(let answered, let result) where answered.number == id: inbox.put(.result(result))
    case .error(let answered, let failure) where answered == nil || answered?.number == id: inbox.put(.refused(failure))
    case .notification(let method, let params):
      inbox.put(.notice(method: method, params: params ?? .null))
      return false
    // On this wire servers send no requests (docs/mcp.md 1).
    default: return false
    }
    return true
  }

  /// Errors come with a status of their own on this wire; without one of its codes it is another that is spoken.
  private func refusal(_ stream: MCPStream) async throws(MCPFault) -> MCPFault {
    let bytes = try await stream.rest()
    let status = stream.response.status
    guard let failure = Collected.failure(in: bytes) else {
      let error = door.failure(status, bytes, location: stream.response[header: "location"])
      return [400, 404, 405, 406].contains(status) ? .otherEra(error) : .failed(error)
    }
    switch failure.id {
    case .string("server-error") where failure.error.code == RPCFailure.invalidRequest:
      return .otherEra(door.refusal(failure.error))
    default:
      return failure.error.code == MCPCode.versionUnsupported
        ? .otherEra(door.refusal(failure.error)) : .refused(failure.error)
    }
  }

  /// Closing the stream is the cancel (docs/mcp.md 1).
  func cancel(_ id: Int) async {}

  func close() async {}
}

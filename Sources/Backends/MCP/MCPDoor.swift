import Chat
import Transport
import Wire

/// Sends what goes to a server of tools: signed, and to its own origin only.
struct MCPDoor: Sendable {
  /// The most redirects of one request (docs/rules.md N2).
  private static let redirectLimit = 3

  let http: any HTTP
  let signer: any MCPSigner
  let timeouts: Timeouts
  let clock: TimeSource
  /// The address that the person or the platform gave.
  let address: String

  /// A POST of a message.
  func post(_ message: JSONRPCMessage, to url: String, _ headers: [(name: String, value: String)] = []) -> HTTPRequest {
    var request = HTTPRequest(
      "POST", url,
      headers: [
        (name: "Content-Type", value: "application/json"),
        (name: "Accept", value: "application/json, text/event-stream"),
      ], body: message.json.bytes())
    request.headers += headers
    return timed(request)
  }

  /// A GET of a stream.
  func stream(_ url: String, _ headers: [(name: String, value: String)] = []) -> HTTPRequest {
    timed(HTTPRequest("GET", url, headers: [(name: "Accept", value: "text/event-stream")] + headers))
  }

  private func timed(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.connectTimeout = timeouts.connect
    // Who waits for an answer counts the time himself.
    request.headersTimeout = nil
    request.acceptsCompression = false
    request.bodyLimit = 64 << 20
    return request
  }

  /// Sends a request, and gives the head of its answer and where it was given. A 401 or 403 is thrown as `signInNeeded`.
  func send(_ request: HTTPRequest) async throws(MCPFault) -> (response: HTTPResponse, url: String) {
    guard Origin(url: request.url) == Origin(url: address) else {
      throw .failed(.server(.unreachable(address: name, reason: .badAddress("it names an address of another server"))))
    }
    var request = request
    for _ in 0...MCPDoor.redirectLimit {
      let response = try await sendSigned(request)
      guard let target = try redirect(request, response) else { return (response, request.url) }
      request.url = target
    }
    throw .failed(.server(.refused(address: name, status: 308, message: "redirects without end")))
  }

  private func sendSigned(_ request: HTTPRequest) async throws(MCPFault) -> HTTPResponse {
    var hasRenewed = false
    while true {
      var signed = request
      do throws(ToolError) { try await signer.sign(&signed) } catch { throw .failed(error) }
      let response = try await sendOnce(signed)
      guard response.status == 401 || response.status == 403 else { return response }
      defer { response.body.cancel() }
      let isWorthAnother: Bool
      do throws(ToolError) { isWorthAnother = try await signer.refused(signed, response) } catch {
        throw .failed(error)
      }
      guard isWorthAnother, !hasRenewed else { throw .failed(.signInNeeded(url: address)) }
      hasRenewed = true
    }
  }

  private func sendOnce(_ request: HTTPRequest) async throws(MCPFault) -> HTTPResponse {
    do throws(TransportError) {
      return try await http.send(request)
    } catch {
      throw fault(error)
    }
  }

  /// A transfer that failed. Who waits for the answer to a call counts the time himself: where it is counted here, the
  /// server does not answer at all.
  func fault(_ error: TransportError) -> MCPFault {
    switch error {
    case .cancelled: .failed(.cancelled)
    case .closedEarly, .breach, .other: .cut
    default: .failed(.server(failures.transport(error, during: .request)))
    }
  }

  /// Where to send a request instead: the body too, never to another origin (docs/mcp.md 4).
  private func redirect(_ request: HTTPRequest, _ response: HTTPResponse) throws(MCPFault) -> String? {
    let codes = request.method == "GET" ? [301, 302, 307, 308] : [307, 308]
    guard codes.contains(response.status), let location = response[header: "location"] else { return nil }
    response.body.cancel()
    if let target = URLJoining.resolve(location, against: request.url),
      Origin(url: target) == Origin(url: request.url)
    {
      return target
    }
    // Behind a proxy that ends TLS servers send to http://, all for one slash at the end (docs/kamiwaza.md 6.2).
    if request.url.hasSuffix("/") { return String(request.url.dropLast()) }
    throw .failed(failure(response.status, [], location: location))
  }

  // What went wrong

  /// Whom to name.
  var name: String { Origin(url: address)?.description ?? address }

  private var failures: Failures {
    Failures(address: name, timeouts: timeouts, knowsPersons: true, mask: signer.secrets)
  }

  /// An answer that is not what was asked for.
  func failure(_ status: Int, _ bytes: [UInt8], location: String? = nil) -> ToolError {
    if 200..<300 ~= status {
      let page = HTMLPage(signer.masked(bytes))
      return .server(.malformed(address: name, detail: page?.description ?? "no answer (HTTP \(status))"))
    }
    return .server(failures.status(status, ErrorBody(signer.masked(bytes)), location: location))
  }

  func failure(_ failure: MCPAnswerReader.Failure) -> ToolError {
    switch failure {
    case .tooLong: .server(.tooLarge(address: name, limit: TransportError.words(limit: MCPAnswerReader.messageLimit)))
    case .notTheAPI(let what): .server(.malformed(address: name, detail: signer.secrets?(what) ?? what))
    case .notJSON: .server(.malformed(address: name, detail: "broken JSON"))
    }
  }

  /// An error of the protocol, without our secrets in it.
  func refusal(_ failure: RPCFailure) -> ToolError {
    .refused(code: failure.code, message: signer.secrets?(failure.message) ?? failure.message)
  }
}

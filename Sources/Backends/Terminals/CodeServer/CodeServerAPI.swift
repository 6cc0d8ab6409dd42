import Chat
import Transport
import Wire

/// What the server takes and gives, in either form (docs/terminals.md 8).
struct CodeServerAPI: Sendable {
  let endpoint: Endpoint
  let sockets: any WebSockets

  /// Seconds before its end that a token is renewed: one that has ended is not taken for that.
  static let margin = 300
  /// Seconds without a sign of life after which a connection counts as lost.
  private static let silence = 20.0
  static let subprotocol = "terminal.v1"

  /// Asked anew each time: an editor that was updated speaks in another.
  func form() async throws(BackendError) -> CodeServerForm {
    let document = try await endpoint.get(endpoint.base + "/api/health", signed: .not)
    // The contract's seed knows no health.
    if document.status == 404 { return .written }
    guard document.isSuccess else { throw refusal(document) }
    guard let form = document.json.flatMap(CodeServerForm.init) else {
      throw .malformed(address: endpoint.address, detail: "JSON of another program")
    }
    return form
  }

  func ask(
    _ method: String, _ path: String, _ body: JSON? = nil, signed: Endpoint.Signature = .signIn
  ) async throws(BackendError) -> Document {
    try await endpoint.send(endpoint.request(method, endpoint.base + path, json: body), signed: signed)
  }

  func refusal(_ document: Document) -> BackendError {
    endpoint.failures.status(document.status, ErrorBody(document.said), location: document.location)
  }

  /// All of them, as the server has them: a bare list, or one in an object.
  func list() async throws(BackendError) -> [JSON] {
    let document = try await ask("GET", "/api/terminals")
    guard document.isSuccess else { throw refusal(document) }
    guard let json = document.json, let list = json.array ?? json["terminals"]?.array else {
      throw .malformed(address: endpoint.address, detail: "JSON without terminals")
    }
    return list.filter { $0["id"]?.string?.isEmpty == false }
  }

  func open(_ path: String, asking subprotocol: String?) async throws(TerminalError) -> any WebSocket {
    let url = endpoint.base + path
    var request = HTTPRequest(
      "GET", url, headers: subprotocol.map { [(name: "Sec-WebSocket-Protocol", value: $0)] } ?? [],
      connectTimeout: endpoint.timeouts.connect, headersTimeout: endpoint.timeouts.request)
    do throws(BackendError) {
      if let token = try await endpoint.token(for: url) { request.authorize(asKeyOrBearer: token) }
    } catch { throw TerminalError(error) }
    do throws(TransportError) { return try await sockets.open(request, silence: CodeServerAPI.silence) } catch {
      switch error {
      case .cancelled: throw .cancelled
      case .notSwitched(let status, let text):
        throw .server(endpoint.failures.status(status, endpoint.errorBody(Array(text.utf8))))
      default: throw .server(endpoint.failures.transport(error, during: .request))
      }
    }
  }
}

extension HTTPRequest {
  /// The two forms of the server look into different headers; both go to nobody else.
  mutating func authorize(asKeyOrBearer token: Secret) {
    authorize(with: token)
    headers.append((name: "X-API-Key", value: token.reveal()))
  }
}

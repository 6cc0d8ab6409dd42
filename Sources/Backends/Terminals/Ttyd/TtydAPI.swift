import Chat
import Transport
import Wire

/// What ttyd takes and gives (docs/terminals.md 6).
struct TtydAPI: Sendable {
  let endpoint: Endpoint
  let sockets: any WebSockets

  /// Seconds without a sign of life after which a connection counts as lost.
  private static let silence = 20.0

  /// What the first message has to have in it; empty where nobody is asked who they are.
  func token(signed: Endpoint.Signature = .signIn) async throws(BackendError) -> String {
    let document = try await endpoint.get(endpoint.base + "/token", signed: signed)
    guard document.isSuccess else {
      throw endpoint.failures.status(document.status, ErrorBody(document.said), location: document.location)
    }
    // It is the person's name and password again.
    guard let token = document.unmaskedJSON?["token"]?.string else {
      throw .malformed(address: endpoint.address, detail: OpenAIProbe.description(of: document.said, else: "no token"))
    }
    endpoint.bearer.mask.add(Secret(token))
    return token
  }

  func open(_ size: TerminalSize?) async throws(TerminalError) -> any TerminalWire {
    let token: String
    let url = endpoint.base + "/ws"
    var request = HTTPRequest(
      "GET", url, headers: [(name: "Sec-WebSocket-Protocol", value: "tty")],
      connectTimeout: endpoint.timeouts.connect, headersTimeout: endpoint.timeouts.request)
    do throws(BackendError) {
      token = try await self.token()
      if let secret = try await endpoint.token(for: url) { request.authorize(asBasic: secret) }
    } catch { throw TerminalError(error) }
    let socket: any WebSocket
    do throws(TransportError) {
      socket = try await sockets.open(request, silence: TtydAPI.silence, form: .bytes)
      let size = size ?? TerminalSize(columns: 80, rows: 24)
      let hello: JSON = ["AuthToken": .string(token), "columns": .int(size.columns), "rows": .int(size.rows)]
      try await socket.send(hello.bytes())
    } catch {
      switch error {
      case .cancelled: throw .cancelled
      // Whoever may not connect is not told so.
      case .closedEarly:
        throw .server(.unreachable(address: endpoint.address, reason: .other("it hung up: it may have clients enough")))
      case .notSwitched(let status, _):
        throw .server(endpoint.failures.status(status, ErrorBody([])))
      default: throw .server(endpoint.failures.transport(error, during: .request))
      }
    }
    return TtydWire(socket, endpoint.failures)
  }
}

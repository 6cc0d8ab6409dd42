import Chat
import Transport
import Wire

/// What Jupyter Server takes and gives (docs/terminals.md 5).
struct JupyterAPI: Sendable {
  let endpoint: Endpoint
  let sockets: any WebSockets

  /// Seconds without a sign of life after which a connection counts as lost.
  private static let silence = 20.0

  func list() async throws(TerminalError) -> [TerminalInfo] {
    let document = try await ask("GET", "/api/terminals")
    guard let rows = document.json?.array else { throw malformed(document) }
    return rows.compactMap(JupyterAPI.info)
  }

  /// - Returns: what it is called.
  func make(_ name: String?, in folder: String?) async throws(TerminalError) -> String {
    var body: JSON = .object([])
    body["name"] = name.map(JSON.string)
    body["cwd"] = folder.map(JSON.string)
    let document = try await ask("POST", "/api/terminals", body)
    guard let info = document.json.flatMap(JupyterAPI.info) else { throw malformed(document) }
    return info.id
  }

  func close(_ id: String) async throws(TerminalError) { _ = try await ask("DELETE", path(of: id), of: id) }

  /// A name as it may stand in an address: the server numbers what it names itself.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 100
      && name.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x5F }
  }

  private func path(of id: String) throws(TerminalError) -> String {
    guard JupyterAPI.isName(id) else { throw .gone(id) }
    return "/api/terminals/" + id
  }

  private static func info(_ json: JSON) -> TerminalInfo? {
    guard let name = json["name"]?.string, isName(name) else { return nil }
    return TerminalInfo(
      id: name, name: name, lastActivity: json["last_activity"]?.string.flatMap { Moment.milliseconds($0) })
  }

  private func ask(
    _ method: String, _ path: String, _ body: JSON? = nil, of id: String? = nil
  ) async throws(TerminalError) -> Document {
    let document: Document
    do throws(BackendError) {
      document = try await endpoint.send(endpoint.request(method, endpoint.base + path, json: body))
    } catch { throw TerminalError(error) }
    if document.status == 404, let id { throw .gone(id) }
    guard document.isSuccess else { throw .server(refusal(document.status, document.said, document.location)) }
    return document
  }

  /// A page of the server's own has its token in it: nothing of one is told.
  private func refusal(_ status: Int, _ said: [UInt8], _ location: String? = nil) -> BackendError {
    let isJSON = (try? JSON(parsing: said)) != nil
    return endpoint.failures.status(status, ErrorBody(isJSON ? said : []), location: location)
  }

  private func malformed(_ document: Document) -> TerminalError {
    .server(.malformed(address: endpoint.address, detail: document.json == nil ? "not JSON" : "JSON without terminals"))
  }

  /// Connects to one.
  func open(_ id: String) async throws(TerminalError) -> any TerminalWire {
    guard JupyterAPI.isName(id) else { throw .gone(id) }
    let url = endpoint.base + "/terminals/websocket/" + id
    var request = HTTPRequest(
      "GET", url, connectTimeout: endpoint.timeouts.connect, headersTimeout: endpoint.timeouts.request)
    do throws(BackendError) {
      if let token = try await endpoint.token(for: url) { request.authorize(with: token) }
    } catch { throw TerminalError(error) }
    do throws(TransportError) {
      return JupyterWire(try await sockets.open(request, silence: JupyterAPI.silence), endpoint.failures)
    } catch {
      switch error {
      case .cancelled: throw .cancelled
      case .notSwitched(404, _): throw .gone(id)
      case .notSwitched(let status, _): throw .server(refusal(status, []))
      default: throw .server(endpoint.failures.transport(error, during: .request))
      }
    }
  }
}

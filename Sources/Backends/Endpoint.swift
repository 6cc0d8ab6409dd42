import Chat
import Transport

/// A server and what a backend needs to reach it.
struct Endpoint: Sendable {
  let server: Server
  let http: any HTTP
  let credential: Credential?
  let timeouts: Timeouts
  let clock: TimeSource

  init(
    _ server: Server, _ http: any HTTP, _ credential: Credential?, _ timeouts: Timeouts,
    clock: TimeSource = .system
  ) {
    self.server = server
    self.http = http
    self.credential = credential
    self.timeouts = timeouts
    self.clock = clock
  }

  /// What a server says of a failure, without our key in it.
  func errorBody(_ bytes: [UInt8]) -> ErrorBody { ErrorBody(credential?.masking(bytes) ?? bytes) }

  var failures: Failures { Failures(address: address, timeouts: timeouts) }

  /// Whom to name in an error.
  var address: String { Origin(url: server.url)?.description ?? server.url }

  /// Asks for a document and takes it whole, within the time-out of a request.
  func get(_ url: String) async throws(TransportError) -> Document {
    var request = HTTPRequest(
      "GET", url, headers: [(name: "Accept", value: "application/json")], connectTimeout: timeouts.connect,
      headersTimeout: timeouts.request)
    credential?.authorize(&request)
    let deadline = clock.now() + timeouts.request
    let response = try await http.send(request)
    defer { response.body.cancel() }
    var bytes: [UInt8] = []
    while let more = try await response.body.next(timeout: max(0, deadline - clock.now())) {
      bytes += more
      guard clock.now() < deadline else { throw .readTimeout }
    }
    return Document(response: response, bytes: bytes)
  }
}

/// A response with its whole body.
struct Document: Sendable {
  let response: HTTPResponse
  let bytes: [UInt8]

  var status: Int { response.status }
  var location: String? { response[header: "location"] }
}

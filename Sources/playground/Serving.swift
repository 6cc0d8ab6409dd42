import FlyingFox
import FlyingSocks
import Foundation
import Transport

/// FlyingFox behind the front, at an address that is no port: a name that is gone with the process. Between the two
/// there is so nothing of TCP, which would hold back a body until the head before it is acknowledged.
struct Serving: Sendable {
  let address: sockaddr_un
  private let server: HTTPServer

  init(_ router: Router) throws {
    let isSecure = router.playground.options.tls
    // A model may think for minutes before its first word.
    let handler = ClosureHTTPHandler { request in
      let call = Call(
        method: request.method.rawValue, path: request.target.path(), queryText: request.target.query(),
        headers: Dictionary(
          request.headers.map { ($0.key.rawValue.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first }),
        body: Array(try await request.bodyData), isSecure: isSecure)
      return await router.answer(call).response
    }
    address = .unix(abstractNamespace: "playground-" + Base64URL.encode(Tokens.random(12)))
    server = HTTPServer(address: address, timeout: 3600, logger: .disabled, handler: handler)
  }

  func run() async throws { try await server.run() }

  func waitUntilListening() async throws { try await server.waitUntilListening() }
}

extension Reply {
  fileprivate var response: FlyingFox.HTTPResponse {
    var fields = HTTPHeaders()
    fields[.contentType] = type
    for header in headers { fields.addValue(header.value, for: HTTPHeader(header.name)) }
    let code = HTTPStatusCode(status, phrase: Self.phrases[status] ?? "Unknown")
    switch body {
    case .whole(let bytes): return HTTPResponse(statusCode: code, headers: fields, body: Data(bytes))
    case .stream(let body):
      return HTTPResponse(statusCode: code, headers: fields, body: HTTPBodySequence(from: Relay(body: body)))
    case .events(let body):
      return HTTPResponse(statusCode: code, headers: fields, body: HTTPBodySequence(from: EventRelay(body: body)))
    }
  }

  private static let phrases = [
    200: "OK", 202: "Accepted", 302: "Found", 307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 422: "Unprocessable Entity", 423: "Locked",
    500: "Internal Server Error", 503: "Service Unavailable",
  ]
}

/// The model's answer, handed on as it comes.
private struct Relay: AsyncBufferedSequence {
  typealias Element = UInt8

  let body: any HTTPBody

  func makeAsyncIterator() -> Iterator { Iterator(body: body) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let body: any HTTPBody
    private var rest: ArraySlice<UInt8> = []

    init(body: any HTTPBody) { self.body = body }

    mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      if rest.isEmpty {
        guard let bytes = try await body.next(timeout: nil) else { return nil }
        rest = bytes[...]
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}

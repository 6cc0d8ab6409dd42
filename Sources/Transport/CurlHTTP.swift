/// HTTP over libcurl: HTTP/2 where the server offers it, connections kept, system certificates trusted.
///
/// One thread, started at the first request, moves all bytes. It ends with the object, which outlives its bodies.
package final class CurlHTTP: HTTP {
  private let loop: CurlLoop

  /// `version` is the program's, for `User-Agent`.
  package init(proxy: ProxySettings, version: String) {
    loop = CurlLoop(proxy: proxy, userAgent: "parley/\(version)")
  }

  deinit { loop.stop() }

  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try request.check()
    let exchange = Exchange(request, on: loop)
    loop.start(exchange)
    let head = try await exchange.waitForHead()
    return HTTPResponse(status: head.status, headers: head.headers, body: CurlBody(exchange, of: self))
  }
}

/// Closes its transfer when it is dropped.
private final class CurlBody: HTTPBody {
  private let exchange: Exchange
  private let http: CurlHTTP

  init(_ exchange: Exchange, of http: CurlHTTP) {
    self.exchange = exchange
    self.http = http
  }

  deinit { exchange.cancel() }

  func next(timeout: Double?) async throws(TransportError) -> [UInt8]? { try await exchange.next(timeout: timeout) }

  func cancel() { exchange.cancel() }
}

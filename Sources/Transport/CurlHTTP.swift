import Chat
import Waiting

/// HTTP over libcurl: HTTP/2 where the server offers it, connections kept, and certificates believed as `trust` says.
///
/// One thread, started at the first request, moves all bytes. It ends with the object, which outlives its bodies.
package final class CurlHTTP: HTTP, Sendable {
  let settings: CurlLoop.Settings
  /// No request is handed to a loop that has been told to end: both are done under the lock.
  private let loops: Locked<Loops>

  private struct Loops {
    var current: CurlLoop
    var retired: [CurlLoop] = []
  }

  /// `version` is the program's, for `User-Agent`.
  package convenience init(proxy: ProxySettings, version: String, trust: any Trust = SystemTrust()) {
    self.init(proxy: proxy, version: version, trust: trust, systemAuthorities: nil)
  }

  /// `systemAuthorities` is a PEM file that stands for the system's certificates.
  init(proxy: ProxySettings, version: String, trust: any Trust, systemAuthorities: String?) {
    settings = CurlLoop.Settings(
      proxy: proxy, userAgent: "parley/\(version)", trust: trust, systemAuthorities: systemAuthorities)
    loops = Locked(Loops(current: CurlLoop(settings)))
  }

  deinit {
    loops.withLock { loops in
      for loop in loops.retired + [loops.current] { loop.stop() }
    }
  }

  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try request.check()
    // Nothing leaves on behalf of somebody who has given up.
    if Task.isCancelled { throw .cancelled }
    let exchange = begin(request)
    let head = try await exchange.waitForHead()
    return HTTPResponse(status: head.status, headers: head.headers, body: CurlBody(exchange, of: self))
  }

  /// From the next request on no connection is used that stands now; answers that are coming still come
  /// (docs/rules.md T6).
  package func forgetConnections() {
    loops.withLock { loops in
      for loop in loops.retired where loop.hasEnded { loop.stop() }
      loops.retired.removeAll(where: \.hasEnded)
      loops.current.post(.retire)
      loops.retired.append(loops.current)
      loops.current = CurlLoop(settings)
    }
  }

  func begin(_ request: HTTPRequest, isLook: Bool = false) -> Exchange {
    loops.withLock { loops in
      let exchange = Exchange(request, on: loops.current, isLook: isLook)
      loops.current.start(exchange)
      return exchange
    }
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

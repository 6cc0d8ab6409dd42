import Chat
import Foundation

/// HTTP over libcurl: HTTP/2 where the server offers it, connections kept, and certificates believed as `trust` says.
///
/// One thread, started at the first request, moves all bytes. It ends with the object, which outlives its bodies.
// Sendable: the loops are read and changed under the lock only.
package final class CurlHTTP: HTTP, @unchecked Sendable {
  let proxy: ProxySettings
  private let makeLoop: @Sendable () -> CurlLoop
  /// Guards the loops, and keeps a request from being handed to one that has been told to end.
  private let lock = NSLock()
  private var loop: CurlLoop
  private var retired: [CurlLoop] = []

  /// `version` is the program's, for `User-Agent`.
  package convenience init(proxy: ProxySettings, version: String, trust: any Trust = SystemTrust()) {
    self.init(proxy: proxy, version: version, trust: trust, systemAuthorities: nil)
  }

  /// `systemAuthorities` is a PEM file that stands for the system's certificates.
  init(proxy: ProxySettings, version: String, trust: any Trust, systemAuthorities: String?) {
    self.proxy = proxy
    makeLoop = {
      CurlLoop(
        CurlLoop.Settings(
          proxy: proxy, userAgent: "parley/\(version)", trust: trust, systemAuthorities: systemAuthorities))
    }
    loop = makeLoop()
  }

  deinit {
    for loop in retired + [loop] { loop.stop() }
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
  /// (RELIABILITY T6).
  package func forgetConnections() {
    lock.withLock {
      for loop in retired where loop.hasEnded { loop.stop() }
      retired.removeAll(where: \.hasEnded)
      loop.post(.retire)
      retired.append(loop)
      loop = makeLoop()
    }
  }

  func begin(_ request: HTTPRequest, isLook: Bool = false) -> Exchange {
    lock.withLock {
      let exchange = Exchange(request, on: loop, isLook: isLook)
      loop.start(exchange)
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

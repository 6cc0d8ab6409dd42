import Addresses
import CCurl
import Glibc

/// A connection that is not libcurl's to speak on: it connects, by proxy and with TLS where that is asked for, and the
/// bytes are ours (CURLOPT_CONNECT_ONLY). Trust is decided as for any request. Belongs to one thread.
final class SocketConnection {
  typealias Instant = SuspendingClock.Instant

  private let request: HTTPRequest
  private let proxy: String?
  private let multi: UnsafeMutableRawPointer
  private let easy: EasyHandle
  private let gate: TrustGate?
  private var socket = CURL_SOCKET_BAD
  private var unsent = UnmovedBytes()

  init(_ request: HTTPRequest, _ settings: CurlLoop.Settings) throws(TransportError) {
    guard CurlLoop.isReady else { throw .other("libcurl could not be started") }
    self.request = request
    proxy = settings.proxy.proxy(for: request.url)
    let server = try ServerKey(httpsURL: request.url)
    gate = if let server { try TrustGate(server, trust: settings.trust, leaves: TrustedLeaves()) } else { nil }
    easy = try EasyHandle()
    try easy.configureConnection(for: request, settings, gate: gate)
    try easy.connectOnly()
    // A proxy for plain http would want to understand what it passes on (RFC 6455, section 4.1).
    try easy.set(CURLOPT_HTTPPROXYTUNNEL, 1)
    // What a proxy says besides its status; libcurl would print it.
    try easy.set(CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
    guard let multi = curl_multi_init() else { throw .other("out of memory") }
    self.multi = multi
    let code = curl_multi_add_handle(multi, easy.raw)
    guard code == CURLM_OK else {
      curl_multi_cleanup(multi)
      throw .other(String(cString: curl_multi_strerror(code)))
    }
  }

  /// Its bell must not ring any more.
  deinit {
    curl_multi_remove_handle(multi, easy.raw)
    curl_multi_cleanup(multi)
  }

  var bell: SocketBell { SocketBell(multi) }

  // Connecting

  /// Goes on connecting; whether the connection stands.
  func connect() throws(TransportError) -> Bool {
    perform()
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      let code = ccurl_message_result(message)
      if code != CURLE_OK {
        throw gate?.failure(code) ?? easy.failure(code, url: request.url, proxy: proxy, headIsIn: false)
      }
      socket = ccurl_get_socket(easy.raw)
      guard socket != CURL_SOCKET_BAD else { throw .closedEarly("the connection was lost") }
    }
    return socket != CURL_SOCKET_BAD
  }

  // Once it stands

  var hasUnsent: Bool { !unsent.isEmpty }

  /// Takes bytes to be sent; only when it has none.
  func load(_ bytes: [UInt8]) { unsent.load(bytes) }

  /// Sends what it can of what it has; whether that was anything.
  func flush() throws(TransportError) -> Bool {
    var hasMoved = false
    while !unsent.isEmpty {
      var count = 0
      let code = curl_easy_send(easy.raw, unsent.rest.baseAddress, unsent.rest.count, &count)
      if code == CURLE_AGAIN { break }
      guard code == CURLE_OK else { throw .closedEarly(easy.message(code)) }
      unsent.drop(count)
      hasMoved = true
    }
    return hasMoved
  }

  /// What came, into the beginning of `buffer`: how many bytes, 0 at the end of the connection, nil when nothing has.
  func read(into buffer: inout [UInt8]) throws(TransportError) -> Int? {
    var count = 0
    switch curl_easy_recv(easy.raw, &buffer, buffer.count, &count) {
    case CURLE_OK: return count
    case CURLE_AGAIN: return nil
    case let code: throw .closedEarly(easy.message(code))
    }
  }

  /// Sleeps until there is something to do, or the bell rings. What was not read before this is not waited for.
  func sleep(reading: Bool, until deadline: Instant?) {
    // libcurl has timers of its own, which would keep it awake once they are due. Before the connection stands this is
    // for `connect`, which must see what came of it.
    if socket != CURL_SOCKET_BAD { perform() }
    let latest = Instant.now + .seconds(3600)
    // Rounded up: waking a moment early would spin until the deadline.
    let wait = max(.zero, min(deadline ?? latest, latest) - .now)
    let milliseconds = Int32((wait / .milliseconds(1)).rounded(.up))
    let events = (reading ? CURL_WAIT_POLLIN : 0) | (hasUnsent ? CURL_WAIT_POLLOUT : 0)
    // One that nothing is wanted from would still wake us when its other end is gone.
    var watched = curl_waitfd(fd: socket, events: Int16(events), revents: 0)
    curl_multi_poll(multi, &watched, socket != CURL_SOCKET_BAD && events != 0 ? 1 : 0, milliseconds, nil)
  }

  private func perform() {
    var count: Int32 = 0
    curl_multi_perform(multi, &count)
  }
}

/// Wakes the thread of a connection. To be rung only while that stands; a ring is kept until the next sleep.
struct SocketBell: @unchecked Sendable {  // libcurl lets any thread do this
  private let multi: UnsafeMutableRawPointer

  fileprivate init(_ multi: UnsafeMutableRawPointer) { self.multi = multi }

  func ring() { curl_multi_wakeup(multi) }
}

/// Bytes that stay where they are until they are sent: OpenSSL wants a write that could not be finished tried again from
/// the same place (SSL_write(3)).
private struct UnmovedBytes: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var sent = 0
  private var end = 0

  deinit { memory.deallocate() }

  var isEmpty: Bool { sent == end }
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[sent..<end]) }

  mutating func load(_ bytes: [UInt8]) {
    precondition(isEmpty, "what is on its way stays")
    if bytes.count > memory.count {
      memory.deallocate()
      memory = .allocate(byteCount: bytes.count, alignment: 1)
    }
    memory.copyBytes(from: bytes)
    (sent, end) = (0, bytes.count)
  }

  mutating func drop(_ count: Int) { sent += count }
}

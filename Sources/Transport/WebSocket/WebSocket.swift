/// Opens WebSockets (RFC 6455). A protocol because the process ends here.
package protocol WebSockets: Sendable {
  /// Opens one and returns when the server has switched to it.
  ///
  /// - Parameters:
  ///   - request: a GET without a body. Its address is `wss:` or `https:`, `ws:` or `http:`, which mean the same in
  ///     pairs; its headers go along, and with `Sec-WebSocket-Protocol` a protocol may be asked for. Those that the
  ///     upgrade itself writes are a `badRequest`. Its time-outs count as for any request; redirects are not followed
  ///     (docs/rules.md N6).
  ///   - silence: seconds without a byte from the server after which the connection counts as lost (`readTimeout`).
  ///     After half of it the server is asked for a sign of life (RFC 6455, section 5.5.2).
  ///   - form: what its messages are.
  /// - Throws: `notSwitched` for an answer that is no WebSocket, `cancelled` with the task, which ends the attempt, and
  ///   whatever else a request fails with.
  func open(
    _ request: HTTPRequest, silence: Double, form: SocketForm
  ) async throws(TransportError) -> any WebSocket
}

extension WebSockets {
  /// One of text.
  package func open(_ request: HTTPRequest, silence: Double) async throws(TransportError) -> any WebSocket {
    try await open(request, silence: silence, form: .text)
  }
}

/// What the messages of a WebSocket are (RFC 6455, section 5.6).
package enum SocketForm: Sendable {
  /// Text alone: binary messages are passed over.
  case text
  /// Bytes: what is sent is binary, and what comes may be either.
  case bytes
}

/// A WebSocket that stands. It closes itself when nobody holds it any more.
package protocol WebSocket: Sendable {
  /// Sends one message, which must be UTF-8 where they are text. Returns when it is on its way; waits while much is. Messages leave in
  /// the order of the calls. A cancelled task sends all the same: it just does not wait.
  /// - Throws: why the connection ended, or `closedEarly` when it was closed, by whichever side.
  func send(_ message: [UInt8]) async throws(TransportError)

  /// The next message; nil once the server has closed the WebSocket well, or `close` was called. Those that came
  /// before the end are read before it, but none after `close`. It has one reader.
  /// - Throws: `readTimeout` after too long a silence, `closedEarly` when the connection was lost, `breach` when the server
  ///   broke the protocol, all for ever after. `cancelled` with the task, which changes nothing: no message is lost.
  func receive() async throws(TransportError) -> [UInt8]?

  /// Why the server closed it, as it said itself (RFC 6455, section 7.4.1); nil where it did not, or before.
  var closeCode: Int? { get }

  /// Says goodbye, after what was sent before, and gives the server two seconds to say so too; returns at once. Harmless
  /// when it has ended.
  func close()
}

extension WebSocket {
  package var closeCode: Int? { nil }
}

/// Where there are none to be had.
package struct NoWebSockets: WebSockets {
  package init() {}

  package func open(
    _ request: HTTPRequest, silence: Double, form: SocketForm
  ) async throws(TransportError) -> any WebSocket {
    throw .other("no WebSockets here")
  }
}

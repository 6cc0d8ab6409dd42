package import Chat

/// Moves requests and answers. A protocol because the process ends here.
package protocol HTTP: Sendable {
  /// Sends a request and returns when the status and headers are in, whatever the status.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

/// A request; redirects are never followed (docs/rules.md N6), so its headers go to its own origin only.
package struct HTTPRequest: Sendable {
  package var method: String
  package var url: String
  /// In order. A value with CR, LF or NUL makes `send` fail with `badRequest` (docs/rules.md N7).
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]?
  /// Seconds until a connection stands.
  package var connectTimeout: Double
  /// Seconds until the headers are in, from the moment the request is handed over; nil waits for ever.
  package var headersTimeout: Double?
  /// Whether a compressed answer is welcome. Streams are asked for as they are (docs/rules.md N3).
  package var acceptsCompression: Bool
  /// The most decoded bytes of body that are taken (docs/rules.md N2).
  package var bodyLimit: Int
  /// Where it is told how far it has come.
  package var watch: TransferWatch?

  package init(
    _ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
    connectTimeout: Double = 10, headersTimeout: Double? = 30, acceptsCompression: Bool = true,
    bodyLimit: Int = 32 << 20, watch: TransferWatch? = nil
  ) {
    self.watch = watch
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.connectTimeout = connectTimeout
    self.headersTimeout = headersTimeout
    self.acceptsCompression = acceptsCompression
    self.bodyLimit = bodyLimit
  }
}

/// Status and headers, and the body as it comes.
package struct HTTPResponse: Sendable {
  package var status: Int
  /// In order, names as they came.
  package var headers: [(name: String, value: String)]
  package var body: any HTTPBody

  package init(status: Int, headers: [(name: String, value: String)], body: any HTTPBody) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first value of a header, its name compared without case.
  package subscript(header name: String) -> String? {
    let wanted = name.lowercased()
    return headers.first { $0.name.lowercased() == wanted }?.value
  }
}

/// A body with one reader.
package protocol HTTPBody: Sendable {
  /// All bytes that have come since the last call, at least one; nil at the end. Waits at most `timeout` seconds.
  func next(timeout: Double?) async throws(TransportError) -> [UInt8]?
  /// Closes the transfer; a reader that waits gets `cancelled`. Harmless when it has ended.
  func cancel()
}

/// Why bytes did not move.
package enum TransportError: Error, Sendable, Equatable {
  case badRequest(String)
  case unknownHost(String)
  case refused
  case unreachableNetwork
  case proxy(String)
  case connectTimeout
  case headersTimeout
  case readTimeout
  /// TLS failed for another reason than trust.
  case tls(String)
  /// The certificate is not trusted. Nothing was sent.
  case untrusted(Distrust)
  /// The connection ended before the headers, or in the middle of the body as its own length or framing shows.
  case closedEarly(String)
  /// A server broke the protocol of WebSockets, or sent a message that is not read: what is wrong with it.
  case breach(String)
  /// What came is no HTTP.
  case notHTTP
  /// A server that was asked for a WebSocket did not switch to it. The text is the beginning of what it said instead
  /// (4 KiB at most, not to be trusted), or for a status of 101 what is wrong with the answer (RFC 6455, section 4.1).
  case notSwitched(status: Int, text: String)
  /// The body is not what its content encoding says.
  case badEncoding
  /// More bytes than the request's limit, or a header block over 256 KiB, over 64 KiB where a WebSocket begins.
  case tooLarge(limit: Int)
  case cancelled
  case other(String)
}

extension TransportError {
  /// `256 KiB`, `64 MiB`.
  package static func words(limit: Int) -> String { limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB" }
}

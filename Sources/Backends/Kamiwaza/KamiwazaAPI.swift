import Chat
import Transport
import Wire

/// Asks the platform's API for documents. All that Kamiwaza asks for, but answers, goes through here.
struct KamiwazaAPI: Sendable {
  let endpoint: Endpoint

  /// A request that a settling or busy server turned away is sent this often at most (docs/kamiwaza.md 8).
  private static let tryLimit = 6
  private static let longestWait = 30.0
  /// Seconds before a route that is not there yet is asked again.
  private static let settling = [1.0, 2, 4, 8, 16]

  init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  var root: String { endpoint.server.url }
  var address: String { endpoint.address }

  /// One object. `path` is below the API root, with exactly the slashes that the route has: redirects are not followed.
  func one<T: KamiwazaDocument>(_ path: String, as: T.Type = T.self) async throws(BackendError) -> T {
    try read(try await get(path), from: path) { (json) throws(Fields.Misread) in try T(json) }
  }

  /// A list of objects.
  func list<T: KamiwazaDocument>(_ path: String, of: T.Type = T.self) async throws(BackendError) -> [T] {
    try read(try await get(path), from: path) { (json) throws(Fields.Misread) in try T.list(json) }
  }

  /// The document at a path, as JSON; an empty one is null.
  func get(_ path: String) async throws(BackendError) -> JSON {
    let deadline = endpoint.clock.now() + endpoint.timeouts.request
    var tries = 1
    while true {
      let document = try await fetch(path, until: tries == 1 ? nil : deadline)
      if 200..<300 ~= document.status { return try json(of: document, from: path) }
      guard let wait = wait(after: document, tries: tries), endpoint.clock.now() + wait < deadline else {
        throw failure(document)
      }
      await endpoint.clock.sleep(wait)
      guard !Task.isCancelled else { throw .cancelled }
      tries += 1
    }
  }

  private func fetch(_ path: String, until deadline: Double?) async throws(BackendError) -> Document {
    let endpoint = deadline.map { self.endpoint.within(seconds: max(0.1, $0 - self.endpoint.clock.now())) } ?? endpoint
    return try await endpoint.get(root + path)
  }

  private func json(of document: Document, from path: String) throws(BackendError) -> JSON {
    guard document.bytes.contains(where: { $0 > 0x20 }) else { return .null }
    if let json = document.json { return json }
    let what = HTMLPage(document.said)?.description ?? "no JSON"
    throw .malformed(address: address, detail: "\(KamiwazaAPI.route(path)): \(what)")
  }

  private func read<T>(
    _ json: JSON, from path: String, _ body: (JSON) throws(Fields.Misread) -> T
  ) throws(BackendError) -> T {
    do throws(Fields.Misread) {
      return try body(json)
    } catch {
      throw .malformed(address: address, detail: "\(KamiwazaAPI.route(path)): \(error.description)")
    }
  }

  /// The path without its query.
  private static func route(_ path: String) -> Substring { path.prefix { $0 != "?" } }
}

extension KamiwazaAPI {
  /// Seconds after which a refused request is worth another try; nil when it is not.
  private func wait(after document: Document, tries: Int) -> Double? {
    guard document.status == 503 || document.status == 429, tries < KamiwazaAPI.tryLimit else { return nil }
    let body = ServiceUnavailable(document.bytes)
    if let wished = RetryAfter.seconds(of: document.response, now: endpoint.clock.sinceEpoch()) ?? body.retryAfter {
      return min(max(Double(wished), 1), KamiwazaAPI.longestWait)
    }
    return document.status == 503 && body.isSettling ? KamiwazaAPI.settling[tries - 1] : nil
  }

  /// What a status from 300 on means.
  private func failure(_ document: Document) -> BackendError {
    let body = endpoint.errorBody(document.bytes)
    switch document.status {
    case 401: return .unauthorized(address: address, message: KamiwazaAPI.publicWords(of: body))
    // The web interface answers where the API is not.
    case 404:
      if let page = HTMLPage(document.said) { return .malformed(address: address, detail: page.description) }
    default: break
    }
    let wished = RetryAfter.seconds(of: document.response, now: endpoint.clock.sinceEpoch())
    return endpoint.failures.status(document.status, body, location: document.location, retryAfter: wished)
  }

  /// What a refused sign-in says is not repeated (docs/kamiwaza.md 8), unless it is a mere code such as
  /// `token_expired`.
  private static func publicWords(of body: ErrorBody) -> String {
    let isCode =
      body.message.count <= 40 && body.message.utf8.allSatisfy { 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "_") }
    return isCode ? body.message : ""
  }
}

/// A 503 as the platform and the gateway before it write it (docs/kamiwaza.md 8).
struct ServiceUnavailable {
  /// In seconds.
  let retryAfter: Int?
  /// The gateway does not know the way yet.
  let isSettling: Bool

  init(_ bytes: [UInt8]) {
    let json = try? JSON(parsing: bytes)  // text is looked at below
    retryAfter = [json, json?["detail"]].lazy.compactMap { $0?["retry_after_seconds"]?.int }.first
    isSettling = String(decoding: bytes.prefix(200), as: UTF8.self).lowercased().contains("no healthy upstream")
  }
}

extension BackendError {
  /// Whether the server does not have this route or thing.
  var isMissing: Bool { if case .refused(_, 404, _) = self { true } else { false } }
}

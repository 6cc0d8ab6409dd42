import Chat
import Transport

/// One origin that a person may have meant, while it is found out what is there.
struct ProbedOrigin {
  /// The base addresses to try, in order.
  let bases: [String]
  /// Whether the person named the kind of server.
  let isOnlyKind: Bool
  /// Whether nothing is asked that only a list would show.
  let isBrief: Bool
  let http: any HTTP
  let credential: Credential?
  let timeouts: Timeouts
  private let clock: TimeSource
  /// What each address that was asked said, but those that were what was looked for.
  private(set) var tried: [BackendError.Attempt] = []
  /// Why addresses could not be asked; each of them is in `tried` too.
  private(set) var errors: [BackendError] = []
  private let failures: Failures
  private let mask = SecretMask()

  /// `address` is whom to name in an error.
  init(
    _ bases: [String], of address: String, isOnlyKind: Bool, isBrief: Bool = false, http: any HTTP,
    credential: Credential?,
    timeouts: Timeouts, clock: TimeSource = .system
  ) {
    self.clock = clock
    self.bases = bases
    self.isOnlyKind = isOnlyKind
    self.isBrief = isBrief
    self.http = http
    self.credential = credential
    self.timeouts = timeouts
    mask.add(credential?.secret)
    failures = Failures(address: address, timeouts: timeouts, mask: mask)
  }

  /// Seconds before a route that a gateway does not know yet is asked again (docs/rules.md N5; docs/kamiwaza.md 8).
  private static let settling = [1.0, 2]

  /// Takes a document whole; of a route that settles, the one that comes when it has. A failure is noted before it is
  /// thrown.
  mutating func get(_ url: String, authorized: Bool = true) async throws(TransportError) -> Document {
    var request = HTTPRequest(
      "GET", url, headers: [(name: "Accept", value: "application/json")], connectTimeout: timeouts.connect,
      headersTimeout: timeouts.request)
    if authorized { credential?.authorize(&request) }
    do throws(TransportError) {
      var document = try await document(of: request)
      for pause in ProbedOrigin.settling where document.status == 503 && ServiceUnavailable(document.bytes).isSettling {
        await clock.sleep(pause)
        guard !Task.isCancelled else { throw .cancelled }
        document = try await self.document(of: request)
      }
      return document
    } catch {
      if error != .cancelled { note(url, error) }
      throw error
    }
  }

  /// The beginning of a page, without a secret, from a server that is not silent for long; nil from one that is. A failure
  /// is noted before it is thrown.
  mutating func peek(_ url: String, atMost limit: Int, within seconds: Double) async throws(TransportError) -> Document?
  {
    let patience = min(seconds, timeouts.request)
    let request = HTTPRequest(
      "GET", url, headers: [(name: "Accept", value: "application/json")], connectTimeout: timeouts.connect,
      headersTimeout: patience)
    do throws(TransportError) {
      let deadline = clock.now() + patience
      let response = try await http.send(request)
      defer { response.body.cancel() }
      var bytes: [UInt8] = []
      while bytes.count < limit {
        let left = deadline - clock.now()
        // One that drips is as good as silent.
        guard left > 0 else { return nil }
        guard let more = try await response.body.next(timeout: left) else { break }
        bytes += more
      }
      return Document(response: response, bytes: bytes, mask: mask)
    } catch {
      switch error {
      case .headersTimeout, .readTimeout: return nil
      case .cancelled: break
      default: note(url, error)
      }
      throw error
    }
  }

  private func document(of request: HTTPRequest) async throws(TransportError) -> Document {
    let response = try await http.send(request)
    defer { response.body.cancel() }
    return Document(response: response, bytes: try await response.body.readAll(timeout: timeouts.request), mask: mask)
  }

  /// Notes an answer that is not what was looked for; `other` is for JSON without a message.
  mutating func note(_ url: String, _ document: Document, else other: String = "JSON without models") {
    let what =
      document.location.map { "redirect to \(mask($0))" } ?? OpenAIProbe.description(of: document.said, else: other)
    tried.append(.init(url: url, outcome: .answered(status: document.status, what: what)))
  }

  private mutating func note(_ url: String, _ error: TransportError) {
    let outcome: BackendError.Attempt.Outcome =
      switch error {
      case .untrusted: .untrusted
      case .connectTimeout: .timedOut(seconds: timeouts.connect)
      case .headersTimeout, .readTimeout: .timedOut(seconds: timeouts.request)
      default: .failed(error.unreachable)
      }
    tried.append(.init(url: url, outcome: outcome))
    errors.append(failures.transport(error, during: .request))
  }

  func endpoint(at base: String, of kind: Kind) -> Endpoint {
    Endpoint(Server(name: "", kind: kind.name, url: base), http, credential, timeouts)
  }

  /// Whether nothing at the origin can be asked after this, whatever its kind. A server that breaks off the answer to
  /// one path may answer another.
  static func isDead(after error: TransportError) -> Bool {
    switch error {
    case .closedEarly, .breach, .tooLarge, .other: false
    default: true
    }
  }
}

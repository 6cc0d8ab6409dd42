import Chat
import Transport
import Wire

/// Finds the base address of an OpenAI-compatible API by asking for its models.
struct OpenAIProbe {
  let http: any HTTP
  let credential: Credential?
  let timeouts: Timeouts

  /// The longest to wait for a connection, in seconds, while there is another scheme to try: a server of plain http may
  /// be silent when it is spoken to in TLS.
  private static let impatience = 4.0

  /// Tries the candidates in their order. When none could be asked, throws what they have in common; a certificate that
  /// is not trusted is reported before anything else, and plain http is not tried after it.
  func find(_ address: ServerAddress) async throws(BackendError) -> FoundServer {
    var tried: [BackendError.Attempt] = []
    var errors: [BackendError] = []
    var guarded: FoundServer?
    var dead: Set<Origin> = []
    var distrust: BackendError?
    let schemes = Set(address.candidates.map { $0.prefix(5) })
    for base in address.candidates {
      guard let origin = Origin(url: base), !dead.contains(origin), distrust == nil || origin.scheme == "https" else {
        continue
      }
      if let guarded, !base.hasPrefix(guarded.url) { return guarded }
      do throws(TransportError) {
        switch try await ask(base, impatiently: schemes.count > 1) {
        case .models(let models): return FoundServer(kind: Kind.openAI.name, url: base, models: models)
        // A guard in front of everything says the same at a wrong path: the usual one is preferred.
        case .guarded: guarded = FoundServer(kind: Kind.openAI.name, url: base, models: nil)
        case .other(let attempt): tried.append(attempt)
        }
      } catch {
        if error == .cancelled { throw .cancelled }
        if let guarded { return guarded }
        dead.insert(origin)
        let failures = Failures(address: address.description, timeouts: timeouts)
        tried.append(attempt(base + "/models", error))
        errors.append(failures.transport(error, during: .request))
        if case .untrusted = error { distrust = errors.last }
      }
    }
    if let guarded { return guarded }
    if let distrust { throw distrust }
    if let error = OpenAIProbe.common(errors), errors.count == tried.count { throw error }
    throw .notFound(tried: tried)
  }

  private enum Reply {
    case models([Model])
    /// It wants to know who asks.
    case guarded
    case other(BackendError.Attempt)
  }

  private func ask(_ base: String, impatiently: Bool) async throws(TransportError) -> Reply {
    let server = Server(name: "", kind: Kind.openAI.name, url: base)
    var timeouts = timeouts
    if impatiently { timeouts.connect = min(timeouts.connect, OpenAIProbe.impatience) }
    let endpoint = Endpoint(server, http, credential, timeouts)
    let document = try await endpoint.get(base + "/models")
    if document.status == 200, let list = OpenAIModelList(document.bytes) {
      return .models(await list.withContextWindows(asking: endpoint))
    }
    // What is not JSON came from something else than the API.
    if document.status == 401 || document.status == 403, (try? JSON(parsing: document.bytes)) != nil { return .guarded }
    let what = document.location.map { "redirect to \($0)" } ?? OpenAIProbe.description(of: document.bytes)
    return .other(.init(url: base + "/models", outcome: .answered(status: document.status, what: what)))
  }

  /// What came instead of a list of models, in a few words.
  static func description(of bytes: [UInt8]) -> String {
    if let page = HTMLPage(bytes) { return page.description }
    let error = ErrorBody(bytes)
    let isJSON = (try? JSON(parsing: bytes)) != nil  // only whether it is
    if error.message.isEmpty { return isJSON ? "JSON without models" : "nothing" }
    return "\(isJSON ? "JSON" : "text") \"\(error.message.prefix(80))\""
  }

  private func attempt(_ url: String, _ error: TransportError) -> BackendError.Attempt {
    switch error {
    case .untrusted(let reason): .init(url: url, outcome: .untrusted(reason))
    case .connectTimeout: .init(url: url, outcome: .timedOut(seconds: timeouts.connect))
    case .headersTimeout, .readTimeout: .init(url: url, outcome: .timedOut(seconds: timeouts.request))
    default: .init(url: url, outcome: .failed(Failures.unreachable(error)))
    }
  }

  /// The error when all are of one kind.
  private static func common(_ errors: [BackendError]) -> BackendError? {
    guard let first = errors.first else { return nil }
    return errors.allSatisfy { isSameKind($0, first) } ? first : nil
  }

  private static func isSameKind(_ one: BackendError, _ other: BackendError) -> Bool {
    switch (one, other) {
    case (.unreachable(_, let one), .unreachable(_, let other)): one == other
    case (.untrusted, .untrusted): true
    case (.timedOut(_, let one, _), .timedOut(_, let other, _)): one == other
    default: false
    }
  }
}

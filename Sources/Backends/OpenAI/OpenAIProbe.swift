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

  /// Tries the candidates in their order. When none answered, throws the most telling reason; a certificate that is not
  /// trusted is reported before anything else, and plain http is not tried after it.
  func find(_ address: ServerAddress) async throws(BackendError) -> FoundServer {
    var tried: [BackendError.Attempt] = []
    var errors: [BackendError] = []
    var guarded: FoundServer?
    var dead: Set<Origin> = []
    var distrust: BackendError?
    for base in address.candidates {
      guard let origin = Origin(url: base), !dead.contains(origin), distrust == nil || origin.scheme == "https" else {
        continue
      }
      if let guarded, !base.hasPrefix(guarded.url) { return guarded }
      let timeouts = timeouts(for: base, of: address)
      do throws(TransportError) {
        switch try await ask(base, within: timeouts) {
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
        tried.append(OpenAIProbe.attempt(base + "/models", error, within: timeouts))
        errors.append(failures.transport(error, during: .request))
        if case .untrusted = error { distrust = errors.last }
      }
    }
    if let guarded { return guarded }
    if let distrust { throw distrust }
    if errors.count == tried.count, let error = OpenAIProbe.mostTelling(errors) { throw error }
    throw .notFound(tried: tried)
  }

  private enum Reply {
    case models([Model])
    /// It wants to know who asks.
    case guarded
    case other(BackendError.Attempt)
  }

  private func timeouts(for base: String, of address: ServerAddress) -> Timeouts {
    var timeouts = timeouts
    let isLastScheme = Origin(url: base) == address.candidates.last.flatMap { Origin(url: $0) }
    if !isLastScheme { timeouts.connect = min(timeouts.connect, OpenAIProbe.impatience) }
    return timeouts
  }

  private func ask(_ base: String, within timeouts: Timeouts) async throws(TransportError) -> Reply {
    let server = Server(name: "", kind: Kind.openAI.name, url: base)
    let endpoint = Endpoint(server, http, credential, timeouts)
    let document = try await endpoint.probe(base + "/models")
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

  private static func attempt(
    _ url: String, _ error: TransportError, within timeouts: Timeouts
  ) -> BackendError.Attempt {
    switch error {
    case .untrusted: .init(url: url, outcome: .untrusted)
    case .connectTimeout: .init(url: url, outcome: .timedOut(seconds: timeouts.connect))
    case .headersTimeout, .readTimeout: .init(url: url, outcome: .timedOut(seconds: timeouts.request))
    default: .init(url: url, outcome: .failed(error.unreachable))
    }
  }

  /// Why no address could be reached: a refusal or an unknown name before the longest wait, and that before the rest.
  /// nil when one of them was reached after all.
  private static func mostTelling(_ errors: [BackendError]) -> BackendError? {
    if errors.contains(where: { if case .malformed = $0 { true } else { false } }) { return nil }
    return errors.min { rank($0) < rank($1) }
  }

  private static func rank(_ error: BackendError) -> (Int, Double) {
    switch error {
    case .unreachable(_, .refused), .unreachable(_, .unknownHost): (0, 0)
    case .timedOut(_, _, let seconds): (1, -seconds)
    default: (2, 0)
    }
  }
}

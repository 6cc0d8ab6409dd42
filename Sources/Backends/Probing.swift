package import Chat
package import Transport

extension Backends {
  /// The longest to wait for a connection, in seconds, while there is another scheme to try: a server of plain http may
  /// be silent when it is spoken to in TLS.
  private static let impatience = 4.0

  /// Finds out what server a person means, by asking each origin that it may be as each kind. Throws `notFound` with
  /// what each address tried said, or why none could be reached; `unreachable` with `badAddress` for what is no
  /// address; `unknownKind`. A certificate that is not trusted is reported before anything else, and plain http is not
  /// tried after it. `credential` is asked for a key once, and not at all when a kind knows what was typed.
  /// - Parameters:
  ///   - kind: what the person says it is; nil to find out.
  ///   - isBrief: only what it takes to ask is to be learnt, and nothing that a list would show.
  package static func probe(
    _ typed: String, kind: String? = nil, isBrief: Bool = false, http: any HTTP, timeouts: Timeouts = Timeouts(),
    credential: (ServerAddress) -> Credential? = { _ in nil }
  ) async throws(BackendError) -> FoundServer {
    let kinds = kinds.filter { kind == nil || $0.name == kind }
    if let kind, kinds.isEmpty { throw .unknownKind(kind, known: Backends.kinds.map(\.name)) }
    if let claimed = kinds.lazy.compactMap({ $0.claim?(typed) }).first { return claimed }
    let address = try ServerAddress(typed)
    let credential = credential(address)
    var tried: [BackendError.Attempt] = []
    var errors: [BackendError] = []
    for bases in address.origins {
      guard distrust(in: errors) == nil || bases[0].hasPrefix("https:") else { continue }
      var timeouts = timeouts
      if bases != address.origins.last { timeouts.connect = min(timeouts.connect, impatience) }
      var place = ProbedOrigin(
        bases, of: address.description, isOnlyKind: kind != nil, isBrief: isBrief, http: http, credential: credential,
        timeouts: timeouts)
      if let found = try await ask(&place, as: kinds) { return found }
      tried += place.tried
      errors += place.errors
    }
    if let distrust = distrust(in: errors) { throw distrust }
    if errors.count == tried.count, let error = mostTelling(errors) { throw error }
    throw .notFound(tried: tried)
  }

  private static func ask(_ place: inout ProbedOrigin, as kinds: [Kind]) async throws(BackendError) -> FoundServer? {
    /// What a guard in front of everything may be taken for: another kind may know itself by more.
    var guess: FoundServer?
    for kind in kinds {
      guard let probe = kind.probe else { continue }
      do throws(TransportError) {
        guard let found = try await probe(&place) else { continue }
        guard found.kind == Kind.openAI.name, found.models == nil else { return found }
        guess = found
      } catch {
        if error == .cancelled { throw .cancelled }
        if ProbedOrigin.isDead(after: error) { return guess }
      }
    }
    return guess
  }

  private static func distrust(in errors: [BackendError]) -> BackendError? {
    errors.first { if case .untrusted = $0 { true } else { false } }
  }

  /// Why no address could be reached: a refusal or an unknown name before the longest wait, and that before the rest.
  /// nil when one of them was reached after all.
  private static func mostTelling(_ errors: [BackendError]) -> BackendError? {
    if errors.contains(where: \.isUnreadable) { return nil }
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

extension ServerAddress {
  /// The candidates, those of one origin together.
  var origins: [[String]] {
    var groups: [(origin: Origin, bases: [String])] = []
    for base in candidates {
      guard let origin = Origin(url: base) else { continue }
      if groups.last?.origin == origin {
        groups[groups.count - 1].bases.append(base)
      } else {
        groups.append((origin, [base]))
      }
    }
    return groups.map(\.bases)
  }
}

import Chat
import Transport

/// Finds a gateway by what it says at its root: one small request for a server that is none (docs/gateway.md 2).
enum GatewayProbe {
  /// Seconds for a server to greet.
  private static let patience = 5.0

  @Sendable static func find(_ place: inout ProbedOrigin) async throws(TransportError) -> FoundServer? {
    // A version behind a path was meant for one of the models of a platform.
    guard let first = place.bases.first, place.isOnlyKind || !first.hasSuffix("/v1") || first.withoutVersion.isOrigin
    else { return nil }
    let root = first.withoutVersion
    // Other servers have pages of megabytes there, or keep silent.
    let greeting = try await place.peek(root + "/", atMost: GatewayGreeting.limit, within: patience)
    switch greeting.map(GatewayGreeting.init) ?? .other {
    case .form(let form): return await found(form, at: root, place)
    case .mayBe(let form):
      if form.isMarked(by: try await place.get(root + form.markPath, authorized: false)) {
        return await found(form, at: root, place)
      }
    case .other:
      if let greeting, greeting.status == 429 || greeting.status >= 500, let form = try await formByHealth(root, &place)
      {
        return await found(form, at: root, place)
      }
    }
    return place.isOnlyKind ? try await named(at: root, &place) : nil
  }

  /// The form of one that cannot greet now: taken for another kind it would stay that for good, and its reports be calls.
  /// Its health needs no key and has no limit; only what no other server says there counts.
  private static func formByHealth(
    _ root: String, _ place: inout ProbedOrigin
  ) async throws(TransportError) -> GatewayForm? {
    let page = try await place.peek(root + "/health", atMost: GatewayGreeting.limit, within: patience)
    guard let health = page?.json else { return nil }
    let isOurs =
      health["claude_version"] != nil || health["service"]?.string?.contains("wrapper") == true
      || place.isOnlyKind
    return isOurs ? GatewayForm(health: health) : nil
  }

  /// What the person says is a gateway, and does not say so itself: one that lists models, or wants a key for it.
  private static func named(
    at root: String, _ place: inout ProbedOrigin
  ) async throws(TransportError) -> FoundServer? {
    let url = root + "/v1/models"
    let document = try await place.get(url)
    let isGuarded = [401, 403].contains(document.status) && document.json != nil
    guard isGuarded || document.status == 200 && OpenAIModelList(document.json) != nil else {
      place.note(url, document)
      return nil
    }
    return await found(nil, at: root, place)
  }

  private static func found(_ form: GatewayForm?, at root: String, _ place: ProbedOrigin) async -> FoundServer {
    let url = root + "/v1"
    let api = GatewayAPI(place.endpoint(at: url, of: .gateway), form: form)
    // It was found, whether or not it lists its models now.
    let models = place.isBrief ? try? await api.endpoint.modelList().models : try? await api.models()
    return FoundServer(kind: Kind.gateway.name, url: url, models: models)
  }
}

extension String {
  /// An address without `/v1` at its end.
  var withoutVersion: String { hasSuffix("/v1") ? String(dropLast(3)) : self }

  /// Whether an address has no path.
  fileprivate var isOrigin: Bool {
    (firstRange(of: "://").map { self[$0.upperBound...] } ?? self[...]).contains("/") == false
  }
}

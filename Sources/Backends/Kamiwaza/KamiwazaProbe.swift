import Chat
import Transport
import Wire

/// Finds the root of a platform's API (docs/kamiwaza.md 2): most often it is `/api` below the address.
enum KamiwazaProbe {
  @Sendable static func find(_ place: inout ProbedOrigin) async throws(TransportError) -> FoundServer? {
    for root in roots(below: place) {
      let url = root + "/auth/health"
      // Everyone may ask this, so no secret is needed.
      let document = try await place.get(url, authorized: false)
      guard document.status == 200, let health = Health(document.bytes), try await isPlatform(health, root, &place)
      else {
        place.note(url, document, else: "JSON of another program")
        continue
      }
      return FoundServer(
        kind: Kind.kamiwaza.name, url: root, models: health.needsSignIn ? nil : await models(at: root, place))
    }
    return nil
  }

  /// An address with a version in it was meant for an OpenAI-compatible server, such as one of the deployments.
  private static func roots(below place: ProbedOrigin) -> [String] {
    let bases = place.bases.filter { base in
      !(base.hasSuffix("/v1") && place.bases.contains(String(base.dropLast(3))))
    }
    return bases.filter { place.isOnlyKind || !$0.endsInVersion }.flatMap { base in
      base.hasSuffix("/api") ? [base] : [base, base + "/api"]
    }
  }

  /// The answer may be any object (docs/kamiwaza.md 2). One that says nothing is a platform's when the person says so,
  /// or when what only platforms have is there.
  private static func isPlatform(
    _ health: Health, _ root: String, _ place: inout ProbedOrigin
  ) async throws(TransportError) -> Bool {
    if health.isKnown || place.isOnlyKind { return true }
    let document = try await place.get(root + "/serving/deployments", authorized: false)
    return [401, 403].contains(document.status)
      || document.status == 200 && (try? JSON(parsing: document.bytes))?.array != nil  // a page is no list
  }

  private static func models(at root: String, _ place: ProbedOrigin) async -> [Model]? {
    let server = Server(name: "", kind: Kind.kamiwaza.name, url: root)
    // It was found, whether or not it lists its models now.
    return try? await KamiwazaBackend(Endpoint(server, place.http, nil, place.timeouts)).models()
  }

  private struct Health {
    let needsSignIn: Bool
    /// Whether it has what platforms are known to say.
    let isKnown: Bool

    /// nil for what is no object, and for a refusal.
    init?(_ bytes: [UInt8]) {
      guard let json = try? JSON(parsing: bytes),  // described by who asked
        let fields = try? Fields(json), json["error"] == nil, json["detail"] == nil
      else { return nil }
      let usesAuth = fields.flag("KAMIWAZA_USE_AUTH")
      isKnown = usesAuth != nil || fields.text("status") != nil
      needsSignIn = usesAuth != false
    }
  }
}

extension String {
  /// Whether the last part of the path is one such as `v1`.
  fileprivate var endsInVersion: Bool {
    let last = split(separator: "/").last ?? ""
    return last.hasPrefix("v") && last.dropFirst().first?.isNumber == true && last.dropFirst().allSatisfy(\.isNumber)
  }
}

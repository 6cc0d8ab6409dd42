import Chat

/// What became of a deployment that did not answer (docs/kamiwaza.md 5).
enum KamiwazaCondition: Sendable {
  case active(Kamiwaza.Deployment)
  case healing(Kamiwaza.Deployment)
  case gone(state: String?)
  case unknown
}

extension KamiwazaAPI {
  func condition(of deployment: Kamiwaza.Deployment) async -> KamiwazaCondition {
    do throws(BackendError) {
      let deployment = try await self.deployment(deployment)
      if deployment.isActive { return .active(deployment) }
      return deployment.isHealing ? .healing(deployment) : .gone(state: deployment.status?.lowercased())
    } catch {
      return error.isMissing ? .gone(state: nil) : .unknown
    }
  }
}

extension KamiwazaBackend {
  /// A port of its own that speaks no TLS may speak plain http, as old installations do; that is for the person to allow.
  func plainly(_ error: BackendError, of deployment: Kamiwaza.Deployment) -> BackendError {
    guard case .unreachable(_, .tls) = error,
      let url = address.portURL(of: deployment, allowed: server.allowedOrigins), url.hasPrefix("https://")
    else { return error }
    return .withheld(origin: "http" + url.dropFirst("https".count), .inTheClear)
  }
}

extension BackendError {
  var isModelMissing: Bool { if case .modelNotFound = self { true } else { false } }

  /// Whether nothing that could answer is there.
  var isDown: Bool {
    switch self {
    case .refused(_, 502...503, _), .unreachable, .timedOut(_, .connect, _): true
    default: false
    }
  }
}

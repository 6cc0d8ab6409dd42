import Chat
import Transport

/// Signing in to a server that takes a key and has no user accounts.
struct KeyAccount: PlainAccount {
  let endpoint: Endpoint
  /// The resource that a key is tried with. Many servers give it to everybody, and want a key for answers only.
  private let path: String

  private static let modelList = "/models"

  init(_ endpoint: Endpoint, asking path: String = modelList) {
    self.endpoint = endpoint
    self.path = path
  }

  func gate() async throws(BackendError) -> Gate {
    let status = try await statusWithoutKey()
    return Gate(needsSignIn: true, takesToken: true, isOpen: status.map { (200..<300).contains($0) } ?? false)
  }

  /// Returns how the server answers a request without a key; nil if the request fails.
  private func statusWithoutKey() async throws(BackendError) -> Int? {
    do throws(BackendError) {
      return try await endpoint.get(endpoint.base + path, signed: .not).status
    } catch {
      switch error {
      case .cancelled, .untrusted: throw error
      default: return nil
      }
    }
  }

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn {
    throw .signInRefused(address: endpoint.address, .noPasswords)
  }

  func signIn(token: Secret) async throws(BackendError) -> SignedIn {
    guard token.fitsHeader else { throw .signInRefused(address: endpoint.address, .wrongToken) }
    let document = try await endpoint.get(endpoint.base + path, signed: .with(token))
    var isChecked = false
    switch document.status {
    case 200..<300: isChecked = [401, 403].contains(try await statusWithoutKey())
    // A server without a list of models says with its first answer whether it takes the key.
    case let status where path == KeyAccount.modelList && BackendError.missingRoute.contains(status): break
    case let status where ErrorBody(document.said).reportsInvalidKey(status: status):
      throw .signInRefused(address: endpoint.address, .wrongToken)
    // The key is known, and may not list models or has no budget left: it may be good for answers.
    case _ where path == KeyAccount.modelList && OpenAIProbe.refusesList(document): break
    default:
      throw endpoint.failures.status(
        document.status, ErrorBody(document.said), location: document.location,
        retryAfter: RetryAfter.seconds(of: document.response, now: endpoint.clock.sinceEpoch()))
    }
    let kept = await endpoint.bearer.keep(StoredSignIn(.key, token: token, expiresAt: TokenClaims(token)?.expiresAt))
    return SignedIn(person: try await person(), isChecked: isChecked, place: kept.place, problem: kept.problem)
  }

  /// A key does not say whose it is.
  func person() async throws(BackendError) -> Person {
    guard endpoint.bearer.key == nil else { return Person(name: "key") }
    guard let stored = try await endpoint.bearer.stored else {
      return Person(name: "nobody")
    }
    return Person(name: "key", expiresAt: stored.expiresAt, kind: stored.kind)
  }
}

import Chat
import Transport

/// Signing in to a server that takes a key and knows no users.
struct KeyAccount: PlainAccount {
  let endpoint: Endpoint
  /// What only those may ask for whose key is right.
  private let path: String

  private static let modelList = "/models"

  init(_ endpoint: Endpoint, asking path: String = modelList) {
    self.endpoint = endpoint
    self.path = path
  }

  /// Whoever asks is to be asked for a key: many a server lists its models to everybody and answers only some.
  func gate() async throws(BackendError) -> Gate { Gate(needsSignIn: true, takesToken: true) }

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn {
    throw .signInRefused(address: endpoint.address, .noPasswords)
  }

  func signIn(token: Secret) async throws(BackendError) -> SignedIn {
    guard token.fitsHeader else { throw .signInRefused(address: endpoint.address, .wrongToken) }
    let document = try await endpoint.get(endpoint.base + path, signed: .with(token))
    switch document.status {
    case 200..<300: break
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
    return SignedIn(person: try await person(), place: kept.place, problem: kept.problem)
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

import Chat
import Transport

/// A name and a password, sent as they are with each request (RFC 7617).
struct TtydAccount: PlainAccount {
  let api: TtydAPI

  var endpoint: Endpoint { api.endpoint }

  func gate() async throws(BackendError) -> Gate {
    do throws(BackendError) { _ = try await api.token(signed: .not) } catch {
      guard case .unauthorized = error else { throw error }
      return Gate(needsSignIn: true, takesPassword: true)
    }
    return Gate(needsSignIn: false)
  }

  func signIn(name: String, password: Secret) async throws(BackendError) -> SignedIn {
    endpoint.bearer.mask.add(password)
    let pair = BasicCredentials.encoded(Secret(name + ":" + password.reveal()))
    do throws(BackendError) { _ = try await api.token(signed: .with(pair)) } catch {
      guard case .unauthorized = error else { throw error }
      throw .signInRefused(address: endpoint.address, .wrongPassword)
    }
    let kept = await endpoint.bearer.keep(StoredSignIn(.key, token: pair, expiresAt: nil))
    return SignedIn(person: Person(name: name), place: kept.place, problem: kept.problem)
  }

  func signIn(token: Secret) async throws(BackendError) -> SignedIn {
    let parts = token.reveal().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .signInRefused(address: endpoint.address, .wrongToken) }
    return try await signIn(name: String(parts[0]), password: Secret(String(parts[1])))
  }

  func person() async throws(BackendError) -> Person {
    guard let stored = try await endpoint.bearer.stored else { return Person(name: "nobody") }
    return Person(name: BasicCredentials.user(stored.token) ?? "somebody", kind: stored.kind)
  }
}

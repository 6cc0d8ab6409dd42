import Chat
import Wire

/// Finds out who signs people in to a server of tools (docs/mcp.md 7.1 to 7.3). Nothing that is asked on
/// the way is signed.
struct SignInDiscovery: Sendable {
  /// The server's.
  let endpoint: Endpoint

  /// A server has one as a rule; more are not all asked.
  private static let issuerLimit = 3

  /// What is to be protected, and by whom.
  func look(for demand: ResourceDemand) async throws(BackendError) -> (ProtectedResource, AuthorizationServer) {
    guard let resource = try await resource(demand) else { return try await guess(demand) }
    guard !resource.issuers.isEmpty else { throw refused("the server does not say who signs people in") }
    var failure = refused("nobody describes the sign-in of the server")
    for issuer in resource.issuers.prefix(SignInDiscovery.issuerLimit) {
      do throws(BackendError) {
        let authority = try await authority(issuer)
        return (resource, authority)
      } catch {
        guard case .signInRefused = error else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// nil for a server that is described nowhere.
  private func resource(_ demand: ResourceDemand) async throws(BackendError) -> ProtectedResource? {
    // Its own word goes before any guess: where that leads nowhere, somebody has made a mistake that is to be seen.
    if let place = demand.metadata {
      guard let json = try await document(at: place) else {
        throw refused("the server is not described where it says that it is")
      }
      guard let resource = ProtectedResource(json, for: demand.url) else {
        throw refused("the server describes another")
      }
      return resource
    }
    var describesAnother = false
    for place in ProtectedResource.places(of: demand.url) {
      guard let json = try await document(at: place) else { continue }
      if let resource = ProtectedResource(json, for: demand.url) { return resource }
      describesAnother = true
    }
    if describesAnother { throw refused("the server describes another") }
    return nil
  }

  private func authority(_ issuer: String) async throws(BackendError) -> AuthorizationServer {
    var failure = refused("the authorization server does not describe itself")
    for place in AuthorizationServer.places(of: issuer) {
      guard let json = try await document(at: place) else { continue }
      do throws(BackendError) { return try authority(json, issuer) } catch {
        guard case .signInRefused = error else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// All that it names must be where a sign-in may go.
  private func authority(_ json: JSON, _ issuer: String) throws(BackendError) -> AuthorizationServer {
    let authority: AuthorizationServer
    do throws(AuthorizationServer.Refusal) { authority = try AuthorizationServer(json, issuer: issuer) } catch {
      throw refused(error)
    }
    for address in authority.addresses { try check(address) }
    return authority
  }

  /// Servers of 2025-03-26 are their own authority, and are not described as something that is protected.
  private func guess(_ demand: ResourceDemand) async throws(BackendError) -> (ProtectedResource, AuthorizationServer) {
    guard let url = SplitURL(demand.url) else { throw refused("the server's address cannot be used") }
    for place in AuthorizationServer.places(of: url.origin) {
      guard let json = try await document(at: place), let issuer = json["issuer"]?.string else { continue }
      guard issuer == url.origin || issuer == url.origin + "/" else { throw refused(.anotherIssuer) }
      return (ProtectedResource(url: url.origin + url.path, issuer: issuer), try authority(json, issuer))
    }
    throw refused("the server does not say who signs people in")
  }

  /// nil for an address that has none.
  private func document(at url: String) async throws(BackendError) -> JSON? {
    try check(url)
    let document = try await endpoint.at(url).get(url, signed: .not)
    return document.status == 200 ? document.json : nil
  }

  /// It gets codes and gives tokens, never what is signed in with elsewhere: so it may be any host, but neither in the
  /// clear nor, unless the server is here too, on this machine, where other things listen.
  private func check(_ url: String) throws(BackendError) {
    guard let origin = Origin(url: url) else { throw refused("an address of its sign-in cannot be used") }
    if origin.isInTheClear { throw .withheld(origin: origin.url, .inTheClear) }
    guard Network(host: origin.host) == .loopback, let own = Origin(url: endpoint.server.url) else { return }
    guard Network(host: own.host) == .loopback else { throw refused("it sends the sign-in to this machine") }
  }

  private func refused(_ reason: String) -> BackendError { .notSignedIn(endpoint.address, reason) }

  private func refused(_ refusal: AuthorizationServer.Refusal) -> BackendError {
    switch refusal {
    case .anotherIssuer: refused("the authorization server calls itself by another name")
    case .incomplete: refused("the authorization server does not say where it signs people in")
    case .noPKCE: refused("the authorization server does not protect the code that it sends (PKCE)")
    }
  }
}

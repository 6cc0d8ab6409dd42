import Chat
import Wire

/// Has an authorization server know us (RFC 7591; docs/mcp.md 7.4).
struct ClientRegistration: Sendable {
  /// That of the server of tools.
  let endpoint: Endpoint
  let authority: AuthorizationServer

  /// What the issuer knows us as from now on.
  func clientID(redirect: String, scope: String?) async throws(BackendError) -> String {
    guard let url = authority.registration else {
      throw .notSignedIn(endpoint.address, "its sign-in takes only programs that it knows: a client id is needed")
    }
    let registrar = endpoint.at(url)
    let document = try await registrar.send(
      registrar.request("POST", url, json: application(redirect, scope)), signed: .not)
    guard document.isSuccess else { throw .notSignedIn(endpoint.address, error: document.json?["error"]?.string) }
    guard let id = document.json?["client_id"]?.string, !id.isEmpty else {
      throw .malformed(address: registrar.address, detail: "no client id")
    }
    return id
  }

  private func application(_ redirect: String, _ scope: String?) -> JSON {
    var application: JSON = [
      "client_name": "parley", "application_type": "native", "redirect_uris": [.string(redirect)],
      "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
      "token_endpoint_auth_method": "none",
    ]
    application["scope"] = scope.map(JSON.string)
    return application
  }
}

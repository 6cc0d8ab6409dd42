import Chat
import Transport

/// Signs the requests to a platform's tool servers with the platform's own sign-in, which goes only where the person lets
/// it (docs/rules.md T10). Never as a cookie: behind the gateway is somebody else's program.
struct PlatformSigner: MCPSigner {
  /// The platform's.
  let endpoint: Endpoint

  func sign(_ request: inout HTTPRequest) async throws(ToolError) {
    do throws(BackendError) {
      if let token = try await endpoint.token(for: request.url) { request.authorize(with: token) }
    } catch { throw .server(error) }
  }

  func refused(_ request: HTTPRequest, _ response: HTTPResponse) async throws(ToolError) -> Bool {
    do throws(BackendError) {
      let endpoint = endpoint.at(request.url)
      let token = request.bearerToken
      guard response.status == 401 else {
        throw .refused(address: endpoint.address, status: response.status, message: "")
      }
      if endpoint.isWrongEnvironmentKey(token) {
        throw .signInRefused(address: endpoint.address, .wrongEnvironmentKey)
      }
      if try await endpoint.another(than: token, for: request.url) != nil { return true }
      throw .unauthorized(address: endpoint.address, message: "")
    } catch { throw .server(error) }
  }

  var secrets: SecretMask? { endpoint.bearer.mask }
}

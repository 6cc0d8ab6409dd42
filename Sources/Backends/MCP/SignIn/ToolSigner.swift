import Chat
import Transport
import Waiting

/// Signs the requests to a server of tools that the person added with what they signed in to it with, and remembers what
/// it asked for when it let nobody in (docs/mcp.md 7.7).
final class ToolSigner: MCPSigner, Sendable {
  /// How often a server may want more rights than it had wanted before.
  private static let stepLimit = 2

  let endpoint: Endpoint
  private let asked = Locked(Asked())

  private struct Asked {
    var last: ResourceDemand?
    /// How often more rights were wanted than before.
    var steps = 0
  }

  init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  /// What the server wants of whoever signs in next; nil when it was not asked, or has what it wants.
  var demand: ResourceDemand? { asked.withLock { $0.last } }

  /// Keeps what was asked of somebody who came with nothing.
  func note(_ demand: ResourceDemand) { asked.withLock { $0.last = demand } }

  /// The person has signed in.
  func settle() {
    asked.withLock { asked in
      if asked.last?.lacksScope ?? false { asked.steps += 1 }
      asked.last = nil
    }
  }

  func sign(_ request: inout HTTPRequest) async throws(ToolError) {
    do throws(BackendError) {
      if let token = try await endpoint.token(for: request.url) { request.authorize(with: token) }
    } catch { throw reason(error) }
  }

  func refused(_ request: HTTPRequest, _ response: HTTPResponse) async throws(ToolError) -> Bool {
    let token = request.bearerToken
    do throws(BackendError) {
      if response.status == 401, try await endpoint.another(than: token, for: request.url) != nil { return true }
    } catch { throw reason(error) }
    guard let demand = ResourceDemand(response, to: request.url) else {
      // Some servers know no other word for somebody who did not say who they are.
      guard token != nil else { return false }
      throw .server(.refused(address: endpoint.address, status: response.status, message: ""))
    }
    try remember(demand)
    throw .signInNeeded(url: endpoint.server.url)
  }

  var secrets: SecretMask? { endpoint.bearer.mask }

  private func remember(_ demand: ResourceDemand) throws(ToolError) {
    let hasHadEnough = asked.withLock { asked in
      if demand.lacksScope, asked.steps >= ToolSigner.stepLimit { return true }
      asked.last = demand
      return false
    }
    guard hasHadEnough else { return }
    throw .server(.refused(address: endpoint.address, status: 403, message: "it wants ever more rights"))
  }

  /// A sign-in that cannot be renewed is one that has ended.
  private func reason(_ error: BackendError) -> ToolError {
    if case .unauthorized = error { return .signInNeeded(url: endpoint.server.url) }
    return .server(error)
  }
}

/// Signs with a token that is being tried, or with nothing, to see what a server says.
struct TrialSigner: MCPSigner {
  let endpoint: Endpoint
  let token: Secret?
  /// Told what the server asks for.
  var demanded: @Sendable (ResourceDemand) -> Void = { _ in }

  func sign(_ request: inout HTTPRequest) async throws(ToolError) {
    do throws(BackendError) {
      guard let token, let token = try await endpoint.token(for: request.url, .with(token)) else { return }
      request.authorize(with: token)
    } catch { throw .server(error) }
  }

  func refused(_ request: HTTPRequest, _ response: HTTPResponse) async throws(ToolError) -> Bool {
    if let demand = ResourceDemand(response, to: request.url) { demanded(demand) }
    if token != nil { throw .server(.signInRefused(address: endpoint.address, .wrongToken)) }
    throw .signInNeeded(url: endpoint.server.url)
  }

  var secrets: SecretMask? { endpoint.bearer.mask }
}

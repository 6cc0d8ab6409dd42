import Chat
import Foundation
import Transport

/// What the routes share: the options, who is signed in, what is deployed, the way to the model.
struct Playground: Sendable {
  let options: Options
  let accounts: Accounts
  let deployments: Deployments
  let counts: Counts
  let provider: IdentityProvider
  let http: CurlHTTP
  /// The name by which the local model is asked.
  let servedModel: String?

  /// Who sent the call; refuses one without a good token (docs/kamiwaza.md 8), unless no sign-in is asked for.
  func identity(of call: Call) async throws(Refusal) -> Identity {
    if options.noAuth { return Identity(user: User.all[1], kind: .none, id: "") }
    guard let token = call.token else { throw .unauthorized("Not authenticated") }
    return try await accounts.identity(of: token)
  }

  /// The address of a path below the place where everything is served.
  func address(of path: String, for call: Call) -> String { call.origin + options.prefix + path }
}

/// How often each route was asked.
actor Counts {
  private(set) var all: [String: Int] = [:]

  func add(_ route: String) { all[route, default: 0] += 1 }
}

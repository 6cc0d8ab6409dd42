import Chat
import Foundation
import Waiting

extension Kind {
  static let kamiwaza = Kind(
    name: "kamiwaza", summary: "the Kamiwaza platform: its deployments, models, data, apps and tools",
    make: { _, surroundings, endpoint in
      KamiwazaBackend(endpoint(), overrides: KamiwazaAddress.Overrides(environment: surroundings.environment))
    }, claim: nil, probe: KamiwazaProbe.find)
}

/// A Kamiwaza platform: its deployments are the models, and each is asked as an OpenAI-compatible server.
struct KamiwazaBackend: Backend {
  let api: KamiwazaAPI
  let address: KamiwazaAddress
  /// What is known of its deployments, for this process.
  let memory = KamiwazaMemory()

  init(_ endpoint: Endpoint, overrides: KamiwazaAddress.Overrides = KamiwazaAddress.Overrides()) {
    api = KamiwazaAPI(endpoint)
    address = KamiwazaAddress(root: endpoint.server.url, overrides: overrides)
  }

  var server: Server { api.endpoint.server }
  let abilities: Abilities = [.models, .systemPrompt, .sampling, .continues, .tools, .images]

  var account: (any Account)? { KamiwazaAccount(api.endpoint) }
  var browsing: (any Browsing)? { KamiwazaBrowsing(api: api, address: address) }
  var tooling: (any Tooling)? { KamiwazaTooling(api: api, address: address) }

  func models() async throws(BackendError) -> [Model] { try await list().models }

  func answer(_ question: ChatRequest) -> Answer {
    let answer = KamiwazaAnswer(question, of: self)
    return Answer(
      next: { () async throws(BackendError) in try await answer.next() }, stop: { answer.stopSwitch.stop() }
    ).masked(by: api.endpoint.bearer.mask)
  }

  func countTokens(of question: ChatRequest) async -> Int? {
    guard let entry = memory.models?.find(question.model) else { return nil }
    var question = question
    let id = entry.deployment.id
    question.model = memory.name(for: id) ?? entry.deployment.canonicalModelID ?? question.model
    return await endpoint(of: entry.deployment).countTokens(of: question, memory.dialect(for: id))
  }

  /// Asks for the deployments, and keeps them.
  func list() async throws(BackendError) -> KamiwazaModels {
    let models = KamiwazaModels(try await api.deployments())
    memory.keep(models)
    return models
  }

  /// The deployment that a name means, from the last list or, when it is not there, a new one.
  func find(_ name: String?) async throws(BackendError) -> KamiwazaModels.Entry {
    if let known = memory.models?.find(name) { return known }
    if let found = try await list().find(name) { return found }
    throw .modelNotFound(name: name ?? "", message: name == nil ? "none is deployed" : "not among the deployments")
  }

  /// Where a deployment is asked.
  func endpoint(of deployment: Kamiwaza.Deployment) -> Endpoint {
    api.endpoint.at(address.endpoint(of: deployment, allowed: server.allowedOrigins))
  }
}

/// What a process has learnt of a server's deployments.
final class KamiwazaMemory: Sendable {
  private let list = Locked<KamiwazaModels?>(nil)
  private let names = Locked<[String: String]>([:])
  private let dialects = Locked<[String: LearnedDialect]>([:])

  var models: KamiwazaModels? { list.withLock { $0 } }

  func keep(_ models: KamiwazaModels) { list.withLock { $0 = models } }

  /// A model that is gone may have been deployed anew: the next question asks for a new list.
  func forgetList() { list.withLock { $0 = nil } }

  /// What an engine took as `model`.
  func name(for deployment: String) -> String? { names.withLock { $0[deployment] } }

  func remember(_ name: String, for deployment: String) { names.withLock { $0[deployment] = name } }

  func forget(_ deployment: String) { names.withLock { $0[deployment] = nil } }

  /// What an engine turned out to take.
  func dialect(for deployment: String) -> LearnedDialect {
    dialects.withLock { dialects in
      if let known = dialects[deployment] { return known }
      let dialect = LearnedDialect()
      dialects[deployment] = dialect
      return dialect
    }
  }
}

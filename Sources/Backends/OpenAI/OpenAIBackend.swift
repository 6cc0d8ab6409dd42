import Chat
import Foundation
import Transport
import Waiting
import Wire

extension Kind {
  static let openAI = Kind(
    name: "openai", summary: "OpenAI-compatible chat: llama.cpp, vLLM, Ollama, LiteLLM and many more",
    make: { _, _, endpoint in OpenAIBackend(endpoint()) }, claim: nil, probe: OpenAIProbe.find)
}

/// A server that speaks OpenAI's chat completions.
struct OpenAIBackend: Backend {
  let endpoint: Endpoint
  /// What this server turned out to take, kept for its next answers.
  let dialect = LearnedDialect()

  init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  var server: Server { endpoint.server }
  let abilities: Abilities = [.models, .systemPrompt, .sampling, .continues, .tools, .images]

  func answer(_ question: ChatRequest) -> Answer {
    let answer = OpenAIAnswer(question, endpoint: endpoint, dialect: dialect)
    return Answer(
      next: { () async throws(BackendError) in try await answer.next() }, stop: { answer.stopSwitch.stop() }
    ).masked(by: endpoint.bearer.mask)
  }

  func takesImages(_ model: String?) async -> Bool? { await endpoint.takesImages(model) }

  func countTokens(of question: ChatRequest) async -> Int? { await endpoint.countTokens(of: question, dialect) }

  var account: (any Account)? { KeyAccount(endpoint) }

  func models() async throws(BackendError) -> [Model] {
    let list = try await endpoint.modelList()
    dialect.update { $0.isVLLM = list.isVLLM }
    return await list.withContextWindows(asking: endpoint)
  }
}

extension Endpoint {
  /// The server's models as they are listed.
  func modelList() async throws(BackendError) -> OpenAIModelList {
    let document = try await get(base + "/models")
    guard document.status == 200 else {
      throw failures.status(document.status, ErrorBody(document.said), location: document.location)
    }
    guard let list = OpenAIModelList(document.json) else {
      throw .malformed(address: address, detail: OpenAIProbe.description(of: document.said))
    }
    return list
  }
}

/// A dialect that several answers learn and use.
final class LearnedDialect: Sendable {
  private let dialect = Locked(OpenAIChat())

  var current: OpenAIChat { dialect.withLock { $0 } }

  func update(_ change: (inout OpenAIChat) -> Void) { dialect.withLock { change(&$0) } }
}

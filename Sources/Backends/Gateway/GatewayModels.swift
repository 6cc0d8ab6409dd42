import Chat
import Wire

extension GatewayAPI {
  /// The models, with what they can do and cost where the server tells (docs/gateway.md 8).
  func models() async throws(BackendError) -> [Model] {
    let models = try await patiently { () async throws(BackendError) in try await listed() }
    guard try await asksForCapabilities() else { return models }
    // Most servers do not tell: the list is as good without.
    let json: JSON
    do throws(BackendError) { json = try await get("/models/capabilities") } catch {
      if error == .cancelled { throw error }
      if error.isMissing { memory.hasCapabilities = false }
      return models
    }
    guard let entries = (json["data"] ?? json["models"])?.array else {
      memory.hasCapabilities = false
      return models
    }
    memory.hasCapabilities = true
    return models.map { model in
      entries.first { $0["id"]?.word == model.id }.map { model.knowing(capabilities: $0) } ?? model
    }
  }

  private func listed() async throws(BackendError) -> [Model] {
    do throws(BackendError) { return try await endpoint.modelList().models } catch {
      // How long is not said: this kind wants to be left alone.
      if memory.form == .program, case .rateLimited(let address, let message, nil) = error {
        throw .rateLimited(address: address, message: message, retryAfter: GatewayAPI.silence)
      }
      throw error
    }
  }

  /// Each request counts for a person whose key has a limit of ten.
  private func asksForCapabilities() async throws(BackendError) -> Bool {
    guard memory.hasCapabilities != false else { return false }
    switch try await form() {
    case .documented: return true
    case .program: return await !endpoint.bearer.hasSignIn
    case .relay, .keeper: return false
    }
  }
}

extension Model {
  func knowing(capabilities json: JSON) -> Model {
    var model = self
    let limit = (json["context_window"] ?? json["max_tokens"])?.tokenCount
    model.contextWindow = contextWindow ?? limit.flatMap { $0 > 0 ? $0 : nil }
    let pricing = json["pricing"]
    var features = (json["features"]?.array ?? []).compactMap(\.string)
    for (key, feature) in [("supports_streaming", "streaming"), ("supports_tools", "tools")]
    where json[key]?.bool == true && !features.contains(feature) {
      features.append(feature)
    }
    model.details = ModelDetails(
      title: json["name"]?.word, about: json["description"]?.word, features: features,
      promptPrice: (pricing?["input"] ?? pricing?["input_cost_per_1k_tokens"])?.price,
      completionPrice: (pricing?["output"] ?? pricing?["output_cost_per_1k_tokens"])?.price,
      currency: pricing?["currency"]?.word)
    return model
  }
}

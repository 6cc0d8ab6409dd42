import Chat
import Transport
import Wire

/// What a server lists under `/models`: OpenAI's `data`, Ollama's `models`, or a bare array.
struct OpenAIModelList {
  private(set) var models: [Model]
  private var owners: Set<String>

  /// nil when the JSON is not a list of models.
  init?(_ json: JSON?) {
    guard let json, let entries = json["data"]?.array ?? json["models"]?.array ?? json.array
    else { return nil }
    models = entries.compactMap(OpenAIModelList.model)
    if models.isEmpty && !entries.isEmpty { return nil }
    owners = Set(entries.compactMap { $0["owned_by"]?.string })
  }

  var isVLLM: Bool { owners.contains("vllm") }

  private static func model(_ entry: JSON) -> Model? {
    guard let id = ["id", "model", "name"].lazy.compactMap({ entry[$0]?.string }).first else { return nil }
    return Model(
      id: id, contextWindow: contextWindow(entry),
      state: entry["state"]?.string ?? entry["status"]?.string ?? entry["status"]?["value"]?.string,
      isForChat: ModelPurpose.isForChat(entry, named: id))
  }

  private static func contextWindow(_ entry: JSON) -> Int? {
    let keys = [
      "n_ctx", "loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length",
      "max_input_tokens", "n_ctx_train",
    ]
    for place in [entry["meta"], entry] {
      if let number = keys.lazy.compactMap({ place?[$0]?.tokenCount }).first(where: { $0 > 0 }) { return number }
    }
    return nil
  }
}

extension OpenAIModelList {
  /// The models with what servers of known makes tell elsewhere. Nothing fails when they do not tell.
  func withContextWindows(asking endpoint: Endpoint) async -> [Model] {
    if owners.contains("llamacpp") { return await withLlamaWindow(endpoint) }
    if owners.contains("library") || models.contains(where: { $0.contextWindow == nil }) {
      return await withOllamaWindows(endpoint)
    }
    return models
  }

  /// llama.cpp lists the context a model was trained with; `/props` has the one that it runs with.
  private func withLlamaWindow(_ endpoint: Endpoint) async -> [Model] {
    guard models.count == 1, let props = await endpoint.besideChat("/props"),
      let window = props["default_generation_settings"]?["n_ctx"]?.tokenCount ?? props["n_ctx"]?.tokenCount, window > 0
    else { return models }
    return models.map { model in
      var model = model
      model.contextWindow = window
      return model
    }
  }

  /// Ollama tells the context of the models that are loaded.
  private func withOllamaWindows(_ endpoint: Endpoint) async -> [Model] {
    guard let running = await endpoint.besideChat("/api/ps")?["models"]?.array else { return models }
    return models.map { model in
      guard let entry = running.last(where: { $0["name"]?.string == model.id }) else { return model }
      var model = model
      model.contextWindow = model.contextWindow ?? entry["context_length"]?.tokenCount
      model.state = model.state ?? "loaded"
      return model
    }
  }
}

extension Endpoint {
  /// Where the routes beside the chat interface begin.
  var rootOfChat: String { base.hasSuffix("/v1") ? String(base.dropLast(3)) : base }

  /// A page of llama.cpp or Ollama beside the chat interface; nil from a server that has none.
  func besideChat(_ path: String) async -> JSON? {
    // Best effort: a server that does not answer this works without.
    guard let document = try? await within(seconds: 3).get(rootOfChat + path), document.status == 200 else {
      return nil
    }
    return document.json
  }

  /// Whether the template of llama.cpp's model has a place for tools; nil when it does not say. Without one, tools are
  /// taken and never reach the model.
  func llamaTakesTools() async -> Bool? { await besideChat("/props")?["chat_template_caps"]?["supports_tools"]?.bool }
}

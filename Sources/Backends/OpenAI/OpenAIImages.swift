import Chat
import Transport
import Wire

/// Whether a model takes images, as servers of known makes tell it (docs/openai.md 5).
enum ImageTaking {
  /// What an entry of a list of models says of it; nil where it says nothing.
  static func told(by entry: JSON) -> Bool? {
    let architecture = entry["architecture"] ?? .null
    for kinds in [architecture["input_modalities"], entry["input_modalities"], entry["modalities"]?["input"]] {
      // OpenRouter, LiteLLM, llama.cpp.
      if let kinds = kinds?.array { return kinds.contains { $0.string == "image" } }
    }
    for told in [entry["capabilities"]?["vision"], entry["supports_vision"], entry["supports_image_input"]] {
      // Mistral, LiteLLM.
      if let told = told?.bool { return told }
    }
    // A word that is there says yes; one that is not says nothing, for each make has words of its own.
    let words = entry["capabilities"]?.array?.compactMap(\.string) ?? []
    if words.contains(where: ["vision", "multimodal", "image"].contains) { return true }
    return entry["type"]?.string == "vlm" ? true : nil
  }
}

extension Endpoint {
  /// nil where the server does not say.
  func takesImages(_ model: String?) async -> Bool? {
    // Best effort: a server that does not tell is sent the image, and says itself what it thinks of it.
    guard let document = try? await within(seconds: 3).get(base + "/models"), document.status == 200,
      let json = document.json
    else { return nil }
    let entries = (json["data"]?.array ?? json.array ?? []) + (json["models"]?.array ?? [])
    let own = entries.filter { entry in
      ["id", "model", "name"].contains { entry[$0]?.string == model } || entries.count == 1 && model == nil
    }
    for entry in own {
      if let told = ImageTaking.told(by: entry) { return told }
    }
    let owners = Set(entries.compactMap { $0["owned_by"]?.string })
    // Of several only one is running, and which one it is was not asked.
    if owners.contains("llamacpp"), (json["data"]?.array ?? []).count == 1 {
      return await besideChat("/props")?["modalities"]?["vision"]?.bool
    }
    guard let model else { return nil }
    if owners.contains("library") { return await ollamaTakesImages(model) }
    if owners.contains("organization_owner") {
      return await besideChat("/api/v0/models/\(model.percentEncoded)")?["type"]?.string.map { $0 == "vlm" }
    }
    return nil
  }

  /// Ollama has a list of what a model can do; older ones have none.
  private func ollamaTakesImages(_ model: String) async -> Bool? {
    let patient = within(seconds: 3)
    let request = patient.request("POST", rootOfChat + "/api/show", json: ["model": .string(model)])
    guard let document = try? await patient.send(request), document.status == 200,  // as above
      let abilities = document.json?["capabilities"]?.array
    else { return nil }
    return abilities.contains { $0.string == "vision" }
  }
}

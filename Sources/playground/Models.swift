import Wire

/// The models that are known, deployed or not.
enum Models {
  struct Model: Sendable {
    var id: String
    var name: String
    var repository: String?
    var family: String?
    var author: String?
    var about: String?
    var files: [(name: String, size: Int)]
    var quantizations: [String]

    func json(withFiles: Bool, inSeedShape isSeed: Bool) -> JSON {
      var json: JSON = [
        "id": .string(id), "name": .string(name), "repo_modelId": text(repository), "modelfamily": text(family),
        "purpose": .null, "version": .null, "author": text(author), "hub": "hf", "description": text(about),
        "private": false, "hosted": "local", "m_files": .array(withFiles ? files.map(file) : []),
        "files_being_downloaded": .array([]), "created_timestamp": "2026-01-28T16:40:02.771200",
        "modified_timestamp": .null,
      ]
      if isSeed { json["available_quantizations"] = .array(quantizations.map(JSON.string)) }
      return json
    }

    private func file(_ file: (name: String, size: Int)) -> JSON {
      [
        "id": .string(Sample.id("file", file.name)), "name": .string(file.name), "size": .int(file.size), "hub": "hf",
        "model_id": .string(id), "download": true, "is_downloading": false, "download_percentage": 100,
      ]
    }

    private func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
  }

  static let all = [
    Model(
      id: Sample.id("model", "smollm2"), name: "SmolLM2-135M-Instruct",
      repository: "HuggingFaceTB/SmolLM2-135M-Instruct",
      family: "smollm2", author: "HuggingFaceTB", about: "A very small model that follows instructions.",
      files: [("SmolLM2-135M-Instruct-Q4_K_M.gguf", 105_454_432), ("SmolLM2-135M-Instruct-Q8_0.gguf", 144_811_360)],
      quantizations: ["Q4_K_M", "Q8_0"]),
    Model(
      id: Sample.id("model", "qwen"), name: "Qwen3-8B", repository: "Qwen/Qwen3-8B-AWQ", family: "qwen3",
      author: "Qwen",
      about: nil, files: [("model.safetensors", 6_100_000_000), ("tokenizer.json", 11_422_654)],
      quantizations: ["AWQ"]),
    Model(
      id: Sample.id("model", "llama"), name: "Llama-3.3-70B-Instruct", repository: "meta-llama/Llama-3.3-70B-Instruct",
      family: "llama", author: "meta-llama", about: "A large model; it needs two accelerators.", files: [],
      quantizations: []),
    Model(
      id: Sample.id("model", "bge"), name: "bge-small-en-v1.5", repository: "BAAI/bge-small-en-v1.5", family: "bert",
      author: "BAAI", about: "Turns text into vectors.", files: [("model.safetensors", 133_466_304)], quantizations: []),
    Model(
      id: Sample.id("model", "own"), name: "house-style-lora", repository: nil, family: nil, author: nil, about: nil,
      files: [("adapter.safetensors", 9_218_044)], quantizations: []),
  ]
}

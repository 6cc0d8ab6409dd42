import Wire

/// Whether one can chat with a model, as its entry in a list or its name tells it (docs/openai.md 6).
enum ModelPurpose {
  /// Whether an entry of a list of models is of one to chat with: what the server says counts, then the name.
  static func isForChat(_ entry: JSON, named name: String) -> Bool {
    for told in [entry["capabilities"]?["completion_chat"], entry["capabilities"]?["chat"]] {
      // Mistral.
      if let told = told?.bool { return told }
    }
    let abilities = words(in: entry["capabilities"])
    let kinds = kindPlaces.flatMap { words(in: $0.reduce(entry) { $0?[$1] }) }
    if (kinds + abilities).contains(where: chatWords.contains) { return true }
    // An image may be what a model that chats takes, so it tells something only as a kind.
    if kinds.contains(where: { word in otherParts.contains(where: word.contains) || otherKinds.contains(word) })
      || abilities.contains(where: { word in otherParts.contains(where: word.contains) })
    {
      return false
    }
    return !isNamedForOtherUse(name)
  }

  /// Whether a name is of a family of models that embed, rank, transcribe, speak, draw or moderate.
  static func isNamedForOtherUse(_ name: String) -> Bool {
    let lowered = name.lowercased()
    if otherParts.contains(where: lowered.contains) { return true }
    return lowered.split { !$0.isLetter && !$0.isNumber }.contains { otherFamilies.contains(String($0)) }
  }

  /// Where servers say what a model is for: LM Studio and Together, LiteLLM, Llama Stack and Xinference, Copilot,
  /// OpenRouter, Google, Cohere, New API.
  private static let kindPlaces: [[String]] = [
    ["type"], ["mode"], ["model_info", "mode"], ["model_type"], ["metadata", "model_type"],
    ["custom_metadata", "model_type"], ["task"], ["task", "name"], ["capabilities", "type"],
    ["architecture", "output_modalities"], ["output_modalities"], ["supported_generation_methods"], ["endpoints"],
    ["supported_endpoint_types"],
  ]

  private static let chatWords: Set = [
    "chat", "completion", "completions", "responses", "llm", "vlm", "language", "text", "text-generation",
    "text_generation", "text generation", "image-text-to-text", "conversational", "generate", "generatecontent",
    "chat_completion", "chat-completion", "openai", "tools",
  ]

  /// Parts of words and of names for what other models do.
  private static let otherParts = ["embed", "rerank", "transcri", "whisper", "diffusion", "moderation", "classif"]

  /// Kinds of other models.
  private static let otherKinds: Set = [
    "audio", "speech", "tts", "stt", "asr", "audio_speech", "image", "image_generation", "images", "video", "ocr",
    "feature-extraction", "sentence-similarity", "automatic-speech-recognition", "text-to-speech", "text-to-image",
    "rank", "score", "search",
  ]

  /// Families and uses of other models, as parts of a name.
  private static let otherFamilies: Set = [
    "bge", "e5", "gte", "minilm", "mxbai", "colbert", "splade", "clip", "siglip", "sdxl", "flux", "dall", "imagen",
    "tts", "stt", "asr", "speech", "parakeet", "kokoro", "piper", "xtts", "wav2vec", "wav2vec2", "musicgen", "realtime",
  ]

  /// The words of a string, or of a list; of an object the names of its members that are true.
  private static func words(in json: JSON?) -> [String] {
    switch json {
    case .string(let word): [word.lowercased()]
    case .array(let elements): elements.compactMap { $0.string?.lowercased() }
    case .object(let members): members.filter { $0.value.bool == true }.map { $0.key.lowercased() }
    default: []
    }
  }
}

import Chat
import Wire

extension FinishReason {
  /// What servers write for the three ends there are; anything else is kept as it came. Where calls are read, to end
  /// with one is to end as it should.
  init(openAI word: String, endsWithCalls: Bool = false) {
    switch word {
    case "tool_calls", "function_call", "tool_use": self = endsWithCalls ? .stop : .other(word)
    case "stop", "eos", "eos_token", "stop_sequence", "end_turn": self = .stop
    case "length", "max_tokens": self = .length
    case "content_filter": self = .filtered
    default: self = .other(word)
    }
  }
}

extension Usage {
  /// A `usage` object; nil when it counts nothing.
  init?(openAI data: UnsafeBufferPointer<UInt8>, at place: Int) throws(JSON.Failure) {
    self.init()
    try read(data, at: place) { (key, number) in
      switch key {
      case "prompt_tokens", "input_tokens": promptTokens = number.tokenCount
      case "completion_tokens", "output_tokens": completionTokens = number.tokenCount
      case "cost": cost = number.double.flatMap { $0.isFinite ? $0 : nil }
      default: break
      }
    }
    if self == Usage() { return nil }
  }

  /// llama.cpp's `timings`, which count the prompt without what was in its cache.
  init?(timings data: UnsafeBufferPointer<UInt8>, at place: Int) throws(JSON.Failure) {
    self.init()
    var cached = 0
    try read(data, at: place) { (key, number) in
      switch key {
      case "prompt_n": promptTokens = number.tokenCount
      case "cache_n": cached = number.tokenCount ?? 0
      case "predicted_n": completionTokens = number.tokenCount
      default: break
      }
    }
    if self == Usage() { return nil }
    promptTokens = promptTokens.map { min($0 + cached, TokenCount.limit) }
  }
}

/// Hands out the numbers of an object.
private func read(
  _ data: UnsafeBufferPointer<UInt8>, at place: Int, _ member: (JSONReader.Key, JSON) -> Void
) throws(JSON.Failure) {
  var reader = JSONReader(data, at: place)
  try reader.beginObject()
  while let key = try reader.nextKey() {
    if try reader.kind() == .number { member(key, try reader.number()) } else { try reader.skip() }
  }
}

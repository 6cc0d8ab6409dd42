import Chat
import Wire

extension FinishReason {
  /// Reads a reason to stop in the spelling of any server or gateway: case and punctuation do not matter, and neither
  /// does a prefix such as `FinishReason.`. An unknown reason becomes `other`; nil when the word gives no reason.
  /// - Parameter endsWithCalls: whether tool calls are a good end here.
  init?(openAI word: String, endsWithCalls: Bool = false) {
    var letters = FinishReason.letters(of: word)
    for prefix in ["finishreason", "stopreason", "reason"] where letters.hasPrefix(prefix) {
      letters.removeFirst(prefix.count)
    }
    if Words.none.contains(letters) { return nil }
    if Words.calls.contains(letters) {
      self = endsWithCalls ? .stop : .other(word)
    } else if Words.stop.contains(letters) {
      self = .stop
    } else if Words.length.contains(letters) {
      self = .length
    } else if Words.filter.contains(letters) || letters.hasPrefix("contentfilter") {
      self = .filtered
    } else {
      self = .other(word)
    }
  }

  /// Returns the reason that the fields of a choice give; nil if they give none.
  /// - Parameters:
  ///   - stop: `stop_reason`. Beside a `finish_reason` it is the stop string or token that matched.
  ///   - native: `native_finish_reason`, the word of the server behind a router. It may report a failure that the router
  ///     calls a good end.
  init?(finish: JSON?, stop: JSON?, native: JSON?, endsWithCalls: Bool = false, mask: SecretMask? = nil) {
    func reason(_ field: JSON?) -> FinishReason? {
      guard let word = field.flatMap(FinishReason.word) else { return nil }
      return FinishReason(openAI: mask?(word) ?? word, endsWithCalls: endsWithCalls)
    }
    guard let main = reason(finish) ?? reason(stop) else { return nil }
    self = main
    guard main == .stop else { return }
    switch reason(native) {
    case .length?: self = .length
    case .filtered?: self = .filtered
    case .other(let word)?
    where word.contains(/malformed|error|fail|abort|cancel|unexpected|invalid|time.?out/.ignoresCase()):
      self = .other(word)
    default: break
    }
  }

  /// The word of a reason that is a text, an object, or a list; nil for an empty one. Anything else is its own word.
  private static func word(of reason: JSON) -> String? {
    switch reason {
    case .null, .bool(false), .int(0): nil
    case .string(let word): word
    case .array(let reasons) where reasons.count <= 1: reasons.first.flatMap(word)
    default: reason["type"]?.string ?? reason["reason"]?.string ?? reason.serialized()
    }
  }

  /// Whether a word means that the answer ends with tool calls.
  static func meansCalls(_ word: String) -> Bool { Words.calls.contains(letters(of: word)) }

  /// Whether the server ended the answer for tool calls.
  var isOfCalls: Bool { if case .other(let word) = self { FinishReason.meansCalls(word) } else { false } }

  /// Returns a word in lower case without its punctuation.
  static func letters(of word: String) -> String { word.lowercased().filter { $0.isLetter || $0.isNumber } }

  private enum Words {
    /// Placeholders that some servers send with every chunk.
    static let none: Set = ["", "null", "none", "notfinished", "unfinished", "unspecified"]
    static let calls: Set = ["toolcalls", "toolcall", "functioncall", "functioncalls", "tooluse"]
    static let stop: Set = [
      // OpenAI, Gemini
      "stop",
      // Anthropic, ACP agents
      "endturn", "stopsequence",
      // llama.cpp, TGI, LM Studio
      "eos", "word", "eostoken", "eosfound", "stopstringfound",
      // Cohere, AI21, Titan on Bedrock
      "complete", "endoftext", "finish", "finished", "stopcriteriamet",
      // Spellings of gateways
      "stopped", "stopsequencereached", "stopword", "endofturn", "end", "completed", "done", "normal", "success",
      "succeeded", "stoptoken", "modelstop",
    ]
    static let length: Set = [
      // OpenAI, Ollama
      "length",
      // Anthropic, Gemini, ACP agents
      "maxtokens", "modelcontextwindowexceeded",
      // Mistral, Cohere, watsonx
      "modellength", "errorlimit", "tokenlimit",
      // llama.cpp, LM Studio
      "limit", "maxpredictedtokensreached", "contextlengthreached",
      // Spellings of gateways, often the name of the parameter or the error
      "maxlength", "maxlen", "maxtoken", "maxtokensreached", "maximumtokens", "maxoutput", "maxoutputtokens",
      "maxcompletiontokens", "maxnewtokens", "maxcontext", "tokenlimitreached", "lengthlimit", "outputlimit",
      "maxtokensexceeded", "outputtokenlimit", "maxtotaltokens", "outofcontext", "kvcachefull", "numpredict",
      "truncation",
      "lengthcapped", "truncated", "context", "contextlength", "contextlengthexceeded", "contextlimit",
      "contextwindowexceeded",
    ]
    /// Beside all that begin with `content_filter`, as of OpenAI, Titan on Bedrock and Gemini (`content_filter: SAFETY`).
    static let filter: Set = [
      // Gemini; `language` is an unsupported language
      "safety", "imagesafety", "recitation", "imagerecitation", "blocklist", "prohibitedcontent",
      "imageprohibitedcontent", "spii", "language",
      // Anthropic, Bedrock, Zhipu, Cohere
      "refusal", "guardrailintervened", "sensitive", "errortoxic",
      // Spellings of gateways
      "unsafe", "contentpolicy", "contentpolicyviolation", "policyviolation", "filter", "filtered",
      "sensitivecontent", "blocked", "guardrail", "guardrails", "moderation", "risk",
    ]
  }
}

extension FinishReason? {
  /// Takes the reason that a chunk reports. A good reason does not replace another one.
  mutating func update(with reason: FinishReason?) {
    if self == nil || self == .stop { self = reason ?? self }
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

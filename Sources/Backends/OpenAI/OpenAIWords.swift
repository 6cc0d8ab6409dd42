import Chat
import Wire

extension FinishReason {
  /// Reads a reason to stop in the spelling of any server or gateway: case and punctuation do not matter, and neither
  /// does a prefix such as `FinishReason.`. An unknown reason becomes `other`; nil when the word gives no reason.
  /// - Parameter endsWithCalls: whether tool calls are a good end here.
  init?(openAI word: String, endsWithCalls: Bool = false) {
    var letters = word.lowercased().filter { $0.isLetter || $0.isNumber }
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
    } else if Words.filter.contains(letters) {
      self = .filtered
    } else {
      self = .other(word)
    }
  }

  private enum Words {
    /// Placeholders that some servers send with every chunk.
    static let none: Set = ["", "null", "none", "notfinished", "unfinished", "unspecified"]
    static let calls: Set = ["toolcalls", "toolcall", "functioncall", "functioncalls", "tooluse"]
    static let stop: Set = [
      "stop", "stopped", "stopsequence", "stopsequencereached", "stopstringfound", "stopcriteriamet", "stopword",
      "word",
      "eos", "eostoken", "eosfound", "endturn", "endofturn", "endoftext", "end", "complete", "completed", "finish",
      "finished", "done", "normal", "success",
    ]
    static let length: Set = [
      "length", "maxlength", "modellength", "maxlen", "maxtokens", "maxtoken", "maxtokensreached", "maximumtokens",
      "maxoutput", "maxoutputtokens", "maxcompletiontokens", "maxnewtokens", "maxpredictedtokensreached", "maxcontext",
      "tokenlimit", "tokenlimitreached", "limit", "errorlimit", "lengthlimit", "outputlimit", "truncated", "context",
      "contextlength", "contextlengthreached", "contextlengthexceeded", "contextlimit", "contextwindowexceeded",
      "modelcontextwindowexceeded",
    ]
    static let filter: Set = [
      "contentfilter", "contentfiltered", "contentfiltering", "contentpolicy", "contentpolicyviolation",
      "policyviolation", "filter", "filtered", "sensitive", "sensitivecontent", "safety", "imagesafety", "recitation",
      "imagerecitation", "blocklist", "blocked", "prohibitedcontent", "imageprohibitedcontent", "spii", "language",
      "refusal", "guardrail", "guardrailintervened", "guardrails", "moderation", "errortoxic", "risk",
    ]
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

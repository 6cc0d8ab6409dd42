import Chat
import Wire

/// The meaning of an event of a stream that has no list of choices. The OpenAI API and gateways share it.
enum BareEvent: Equatable {
  case error
  /// A choice without its list, or an event of Ollama's or llama.cpp's own API, rewritten as a chunk of the OpenAI API.
  case chunk(JSON)
  /// An event that is known not to be a part of the answer.
  case metadata
  case unknown

  /// Fields that are not a part of the answer. So are numbers, flags and ids of any name.
  private static let metadataKeys: Set = [
    "object", "model", "created_at", "system_fingerprint", "service_tier", "provider", "role", "type", "event",
    "status",
    "state", "progress", "usage", "timings", "metrics", "stats", "metadata", "meta", "version", "name",
    // Azure, Groq, Perplexity, Open WebUI, llama.cpp
    "prompt_filter_results", "prompt_annotations", "x_groq", "citations", "search_results", "sources",
    "prompt_progress",
    "generation_settings",
  ]

  /// - Parameter type: the type of the event, if the stream names one.
  init(_ json: JSON, type: String? = nil) {
    if json.isErrorEvent(type: type) {
      self = .error
    } else if let chunk = json.asChunk {
      self = .chunk(chunk)
    } else {
      let hasCode = JSON.codeKeys.contains { json[$0] != nil }
      let isMetadata = json.object?.allSatisfy { member in
        switch (member.key, member.value) {
        case (_, .bool), (_, .int), (_, .double), (_, .exact): true
        // Such as `Success`: the code is not one of an error.
        case ("message", .string), ("msg", .string): hasCode
        default:
          member.value.isNothing || BareEvent.metadataKeys.contains(member.key) || JSON.codeKeys.contains(member.key)
            || member.key.hasSuffix("id")
        }
      }
      self = isMetadata == true ? .metadata : .unknown
    }
  }
}

extension JSON {
  /// Fields beside a message that tell whether it is an error.
  fileprivate static let codeKeys = ["code", "error_code", "status", "status_code", "statusCode"]

  /// Whether an event without choices reports an error, in the forms of the OpenAI API, FastAPI and others.
  fileprivate func isErrorEvent(type: String?) -> Bool {
    func reports(_ key: String) -> Bool { self[key].map { $0.reportsError && !$0.isNothing } ?? false }
    if ["error", "errors", "error_message", "error_msg", "errorMessage"].contains(where: reports) {
      return true
    }
    if ["object", "type"].contains(where: { self[$0]?.string == "error" }) { return true }
    // FastAPI sends `detail` alone. An event of progress has a type of its own, or other fields beside it.
    let isOnlyMember = object?.count == 1 && [nil, "message", "error"].contains(type)
    if reports("detail"), isOnlyMember || hasErrorCode { return true }
    guard firstValue(of: ["message", "msg"])?.string?.isEmpty == false else { return false }
    if firstValue(of: ["success", "ok"]) == false { return true }
    return hasErrorCode
  }

  private var hasErrorCode: Bool {
    JSON.codeKeys.contains { key in
      guard let value = self[key] else { return false }
      if let code = value.int ?? value.string.flatMap(Int.init) { return code != 0 && !(200..<300 ~= code) }
      let word = value.string?.lowercased() ?? ""
      // A status may be one of the progress, such as `processing`.
      return key.hasSuffix("code") ? !["", "ok", "success"].contains(word) : word == "error" || word.hasPrefix("fail")
    }
  }

  /// The event as a chunk of the OpenAI API; nil if it has no field of a choice.
  fileprivate var asChunk: JSON? {
    var list: [JSON] = []
    if let choices = self["choices"], let members = choices.object {
      // One choice, or choices by their index.
      list = choices.choice == nil ? members.map(\.value).filter { $0.object != nil } : [choices]
    } else if let choice {
      list = [choice]
    }
    guard !list.isEmpty else { return nil }
    var chunk = self
    chunk["choices"] = .array(list)
    if let prompt = self["prompt_eval_count"] {
      chunk["usage"] = ["prompt_tokens": prompt, "completion_tokens": self["eval_count"] ?? .null]
    }
    return chunk
  }

  /// The fields of a choice among the members of this object; nil if there are none.
  private var choice: JSON? {
    var choice: JSON = [:]
    // Ollama sends only the new text in each `message`.
    choice["delta"] = self["delta"] ?? (self["done"] == nil ? nil : self["message"])
    if choice["delta"] == nil, self["message"]?.object != nil { choice["message"] = self["message"] }
    // The `response` of OpenAI's Responses API is an object about the answer.
    let response = self["response"].flatMap { $0.string == nil ? nil : $0 }
    if let text = firstValue(of: ["text", "content"]) ?? response {
      choice["text"] = self["type"].map { ["type": $0, "content": text] } ?? text
    }
    let reason = firstValue(of: ["finish_reason", "done_reason", "stop_reason", "stop_type"])
    let isEnd = self["done"] == true || self["stop"] == true
    choice["finish_reason"] = reason ?? (self["stopped_limit"] == true ? "length" : isEnd ? "stop" : nil)
    guard choice != [:] else { return nil }
    choice["index"] = self["index"]
    return choice
  }
}

/// The meaning of data of a stream that is not JSON.
enum PlainData: Equatable {
  case keepAlive
  case error(ErrorBody)
  case unknown

  private static let keepAlives: Set = ["ping", "pong", "keepalive", "heartbeat", "alive", "processing", "connected"]

  /// - Parameter type: the type of the event, if the stream names one.
  init(_ data: [UInt8], type: String?) {
    let text = String(decoding: data, as: UTF8.self)
    if [type ?? "", text].contains(where: { PlainData.keepAlives.contains(FinishReason.letters(of: $0)) }) {
      self = .keepAlive
    } else if let error = text.wholeMatch(of: /\s*\[?error[\]:]\s*(.+)/.ignoresCase().dotMatchesNewlines()) {
      self = .error(ErrorBody(Array(error.output.1.utf8)))
    } else if HTMLPage(data) != nil {
      self = .error(ErrorBody(data))
    } else {
      self = .unknown
    }
  }
}

import Wire

/// What a server wrote beside an error status, in any of the shapes in use (docs/openai.md 4).
struct ErrorBody: Equatable {
  /// One line, at most `limit` characters; empty when the server said nothing.
  var message = ""
  var code: String?
  var type: String?
  /// The field of the request that is at fault, when the server names it.
  var parameter: String?
  var promptTokens: Int?
  var contextTokens: Int?

  static let limit = 500

  init(_ bytes: [UInt8]) {
    if let json = try? JSON(parsing: bytes) {  // what is not JSON is read as text
      read(json)
    } else if let title = HTMLPage(bytes)?.description {
      message = title
    } else {
      message = String(decoding: bytes.prefix(4 * ErrorBody.limit), as: UTF8.self)
    }
    tidy()
  }

  /// Reads an error that came inside a stream.
  init(_ json: JSON) {
    read(json)
    tidy()
  }

  private mutating func read(_ json: JSON) {
    if let error = json["error"], !error.isNull {
      readError(error)
      if message.isEmpty, let detail = json["message"] ?? json["detail"] { message = ErrorBody.text(of: detail) }
    } else if let first = json[0], first["error"] != nil {
      read(first)
    } else {
      readError(json)
    }
  }

  private mutating func readError(_ error: JSON) {
    code = error["code"].flatMap(ErrorBody.word)
    type = error["type"].flatMap(ErrorBody.word)
    parameter = error["param"].flatMap(ErrorBody.word)
    promptTokens = error["n_prompt_tokens"]?.tokenCount
    contextTokens = error["n_ctx"]?.tokenCount
    message = ErrorBody.text(of: error)
  }

  private static func word(_ json: JSON) -> String? {
    switch json {
    case .string(let string): string.isEmpty ? nil : string
    case .int(let int): int.description
    default: nil
    }
  }

  /// The words of an error, wherever a server puts them.
  private static func text(of json: JSON) -> String {
    switch json {
    case .string(let string): return string
    case .array(let elements): return elements.map(text).filter { !$0.isEmpty }.joined(separator: "; ")
    case .object:
      // Validation errors name the place: {"loc": ["body", "stream_options"], "msg": "extra fields not permitted"}.
      if let words = json["msg"]?.string {
        let place = (json["loc"]?.array ?? []).compactMap(word).joined(separator: ".")
        return place.isEmpty ? words : "\(place): \(words)"
      }
      for key in ["message", "detail", "error", "errors", "error_message", "title", "reason", "code"] {
        guard let inner = json[key], !inner.isNull else { continue }
        let words = text(of: inner)
        if !words.isEmpty { return words }
      }
      return ""
    default: return ""
    }
  }

  private mutating func tidy() {
    let words = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    message = words.count > ErrorBody.limit ? words.prefix(ErrorBody.limit - 1) + "…" : words
  }
}

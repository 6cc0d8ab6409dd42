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
    } else if let detail = json["detail"], detail["error"] != nil {
      read(detail)
    } else {
      readError(json)
    }
    readInnermost(of: json)
  }

  /// Gateways pass on the refusal of the server behind them: in a member of their own, or as JSON within their words. The
  /// innermost words tell the cause.
  private mutating func readInnermost(of json: JSON) {
    let places = [
      json["error"]?["metadata"]?["raw"], json["metadata"]?["raw"], json["error"]?["innererror"], json["innererror"],
      json["error"]?["upstream_error"], json["error"]?["cause"],
    ]
    for case let place? in places {
      let inner: ErrorBody =
        if case .string(let text) = place { ErrorBody(text: text) } else { ErrorBody(place) }
      if !inner.message.isEmpty { return take(inner) }
    }
    if let inner = ErrorBody.quoted(in: message) { take(inner) }
  }

  /// Takes what an inner error says, and what only the outer one says besides.
  private mutating func take(_ inner: ErrorBody) {
    message = inner.message
    code = inner.code ?? code
    type = inner.type ?? type
    parameter = inner.parameter ?? parameter
    promptTokens = inner.promptTokens ?? promptTokens
    contextTokens = inner.contextTokens ?? contextTokens
  }

  private init(text: String) {
    if let json = ErrorBody.object(text[...]) { read(json) } else { message = text }
    tidy()
  }

  /// The error that words quote as JSON, or as Python prints a dictionary; nil where they quote none.
  private static func quoted(in words: String) -> ErrorBody? {
    guard let start = words.firstIndex(of: "{"), let end = words.lastIndex(of: "}"), start < end else { return nil }
    if let json = object(words[start...end]) {
      let inner = ErrorBody(json)
      return inner.message.isEmpty ? nil : inner
    }
    let pattern = /['"]message['"]: *(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/
    guard let match = words[start...end].matches(of: pattern).last,
      let text = match.output.1 ?? match.output.2, !text.isEmpty
    else { return nil }
    var inner = ErrorBody()
    inner.message = String(text)
    inner.tidy()
    return inner
  }

  private static func object(_ text: Substring) -> JSON? {
    guard text.first == "{" || text.first == "[" else { return nil }
    return try? JSON(parsing: Array(text.utf8))  // text that is not JSON is shown as it is
  }

  private init() {}

  private mutating func readError(_ error: JSON) {
    code = error["code"].flatMap(ErrorBody.word)
    type = (error["type"] ?? error["error_type"] ?? error["status"]).flatMap(ErrorBody.word)
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

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
  /// Messages and codes of the gateways around the error. They are not shown, and count for what it means.
  private(set) var outerMessages: [String] = []
  private(set) var outerCodes: [String] = []

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

  /// Gateways pass on the error of the server behind them: in a member of their own, or as JSON within their message.
  /// The innermost message names the cause.
  private mutating func readInnermost(of json: JSON) {
    let places = [
      json["error"]?["metadata"]?["raw"], json["metadata"]?["raw"], json["error"]?["innererror"], json["innererror"],
      json["error"]?["upstream_error"], json["error"]?["cause"],
    ]
    for case let place? in places {
      let inner: ErrorBody =
        if case .string(let text) = place { ErrorBody(text: text) } else { ErrorBody(place) }
      let isError = place.string != nil || ErrorBody.hasMessage(place)
      if isError && !inner.message.isEmpty { return merge(inner) }
    }
    if let inner = ErrorBody.quoted(in: message) { merge(inner) }
  }

  /// Replaces the fields that the inner error has, and keeps the outer words for the meaning.
  private mutating func merge(_ inner: ErrorBody) {
    outerMessages += inner.outerMessages
    outerCodes += inner.outerCodes + [code, type].compactMap { $0 }
    // One word, such as `timeout` or `ERROR`, says less than the message around it.
    let isWord = inner.message.allSatisfy { $0.isASCII && !$0.isWhitespace }
    if isWord && !message.isEmpty && ErrorBody.object(message[...]) == nil {
      outerMessages.append(inner.message)
    } else {
      outerMessages.append(String(message.prefix(4 * ErrorBody.limit)))
      message = inner.message
    }
    code = inner.code ?? code
    type = inner.type ?? type
    parameter = inner.parameter ?? parameter
    promptTokens = inner.promptTokens ?? promptTokens
    contextTokens = inner.contextTokens ?? contextTokens
  }

  private init(text: String) {
    self.init()
    if let json = ErrorBody.object(text[...]) {
      if ErrorBody.hasMessage(json) { read(json) }
    } else if let page = HTMLPage(Array(text.utf8)) {
      message = page.description
    } else {
      message = text
      if let inner = ErrorBody.quoted(in: text) { merge(inner) }
    }
    tidy()
  }

  /// Whether an object has a member for the message of an error, and not a code alone.
  private static func hasMessage(_ json: JSON) -> Bool {
    ["message", "error", "detail", "msg"].contains { (json[0] ?? json)[$0].map { !$0.isNull } ?? false }
  }

  /// Whether an object within a message is an error. Other objects are quoted too, such as the arguments of a call.
  private static func isError(_ json: JSON) -> Bool {
    let json = json[0] ?? json
    if json["error"].map({ !$0.isNull }) ?? false || json["object"]?.string == "error" { return true }
    return json["message"] != nil && ["type", "code", "param", "status"].contains { json[$0] != nil }
  }

  /// Parses the error that a message quotes as JSON, or as Python prints a dictionary.
  private static func quoted(in words: String) -> ErrorBody? {
    guard let start = words.firstIndex(of: "{"), let end = words.lastIndex(of: "}"), start < end else { return nil }
    if let json = object(words[start...end]) {
      let isWhole = words.first == "{" && words.last == "}"
      guard isWhole ? hasMessage(json) : isError(json) else { return nil }
      let inner = ErrorBody(json)
      return inner.message.isEmpty ? nil : inner
    }
    guard words[start...end].contains(/['"](?:error|type|code|param|status)['"]: */) else { return nil }
    let pattern = /['"]message['"]: *(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/
    guard let match = words[start...end].firstMatch(of: pattern), let text = match.output.1 ?? match.output.2,
      !text.isEmpty
    else { return nil }
    return ErrorBody(text: String(text))
  }

  private static func object(_ text: Substring) -> JSON? {
    guard text.first == "{" || text.first == "[" else { return nil }
    return try? JSON(parsing: Array(text.utf8))  // text that is not JSON is shown as it is
  }

  private init() {}

  private mutating func readError(_ error: JSON) {
    code = error["code"].flatMap(ErrorBody.word)
    type = ["type", "error_type", "status"].lazy.compactMap { error[$0].flatMap(ErrorBody.word) }.first
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
      let keys = [
        "message", "detail", "error", "errors", "error_message", "error_msg", "errorMessage", "title", "reason", "code",
      ]
      for key in keys {
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

extension JSON {
  /// Whether the value of a field `error` reports an error. Some servers send the field with good answers: empty, with
  /// empty members, or with a code of success.
  var reportsError: Bool {
    switch self {
    case .null, .bool(false), .int(0), .double(0): false
    case .string(let text): !["", "null", "none", "false"].contains(text.lowercased())
    case .array(let items): items.contains(where: \.reportsError)
    case .object(let members):
      !["0", "200"].contains(self["code"]?.serialized()) && members.contains { $0.value.reportsError }
    default: true
    }
  }
}

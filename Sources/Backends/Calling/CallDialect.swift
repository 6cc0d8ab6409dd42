import Chat
import Wire

/// Formats in which models write tool calls into their text when their server has no parser for them. Qwen3-Coder writes
/// `<function=NAME>` with `<parameter=KEY>` inside, with or without `<tool_call>`; GLM writes a name followed by `<arg_key>`
/// and `<arg_value>`.
struct CallDialect {
  enum Opening: Equatable {
    case none
    /// More bytes are needed to decide.
    case partial
    /// A call by that name.
    case call(String)
  }

  private static let functionStart = Array("<function=".utf8)
  private static let keyStart = Array("<arg_key>".utf8)
  private static let callEnd = Array("</tool_call>".utf8)
  private static let functionEnd = Array("</function>".utf8)
  private static let nameLimit = 128

  /// The tools that were offered.
  private let tools: [String: Tool]

  init(_ tools: [Tool]) {
    self.tools = Dictionary(tools.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Recognizes the format of the text after a `<tool_call>`.
  func opening(in bytes: [UInt8], behindTag body: Int) -> Opening {
    let place = bytes[body...].firstIndex { !$0.isBlank } ?? bytes.count
    guard place - body < CallOpening.limit else { return .none }
    guard place < bytes.count else { return .partial }
    if bytes[place] == UInt8(ascii: "<") { return CallDialect.function(in: bytes, at: place) }
    let name = bytes[place...].prefix { $0.isNameLetter }
    guard !name.isEmpty, name.count <= CallDialect.nameLimit else { return .none }
    let rest = bytes[name.endIndex...].drop(while: \.isBlank)
    if rest.isEmpty { return .partial }
    let word = String(decoding: name, as: UTF8.self)
    for tag in [CallDialect.keyStart, CallDialect.callEnd] {
      if rest.starts(with: tag) { return tag == CallDialect.callEnd && tools[word] == nil ? .none : .call(word) }
      if tag.starts(with: rest) { return .partial }
    }
    return .none
  }

  /// Recognizes a call at a `<` of the text. Only offered tools can be called there.
  func opening(in bytes: [UInt8], at place: Int) -> Opening {
    let opening = CallDialect.function(in: bytes, at: place)
    if case .call(let name) = opening, tools[name] == nil { return .none }
    return opening
  }

  private static func function(in bytes: [UInt8], at place: Int) -> Opening {
    let rest = bytes[place...]
    guard rest.starts(with: functionStart) else { return functionStart.starts(with: rest) ? .partial : .none }
    let name = rest.dropFirst(functionStart.count).prefix { $0 != UInt8(ascii: ">") && $0 != 0x0A }
    guard name.count <= nameLimit else { return .none }
    guard name.endIndex < bytes.count else { return .partial }
    let word = String(decoding: name, as: UTF8.self).trimmingQuotes
    return bytes[name.endIndex] == UInt8(ascii: ">") && !word.isEmpty ? .call(word) : .none
  }

  /// Finds the end of the current block, searching from `place`: the end of its body, and the start of the text after it.
  static func end(in bytes: [UInt8], isTagged: Bool, from place: Int) -> CallBlock.End? {
    let tag = isTagged ? callEnd : functionEnd
    guard let range = bytes[place...].firstRange(of: tag) else { return nil }
    return CallBlock.End(body: isTagged ? range.lowerBound : range.upperBound, next: range.upperBound)
  }

  /// The number of bytes at the end of the received text that may be the start of an end tag.
  static let endLength = callEnd.count
}

extension CallDialect {
  /// The calls of a block; they have no id yet.
  func calls(in block: some Sequence<UInt8>) -> [ToolCall] {
    let text = String(decoding: Array(block), as: UTF8.self)
    return text.contains("<function=") ? functions(in: text) : [call(in: text)]
  }

  private func functions(in text: String) -> [ToolCall] {
    text.ranges(of: "<function=").map(\.upperBound).map { start in
      let rest = text[start...]
      let end = rest.firstRange(of: "</function>")?.lowerBound ?? rest.endIndex
      let name = rest[..<(rest.firstIndex(of: ">") ?? end)]
      let body = rest[name.endIndex..<max(end, name.endIndex)].dropFirst()
      return ToolCall(id: "", name: String(name).trimmingQuotes, arguments: arguments(in: body, of: name, text))
    }
  }

  private func arguments(in body: Substring, of name: Substring, _ text: String) -> ToolCall.Arguments {
    if body.first(where: { !$0.isWhitespace }) == "{" { return ToolCall.Arguments(text: String(body)) }
    var object: JSON = [:]
    var rest = body
    while let start = rest.firstRange(of: "<parameter=") {
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: "</parameter>"), let close = rest.firstIndex(of: ">"),
        close < end.lowerBound
      else { return .broken(text, .unfinished) }
      let key = String(rest[..<close]).trimmingQuotes
      let value = rest[rest.index(after: close)..<end.lowerBound]
      object[key] = self.value(value.withoutLineEnds, of: key, in: String(name).trimmingQuotes)
      rest = rest[end.upperBound...]
    }
    return .object(object)
  }

  private func call(in text: String) -> ToolCall {
    let name = text.prefix { $0 != "<" }.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    var object: JSON = [:]
    var rest = text[...]
    while let key = rest.between("<arg_key>", "</arg_key>") {
      guard let value = key.rest.between("<arg_value>", "</arg_value>") else {
        return ToolCall(id: "", name: name, arguments: .broken(text, .unfinished))
      }
      let word = String(key.inner).trimmingBlanks
      object[word] = self.value(value.inner, of: word, in: name)
      rest = value.rest
    }
    return ToolCall(id: "", name: name, arguments: .object(object))
  }

  /// Converts a value to the type that the tool's schema wants: the text itself, or the JSON value that it contains.
  private func value(_ text: Substring, of key: String, in tool: String) -> JSON {
    let type = tools[tool]?.parameters["properties"]?[key]?["type"]
    if type?.string == "string" || type?.array?.contains("string") == true { return .string(String(text)) }
    switch text.trimmingBlanks {
    case "True": return true
    case "False": return false
    case "None": return .null
    case let words: return (try? JSON(parsing: words)) ?? .string(String(text))  // a text after all
    }
  }
}

extension Substring {
  fileprivate func between(_ start: String, _ end: String) -> (inner: Substring, rest: Substring)? {
    guard let open = firstRange(of: start), let close = self[open.upperBound...].firstRange(of: end) else { return nil }
    return (self[open.upperBound..<close.lowerBound], self[close.upperBound...])
  }

  /// Removes the line end at either side, which belongs to the tags.
  fileprivate var withoutLineEnds: Substring {
    var text = self
    if text.first?.isNewline == true { text.removeFirst() }
    if text.last?.isNewline == true { text.removeLast() }
    return text
  }
}

extension String {
  fileprivate var trimmingQuotes: String { String(trimmingBlanks.drop { $0 == "\"" }.prefix { $0 != "\"" }) }
}

extension UInt8 {
  fileprivate var isNameLetter: Bool {
    isWordLetter || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self || self == UInt8(ascii: ".")
  }
}

import Chat
import Wire

/// One part of the content of an answer. Servers send a text, a number, an object, or a list of these.
enum AnswerPart: Equatable {
  case text(String)
  case thought(String)
  case refusal(String)
  /// A tool call that is written as a part of the content, as in Anthropic's API.
  case call(JSON)
  /// A part that this program cannot show, such as an image.
  case unreadable

  /// Keys under which a part has its text or further parts.
  private static let textKeys = ["text", "value", "content", "output_text", "summary", "parts", "delta"]
  private static let thoughtKeys = ["thinking", "reasoning"]
  /// Types of parts that are not shown, in lower case without punctuation.
  private static let hiddenTypes: Set = [
    "redactedthinking", "reasoningencrypted", "signature", "reference", "citation", "citations", "servertooluse",
    "toolresult", "websearchtoolresult",
  ]

  /// Returns the parts of a content value in their order, without the empty ones.
  static func parts(of content: JSON) -> [AnswerPart] {
    switch content {
    case .null, .bool(false): []
    case .bool(true): [.unreadable]
    case .string(let text): text.isEmpty ? [] : [.text(text)]
    case .int, .double, .exact: [.text(content.serialized())]
    case .array(let elements): elements.flatMap { parts(of: $0) }
    case .object(let members): members.isEmpty ? [] : parts(inObject: content)
    }
  }

  private static func parts(inObject part: JSON) -> [AnswerPart] {
    let type = FinishReason.letters(of: part["type"]?.string ?? "")
    if hiddenTypes.contains(type) { return [] }
    if type == "function" || FinishReason.meansCalls(type) { return [.call(part)] }
    if let words = part["refusal"]?.string, !words.isEmpty { return [.refusal(words)] }
    let thought = part.firstNonEmptyValue(of: thoughtKeys)
    let text = part.firstNonEmptyValue(of: textKeys)
    if thought == nil, text == nil {
      let isEmpty =
        type == "text" || type == "outputtext" || part.firstValue(of: ["refusal"] + thoughtKeys + textKeys) != nil
      return isEmpty ? [] : [.unreadable]
    }
    let isThought = part["thought"]?.bool == true || type.hasPrefix("think") || type.hasPrefix("reason")
    if isThought { return thoughts(of: thought ?? text ?? .null) }
    return thoughts(of: thought ?? .null) + parts(of: text ?? .null)
  }

  private static func thoughts(of content: JSON) -> [AnswerPart] {
    parts(of: content).map { part in
      if case .text(let words) = part { .thought(words) } else { part }
    }
  }
}

extension JSON {
  /// Returns the value of the first of the keys that is neither missing nor null.
  func firstValue(of keys: [String]) -> JSON? {
    keys.lazy.compactMap { key in self[key].flatMap { $0.isNull ? nil : $0 } }.first
  }

  fileprivate func firstNonEmptyValue(of keys: [String]) -> JSON? {
    keys.lazy.compactMap { key in self[key].flatMap { $0.isNothing ? nil : $0 } }.first
  }
}

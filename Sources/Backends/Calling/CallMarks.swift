/// Detects text that seems to contain a tool call in an unsupported format.
enum CallMarks {
  /// The number of bytes of a text that are searched.
  static let limit = 64 << 10

  private static let marks = [
    "<tool_call", "<|tool_call", "<｜tool▁call", "[TOOL_CALL", "<|python_tag|>", "<function", "<invoke", "<arg_key>",
    "to=functions.", "<|action_start|>", "\"tool_calls\"", "\"function_call\"",
  ]

  /// Whether the text has one of the marks followed by the name of a tool. Marks within code do not count.
  static func areIn(_ text: String, naming names: Set<String>) -> Bool {
    var isFenced = false
    var plain = ""
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if line.drop(while: \.isWhitespace).hasPrefix("```") {
        isFenced.toggle()
      } else if !isFenced {
        plain += line + "\n"
      }
    }
    return marks.contains { mark in
      plain.ranges(of: mark).contains { range in
        let isCode = range.lowerBound > plain.startIndex && plain[plain.index(before: range.lowerBound)] == "`"
        return !isCode && names.contains { plain[range.lowerBound...].contains($0) }
      }
    }
  }
}

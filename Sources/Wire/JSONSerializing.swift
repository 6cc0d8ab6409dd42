extension JSON {
  /// The document on one line, or indented by two spaces. Control characters and U+2028/9 are escaped; a number that
  /// JSON cannot express is `null`.
  package func serialized(pretty: Bool = false) -> String { String(decoding: bytes(pretty: pretty), as: UTF8.self) }

  /// `serialized(pretty:)` in UTF-8.
  package func bytes(pretty: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    write(to: &output, indent: pretty ? 0 : nil)
    return output
  }

  private func write(to output: inout [UInt8], indent: Int?) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let bool): output += (bool ? "true" : "false").utf8
    case .int(let int): output += int.description.utf8
    case .double(let double): output += (double.isFinite ? double.description : "null").utf8
    case .exact(let text): output += text.utf8
    case .string(let string): JSON.write(string, to: &output)
    case .array(let elements):
      JSON.write(elements, in: ("[", "]"), to: &output, indent: indent) { element, output, indent in
        element.write(to: &output, indent: indent)
      }
    case .object(let members):
      JSON.write(members, in: ("{", "}"), to: &output, indent: indent) { member, output, indent in
        JSON.write(member.key, to: &output)
        output += (indent == nil ? ":" : ": ").utf8
        member.value.write(to: &output, indent: indent)
      }
    }
  }

  private static func write<Item>(
    _ items: [Item], in brackets: (String, String), to output: inout [UInt8], indent: Int?,
    item write: (Item, inout [UInt8], Int?) -> Void
  ) {
    let inner = items.isEmpty ? nil : indent.map { $0 + 2 }
    output += brackets.0.utf8
    for (index, item) in items.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      newLine(in: &output, indent: inner)
      write(item, &output, inner)
    }
    newLine(in: &output, indent: items.isEmpty ? nil : indent)
    output += brackets.1.utf8
  }

  private static func newLine(in output: inout [UInt8], indent: Int?) {
    guard let indent else { return }
    output.append(UInt8(ascii: "\n"))
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
  }

  private static func write(_ string: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\"".utf8
      case "\\": output += "\\\\".utf8
      case "\n": output += "\\n".utf8
      case "\r": output += "\\r".utf8
      case "\t": output += "\\t".utf8
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        output += JSON.escape(scalar).utf8
      default: output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}

extension JSON {
  /// A character as `\u00ad`, or as two of these where it is beyond the first 65,536 (RFC 8259, section 7).
  package static func escape(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

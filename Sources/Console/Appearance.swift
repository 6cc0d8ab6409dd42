import Text

/// What a style looks like on a terminal with colours (ECMA-48, Select Graphic Rendition).
extension Style {
  var code: String {
    let codes = traits.codes + meaning.codes
    return codes.isEmpty ? "" : "\u{1B}[" + codes.joined(separator: ";") + "m"
  }
}

extension Style.Traits {
  fileprivate var codes: [String] {
    let known: [(Style.Traits, String)] = [(.strong, "1"), (.emphasis, "3"), (.underlined, "4"), (.struck, "9")]
    return known.filter { contains($0.0) }.map(\.1)
  }
}

extension Style.Meaning {
  fileprivate var codes: [String] {
    switch self {
    case .plain: []
    case .dim, .hint, .comment: ["2"]
    case .accent, .code: ["36"]
    case .good, .string: ["32"]
    case .error: ["31"]
    case .warning, .number: ["33"]
    case .keyword: ["35"]
    case .type: ["36"]
    case .function: ["34"]
    }
  }
}

let plainCode = "\u{1B}[0m"

extension [Span] {
  /// The bytes for a terminal with colours, or the characters alone.
  /// - Parameters:
  ///   - signs: whether signs beyond ASCII of our own may be shown.
  ///   - links: whether addresses are told to the terminal (OSC 8; docs/screen.md 4).
  func bytes(inColour: Bool, signs: Bool = true, links: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    for span in self {
      let code = inColour && !span.text.isEmpty ? span.style.code : ""
      let link = links && !span.text.isEmpty ? span.link : nil
      if let link { bytes += "\u{1B}]8;;\(link.url)\u{1B}\\".utf8 }
      bytes += code.utf8
      bytes += (signs ? span.text.string : span.text.string.replacing("…", with: "...")).utf8
      if !code.isEmpty { bytes += plainCode.utf8 }
      if link != nil { bytes += "\u{1B}]8;;\u{1B}\\".utf8 }
    }
    return bytes
  }
}

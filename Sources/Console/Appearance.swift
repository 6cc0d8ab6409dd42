import Text

/// What a style looks like on a terminal with colours (ECMA-48, Select Graphic Rendition).
extension Style {
  var code: String {
    switch self {
    case .plain: ""
    case .dim, .hint: "\u{1B}[2m"
    case .strong: "\u{1B}[1m"
    case .accent: "\u{1B}[36m"
    case .good: "\u{1B}[32m"
    case .error: "\u{1B}[31m"
    case .warning: "\u{1B}[33m"
    }
  }
}

let plainCode = "\u{1B}[0m"

extension [Span] {
  /// The bytes for a terminal with colours, or the characters alone.
  /// - Parameter signs: whether `…` may be shown.
  func bytes(inColour: Bool, signs: Bool = true) -> [UInt8] {
    var bytes: [UInt8] = []
    for span in self {
      let isStyled = inColour && span.style != .plain && !span.text.isEmpty
      if isStyled { bytes += span.style.code.utf8 }
      bytes += (signs ? span.text.string : span.text.string.replacing("…", with: "...")).utf8
      if isStyled { bytes += plainCode.utf8 }
    }
    return bytes
  }
}

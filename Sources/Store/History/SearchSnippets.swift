import Foundation

/// What is shown of a message that was found.
extension SearchHit {
  /// What SQLite puts around each hit.
  static let (begin, end) = ("\u{E000}", "\u{E001}")

  static func pieces(of marked: String) -> [Piece] {
    var pieces: [Piece] = []
    var isMatch = false
    for part in marked.unicodeScalars.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\u{E000}" || $0 == "\u{E001}" })
    {
      if !part.isEmpty { pieces.append(.init(text: String(part), isMatch: isMatch)) }
      isMatch.toggle()
    }
    return pieces
  }

  /// Some 60 characters on either side of the first word that is found.
  static func excerpt(of text: String, around words: [String]) -> [Piece]? {
    for word in words {
      guard let found = text.range(of: word, options: .caseInsensitive) else { continue }
      let start = text.index(found.lowerBound, offsetBy: -60, limitedBy: text.startIndex) ?? text.startIndex
      let end = text.index(found.upperBound, offsetBy: 60, limitedBy: text.endIndex) ?? text.endIndex
      return [
        .init(text: (start > text.startIndex ? "…" : "") + text[start..<found.lowerBound], isMatch: false),
        .init(text: String(text[found]), isMatch: true),
        .init(text: text[found.upperBound..<end] + (end < text.endIndex ? "…" : ""), isMatch: false),
      ].filter { !$0.text.isEmpty }
    }
    return nil
  }

  static func beginning(of text: String) -> [Piece] {
    let head = text.prefix(120)
    return head.isEmpty ? [] : [.init(text: head + (head.endIndex < text.endIndex ? "…" : ""), isMatch: false)]
  }
}

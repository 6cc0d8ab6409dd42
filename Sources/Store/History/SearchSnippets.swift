import Foundation

/// What is shown of a message that was found.
extension SearchHit {
  /// What SQLite puts around each hit. Drawn anew for each search, so that no message can contain it.
  struct Marks {
    let begin: String
    let end: String

    init() {
      let name = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
      (begin, end) = ("<\(name)>", "</\(name)>")
    }
  }

  static func pieces(of marked: String, between marks: Marks) -> [Piece] {
    // As bytes: a mark and a combining character behind it are one character of a string.
    var pieces: [Piece] = []
    func add(_ text: some Sequence<UInt8>, isMatch: Bool) {
      let text = String(decoding: Array(text), as: UTF8.self)
      if !text.isEmpty { pieces.append(.init(text: text, isMatch: isMatch)) }
    }
    let parts = marked.utf8.split(separator: Array(marks.begin.utf8), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let halves = part.split(separator: Array(marks.end.utf8), maxSplits: 1, omittingEmptySubsequences: false)
      if index > 0 { add(halves[0], isMatch: true) }
      if let rest = index > 0 ? halves.dropFirst().first : part { add(rest, isMatch: false) }
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

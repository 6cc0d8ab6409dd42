/// Sets the messages of a turn apart: each begins a paragraph (docs/acp.md 4).
struct ACPParagraphs: Sendable {
  private var message: String?
  private var isEmpty = true
  /// Line ends at the end of the text so far, up to two.
  private var lineEnds = 0

  /// - Parameters:
  ///   - text: not empty.
  ///   - id: that of the message; nil where the agent gives none, and then the text goes on.
  mutating func take(_ text: String, of id: String?) -> [String] {
    var pieces = [text]
    if let id, id != message {
      if !isEmpty, lineEnds < 2 { pieces.insert(String(repeating: "\n", count: 2 - lineEnds), at: 0) }
      message = id
    }
    for piece in pieces { count(piece) }
    isEmpty = false
    return pieces
  }

  private mutating func count(_ piece: String) {
    // A carriage return and its line feed are one character.
    let ends = piece.reversed().prefix { $0 == "\n" || $0 == "\r\n" }.count
    lineEnds = min(2, ends == piece.count ? lineEnds + ends : ends)
  }
}

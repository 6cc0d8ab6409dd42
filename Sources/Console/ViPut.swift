/// vi's commands that put something on the line, or a line somewhere.
extension Editor {
  /// `o` and `O`.
  func viOpen(below: Bool) {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let place = below ? text.lineEnd(of: cursor) : text.lineStart(of: cursor)
    buffer.replace(place..<place, with: [10])
    viInsert(at: below ? place + 1 : place)
  }

  /// `J`: the next line behind this one, with a blank where there is none.
  func viJoin() {
    for _ in 1..<max(2, min(viCount(), buffer.count)) {
      let (text, cursor) = (buffer.text, buffer.cursor)
      let end = text.lineEnd(of: cursor)
      guard end < text.count else { return }
      let next = text.lineIndent(of: end + 1)
      let isApart = end == text.lineStart(of: cursor) || text[end - 1] == 32 || next == text.lineEnd(of: next)
      buffer.replace(end..<next, with: isApart ? [] : [32])
      buffer.move(to: end)
    }
    stepOntoLetter()
  }

  /// `p` and `P` of whole lines.
  /// - Returns: whether what was taken last were none, and libedit's put goes on.
  func viPut(below: Bool) -> Bool {
    guard let lines = vi.lines else {
      enqueue([(below ? ViPut.behind : ViPut.before).rawValue])
      return true
    }
    let (text, cursor) = (buffer.text, buffer.cursor)
    // A count that was typed by accident must not take all memory there is.
    let piece = below ? [10] + lines : lines + [10]
    let count = min(viCount(), max(1, 1_000_000 / piece.count))
    let place = below ? text.lineEnd(of: cursor) : text.lineStart(of: cursor)
    buffer.replace(place..<place, with: EditText(repeatElement(piece, count: count).joined()))
    buffer.move(to: buffer.text.lineIndent(of: below ? place + 1 : place))
    return false
  }

  /// libedit's, for what is part of a line.
  enum ViPut: EditUnit, CaseIterable {
    case behind = 0x9B
    case before = 0x9C

    var libedits: String { self == .behind ? "vi-paste-next" : "vi-paste-prev" }
  }
}

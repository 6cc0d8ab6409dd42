/// vi's text objects (`iw`, `a"`, `i(`): what an operator is for, wherever the cursor is in it. They are vim's, but for
/// counts, and for the blanks before quotes.
extension EditText {
  /// - Parameters:
  ///   - object: its letter: a word, a pair of quotes or of brackets.
  ///   - around: whether what stands around it is part of it (`a`), or its inside alone is meant (`i`).
  /// - Returns: nil where there is none.
  func viObject(_ object: EditUnit, around: Bool, at place: Int) -> Range<Int>? {
    guard let letter = Unicode.Scalar(UInt32(bitPattern: object)) else { return nil }
    switch letter {
    case "w", "W": return viWord(around: around, at: place, isBlanked: letter == "W")
    case "\"", "'", "`": return viQuoted(by: object, around: around, at: place)
    case "(", ")", "b": return viBracketed("(", ")", around: around, at: place)
    case "[", "]": return viBracketed("[", "]", around: around, at: place)
    case "{", "}", "B": return viBracketed("{", "}", around: around, at: place)
    case "<", ">": return viBracketed("<", ">", around: around, at: place)
    default: return nil
    }
  }

  private enum ViKind { case newline, blank, letter, other }

  private func viKind(_ place: Int, _ isBlanked: Bool) -> ViKind {
    switch self[place] {
    case 10: .newline
    case 9, 32: .blank
    default: isBlanked || isWord(place) || self[place] == 0x5F ? .letter : .other
    }
  }

  /// Where so many words and the blanks behind them end; the newline behind the last is none of them.
  func viWordsEnd(_ count: Int, from place: Int, isBlanked: Bool) -> Int {
    var place = place
    for left in (0..<Swift.min(count, self.count + 1)).reversed() where place < self.count {
      let kind = viKind(place, isBlanked)
      let isWord = kind == .letter || kind == .other
      while isWord, place < self.count, viKind(place, isBlanked) == kind { place += 1 }
      while place < self.count, viKind(place, isBlanked) == .blank || left > 0 && viKind(place, isBlanked) == .newline {
        place += 1
      }
    }
    return place
  }

  /// What is of one kind around a place; around a word, the blanks behind it too, or else those before it.
  private func viWord(around: Bool, at place: Int, isBlanked: Bool) -> Range<Int>? {
    guard indices.contains(place), self[place] != 10 else { return nil }
    var (start, end) = (place, place)
    func extend(to kind: ViKind) { while end < count, viKind(end, isBlanked) == kind { end += 1 } }
    let kind = viKind(place, isBlanked)
    extend(to: kind)
    while start > 0, viKind(start - 1, isBlanked) == kind { start -= 1 }
    guard around else { return start..<end }
    if kind == .blank {
      if end < count { extend(to: viKind(end, isBlanked) == .newline ? .blank : viKind(end, isBlanked)) }
      return start..<end
    }
    let before = end
    extend(to: .blank)
    if end == before { while start > 0, viKind(start - 1, isBlanked) == .blank { start -= 1 } }
    return start..<end
  }

  /// The pair of quotes on its line that a place is in, or else the next one.
  private func viQuoted(by quote: EditUnit, around: Bool, at place: Int) -> Range<Int>? {
    let line = lineStart(of: place)..<lineEnd(of: place)
    var quotes: [Int] = []
    var i = line.lowerBound
    while i < line.upperBound {
      if self[i] == 0x5C { i += 1 } else if self[i] == quote { quotes.append(i) }
      i += 1
    }
    let pairs = stride(from: 0, to: quotes.count - 1, by: 2).map { (quotes[$0], quotes[$0 + 1]) }
    guard let (open, close) = pairs.first(where: { place <= $0.1 }) else { return nil }
    guard around else { return open + 1..<close }
    let blanks = self[(close + 1)..<line.upperBound].prefix { $0 == 32 || $0 == 9 }.count
    return open..<close + 1 + blanks
  }

  /// The innermost pair that a place is in, or on.
  private func viBracketed(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, around: Bool, at place: Int
  ) -> Range<Int>? {
    guard indices.contains(place) else { return nil }
    let (open, close) = (EditUnit(open.value), EditUnit(close.value))
    var depth = 0
    guard
      let start = (0...place).reversed().first(where: { i in
        if self[i] == close, i < place { depth += 1 }
        if self[i] == open { depth -= 1 }
        return depth < 0
      })
    else { return nil }
    depth = 0
    guard
      let end = (start..<count).first(where: { i in
        if self[i] == open { depth += 1 }
        if self[i] == close { depth -= 1 }
        return depth == 0
      })
    else { return nil }
    return around ? start..<end + 1 : start + 1..<end
  }
}

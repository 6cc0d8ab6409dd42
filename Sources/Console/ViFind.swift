/// vi's `f F t T`, and `; ,` for the last of them, on the line of the cursor.
struct ViFind {
  let character: EditUnit
  var isForward: Bool
  /// Stops one character before it is reached.
  let isTill: Bool

  /// - Parameter letter: one of `f F t T`.
  init?(_ letter: EditUnit, _ character: EditUnit) {
    guard ViFind.letters.contains(letter) else { return nil }
    self.character = character
    isForward = letter == 0x66 || letter == 0x74
    isTill = letter == 0x74 || letter == 0x54
  }

  static let letters: [EditUnit] = [0x66, 0x46, 0x74, 0x54]

  /// Where the character stands for the so-manieth time.
  /// - Parameter isRepeated: a till that is at its end goes to the next.
  func place(in text: EditText, from cursor: Int, count: Int, isRepeated: Bool) -> Int? {
    let line = text.lineStart(of: cursor)..<text.lineEnd(of: cursor)
    let skipped = isTill && isRepeated ? 1 : 0
    var places =
      isForward
      ? Array(Swift.min(cursor + 1 + skipped, line.upperBound)..<line.upperBound)
      : Array(line.lowerBound..<Swift.max(cursor - skipped, line.lowerBound)).reversed()
    places = places.filter { text[$0] == character }
    return places.count >= count ? places[count - 1] : nil
  }
}

extension Editor {
  /// - Parameter letter: the command, or `;` and `,` for the last one and its opposite.
  /// - Returns: the find and where it ends; nil where nothing is found.
  func viFound(_ letter: EditUnit, count: Int) -> (find: ViFind, place: Int)? {
    var find: ViFind
    let isRepeated = !ViFind.letters.contains(letter)
    if isRepeated {
      guard let last = vi.find else { return nil }
      find = last
      if letter == 0x2C { find.isForward.toggle() }
    } else {
      guard let character = nextCharacter(), let typed = ViFind(letter, character) else { return nil }
      find = typed
      vi.find = typed
    }
    return find.place(in: buffer.text, from: buffer.cursor, count: count, isRepeated: isRepeated).map { (find, $0) }
  }

  func viGoToFound() {
    guard let letter = vi.keys.last, let (find, place) = viFound(letter, count: viCount()) else { return }
    buffer.move(to: find.isTill ? place + (find.isForward ? -1 : 1) : place)
  }

  /// What an operator is for: up to the character, it included unless that is told by `t` and `T`.
  func viPart(upToFound letter: EditUnit, count: Int) -> Range<Int>? {
    let cursor = buffer.cursor
    guard let (find, place) = viFound(letter, count: count) else { return nil }
    return find.isForward ? cursor..<place + (find.isTill ? 0 : 1) : place + (find.isTill ? 1 : 0)..<cursor
  }
}

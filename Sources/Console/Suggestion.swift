import Shell
import Text

/// How the newest earlier line goes on that begins with what is typed.
struct Suggestion {
  /// What was found for each beginning of `typed` that was looked for, the shortest first: nothing newer begins with more.
  private var found: [(length: Int, place: Int)] = []
  private var typed: EditText = []

  /// Lines farther back are nobody's next word, and each key would be felt.
  private static let farthest = 10_000

  /// The rest of that line; nil without one.
  mutating func rest(of typed: EditText, in recall: any Recall) -> EditText? {
    let same = zip(self.typed, typed).prefix { $0 == $1 }.count
    found.removeAll { $0.length > same }
    self.typed = typed
    guard !typed.isEmpty, let text = Self.text(typed) else { return nil }
    var place = found.last?.place ?? 0
    defer { if found.last?.length != typed.count { found.append((typed.count, place)) } }
    while place < Self.farthest, let line = recall.line(place) {
      if line.utf8.count > text.utf8.count, line.utf8.starts(with: text.utf8) {
        let rest = Array(EditText(line).dropFirst(typed.count))
        // An accent alone would change the letter that is typed.
        return rest.isEmpty || Self.joins(rest[0]) ? nil : rest
      }
      place += 1
    }
    place = Self.farthest
    return nil
  }

  /// Nil where a paste stands folded in it.
  private static func text(_ typed: EditText) -> String? {
    var scalars = String.UnicodeScalarView()
    for value in typed {
      guard let scalar = Unicode.Scalar(UInt32(bitPattern: value)) else { return nil }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  private static func joins(_ value: EditUnit) -> Bool {
    Unicode.Scalar(UInt32(bitPattern: value))?.properties.isGraphemeExtend ?? false
  }
}

extension Editor {
  /// What is shown behind the cursor, at the end of a line that is not an earlier one itself. It is there only where it
  /// can be told apart from what was typed.
  func suggested() -> EditText? {
    let (text, cursor) = (buffer.text, buffer.cursor)
    let options = loop.screen.options
    guard line.request.suggests, options.colour, options.redraws, cursor == text.count,
      line.place == -1 || line.recalled(line.place) != text
    else { return nil }
    return line.suggestion.rest(of: text, in: line.request.recall)
  }

  /// Takes what is suggested up to a place in it, all of it without one; where nothing is, moves in what is typed. Only
  /// what was seen is taken.
  func goOn(taking end: (EditText, Int) -> Int = { text, _ in text.count }, or place: (EditText, Int) -> Int) {
    guard let (shown, rest) = line.suggested, shown == state else { return move(place) }
    let whole = shown.text + rest
    insert(line.foldedIfLong(Array(whole[shown.cursor..<end(whole, shown.cursor)])))
  }
}

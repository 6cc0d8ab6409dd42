import CTerminal

/// The line inside libedit, its text and cursor counted in `EditUnit`.
struct EditBuffer {
  let editLine: OpaquePointer

  var text: EditText {
    let line = el_wline(editLine).pointee
    return EditText(zeroTerminated: line.buffer, count: line.lastchar - line.buffer)
  }

  var cursor: Int {
    let line = el_wline(editLine).pointee
    return line.cursor - line.buffer
  }

  var count: Int {
    let line = el_wline(editLine).pointee
    return line.lastchar - line.buffer
  }

  func move(to place: Int) { _ = el_cursor(editLine, Int32(place - cursor)) }

  /// Puts text in place of a part of the line, and the cursor after it.
  func replace(_ part: Range<Int>, with text: EditText) {
    move(to: part.upperBound)
    el_deletestr(editLine, Int32(part.count))
    // Zero ends libedit's strings.
    let zeroTerminated = text.filter { $0 != 0 } + [0]
    if zeroTerminated.count > 1 { _ = el_winsertstr(editLine, zeroTerminated) }
  }

  func replaceAll(with text: EditText, cursor: Int? = nil) {
    replace(0..<count, with: text)
    if let cursor { move(to: min(cursor, count)) }
  }
}

/// Places in a text.
extension EditText {
  func characterStart(before place: Int) -> Int {
    guard place > 0 else { return 0 }
    let scalars = scalars(in: Swift.max(0, place - 32)..<place)
    guard let last = String(scalars).last, self[place - 1] != 10 else { return place - 1 }
    return place - last.unicodeScalars.count
  }

  func characterEnd(after place: Int) -> Int {
    guard place < count else { return count }
    var scalars = String.UnicodeScalarView()
    for value in self[place..<Swift.min(count, place + 32)] {
      guard value != 10, let scalar = Unicode.Scalar(UInt32(bitPattern: value)) else { break }
      scalars.append(scalar)
    }
    return place + Swift.max(1, String(scalars).first?.unicodeScalars.count ?? 1)
  }

  func lineStart(of place: Int) -> Int {
    (self[..<place].lastIndex(of: 10) ?? -1) + 1
  }

  func lineEnd(of place: Int) -> Int {
    self[place...].firstIndex(of: 10) ?? count
  }

  /// The beginning of the word before a place; a word is of letters and digits.
  func wordStart(before place: Int) -> Int {
    var place = place
    while place > 0, !isWord(place - 1) { place -= 1 }
    while place > 0, isWord(place - 1) { place -= 1 }
    return place
  }

  func wordEnd(after place: Int) -> Int {
    var place = place
    while place < count, !isWord(place) { place += 1 }
    while place < count, isWord(place) { place += 1 }
    return place
  }

  /// The beginning of what stands between blanks before a place.
  func blankedStart(before place: Int) -> Int {
    var place = place
    while place > 0, isBlank(place - 1) { place -= 1 }
    while place > 0, !isBlank(place - 1) { place -= 1 }
    return place
  }

  func isWord(_ place: Int) -> Bool {
    guard let scalar = Unicode.Scalar(UInt32(bitPattern: self[place])) else { return false }
    return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  private func isBlank(_ place: Int) -> Bool {
    Unicode.Scalar(UInt32(bitPattern: self[place]))?.properties.isWhitespace ?? false
  }

  /// The scalars at the end of a part, from the last place that holds none.
  private func scalars(in part: Range<Int>) -> String.UnicodeScalarView {
    var scalars = String.UnicodeScalarView()
    for value in self[part] {
      if value != 10, let scalar = Unicode.Scalar(UInt32(bitPattern: value)) {
        scalars.append(scalar)
      } else {
        scalars = String.UnicodeScalarView()
      }
    }
    return scalars
  }
}

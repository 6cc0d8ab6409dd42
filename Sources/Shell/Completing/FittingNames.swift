/// Which names fit what is typed.
extension Completer {
  func matching(_ typed: String, _ words: [(String, String)]) -> [Candidate] {
    words.filter { $0.0.hasPrefix(typed) }.map { Candidate(Words.quoted($0.0), summary: $0.1) }
  }

  /// What goes on behind its `=`.
  func beginnings(_ typed: String, _ words: [(name: String, about: String)]) -> [Candidate] {
    words.filter { $0.name.hasPrefix(typed) }.map { Candidate($0.name, summary: $0.about, isWhole: false) }
  }

  func containing(_ typed: String, _ words: [(String, String)]) -> [Candidate] {
    fitting(typed, words.map(\.0)).map { Candidate(Words.quoted(words[$0].0), summary: words[$0].1) }
  }

  /// The places of those that begin with what was typed; without any, of those that contain it; without any, of those that
  /// have its letters in this order, the likeliest first.
  func fitting(_ typed: String, _ names: [String]) -> [Int] {
    let beginning = names.indices.filter { names[$0].hasPrefix(typed) }
    guard beginning.isEmpty else { return beginning }
    let wanted = Letters(typed)
    let lowered = names.map { Letters($0) }
    let within = lowered.indices.filter { lowered[$0].contains(wanted) }
    let letters = wanted.values.filter { $0 != 32 }
    let ranked = (within.isEmpty ? Array(lowered.indices) : within).compactMap { place in
      lowered[place].distance(to: letters).map { (distance: $0, place: place) }
    }
    return ranked.sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }.map(\.place)
  }
}

/// The small letters of a name, as numbers: thousands are looked at for one key.
private struct Letters {
  let values: [UInt32]

  init(_ name: String) {
    values =
      name.utf8.allSatisfy { $0 < 0x80 }
      ? name.utf8.map { UInt32((65...90).contains($0) ? $0 + 32 : $0) }
      : name.lowercased().unicodeScalars.map(\.value)
  }

  func contains(_ other: Letters) -> Bool {
    guard let first = other.values.first else { return true }
    guard values.count >= other.values.count else { return false }
    return (0...values.count - other.values.count).contains { start in
      values[start] == first && other.values.indices.allSatisfy { values[start + $0] == other.values[$0] }
    }
  }

  /// How well letters fit that are in it in their order, as fzf sees it: best where they stand together, and at the
  /// beginnings of words. Nil where they are not; the less, the better.
  func distance(to letters: [UInt32]) -> Int? {
    guard let end = end(of: letters) else { return nil }
    // From its end backwards the window is the shortest.
    var (place, rest, beginnings) = (end, letters[...], 0)
    while let letter = rest.last {
      place -= 1
      guard values[place] == letter else { continue }
      rest.removeLast()
      if place == 0 || !isOfWord(values[place - 1]) { beginnings += 1 }
    }
    return end - place - letters.count - 2 * beginnings
  }

  /// Where the first window ends that has all of them.
  private func end(of letters: [UInt32]) -> Int? {
    var found = 0
    for place in values.indices where found < letters.count && values[place] == letters[found] {
      found += 1
      if found == letters.count { return place + 1 }
    }
    return letters.isEmpty ? 0 : nil
  }

  private func isOfWord(_ value: UInt32) -> Bool {
    if value < 0x80 { return (97...122).contains(value) || (48...57).contains(value) }
    return Unicode.Scalar(value)?.properties.isAlphabetic ?? false
  }
}

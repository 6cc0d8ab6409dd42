import Store

/// What a mistyped word may have meant.
package enum Nearest {
  /// At most three candidates within a third of the word's length in typing errors, the nearest first. In a short word
  /// that is one error: two would make any other of it.
  package static func words(to word: String, among candidates: [String]) -> [String] {
    let limit = max(1, word.count / 3)
    let candidates = Set(candidates)
    let typed = Array(word.lowercased().unicodeScalars)
    var ranked: [(distance: Int, word: String)] = []
    // What is farther than the best by more than one is none of them.
    var farthest = limit
    for candidate in candidates {
      let letters = Array(candidate.lowercased().unicodeScalars)
      guard let distance = editDistance(typed, letters, within: farthest) else { continue }
      farthest = min(farthest, distance + 1)
      ranked.append((distance, candidate))
    }
    if ranked.isEmpty {
      return Array(candidates.filter { !word.isEmpty && $0.contains(word) }.sorted().prefix(3))
    }
    return ranked.filter { $0.distance <= farthest }.sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }
      .prefix(3).map(\.word)
  }
}

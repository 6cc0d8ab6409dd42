import Store

/// What a mistyped word may have meant.
package enum Nearest {
  /// At most three candidates within a third of the word's length in typing errors, the nearest first. In a short word
  /// that is one error: two would make any other of it.
  package static func words(to word: String, among candidates: [String]) -> [String] {
    let limit = max(1, word.count / 3)
    let candidates = Array(Set(candidates))
    let ranked = candidates.map { (editDistance(word.lowercased(), $0.lowercased()), $0) }.filter { $0.0 <= limit }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    guard let best = ranked.first?.0 else {
      return Array(candidates.filter { !word.isEmpty && $0.contains(word) }.sorted().prefix(3))
    }
    return ranked.filter { $0.0 <= best + 1 }.prefix(3).map(\.1)
  }
}
